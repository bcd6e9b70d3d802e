package dev.holdfast.lock.cli;

import dev.holdfast.lock.Fault;
import dev.holdfast.lock.LockGuarantees;
import dev.holdfast.lock.Property;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Guarantees to be shown: one column of a matrix, one object in JSON.
 *
 * @param scheme of the provider
 * @param kind declared, or effective on live servers
 * @param provider its class
 * @param guarantees what is promised
 * @param observations why effective guarantees are what they are; empty for declared ones
 */
record GuaranteeView(String scheme, Kind kind, String provider, LockGuarantees guarantees, List<String> observations) {
    /** The faults that progress can be claimed for. */
    private static final Set<Fault> PROGRESS = EnumSet.of(Fault.SERVER_RESTART, Fault.NODE_LOSS, Fault.NODE_PARTITION);

    enum Kind {
        DECLARED,
        EFFECTIVE
    }

    GuaranteeView {
        observations = List.copyOf(observations);
    }

    /** The same guarantees as an object for {@link Json}. */
    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("scheme", scheme);
        json.put("kind", lower(kind));
        json.put("provider", provider);
        json.put("safety", guarantees.safety());
        json.put("scope", guarantees.scope());
        json.put("fencing", guarantees.fencing());
        json.put("reentrancy", guarantees.reentrancy());
        json.put("hold", guarantees.hold());
        json.put("orphanBound", guarantees.orphanBound());
        json.put("fairness", guarantees.fairness());
        json.put("waiting", guarantees.waiting());
        json.put("exclusion", guarantees.exclusion());
        json.put("tokenOrder", guarantees.tokenOrder());
        json.put("progress", guarantees.progress());
        json.put("impossible", guarantees.impossible());
        json.put("toleratedNodeLosses", guarantees.toleratedNodeLosses());
        json.put("needs", guarantees.needs());
        if (kind == Kind.EFFECTIVE) {
            json.put("observations", observations);
        }
        return json;
    }

    /** Properties and faults as rows, these guarantees as columns. An effective column marks where it differs from the declared one before it. */
    static Matrix matrix(List<GuaranteeView> views) {
        Matrix.Builder rows = properties(views);
        for (Property property : Property.values()) {
            rows.heading(
                    switch (property) {
                        case EXCLUSION -> "exclusion survives";
                        case TOKEN_ORDER -> "token order survives";
                        case PROGRESS -> "progress resumes after";
                    });
            for (Fault fault : claimable()) {
                if (property != Property.PROGRESS || PROGRESS.contains(fault)) {
                    rows.row("  " + lower(fault), cells(views, v -> v.cell(property, fault)));
                }
            }
        }
        return rows.build();
    }

    /** As {@link #matrix}, with exclusion and token order in one cell and without progress. */
    static Matrix shortMatrix(List<GuaranteeView> views) {
        Matrix.Builder rows = properties(views);
        rows.heading("exclusion / token order survives");
        for (Fault fault : claimable()) {
            rows.row("  " + lower(fault), cells(views, v -> {
                String exclusion = v.cell(Property.EXCLUSION, fault);
                String order = v.cell(Property.TOKEN_ORDER, fault);
                return exclusion.equals("n/a") ? exclusion : exclusion + " / " + order;
            }));
        }
        return rows.build();
    }

    private static Matrix.Builder properties(List<GuaranteeView> views) {
        return new Matrix.Builder(views.stream().map(GuaranteeView::title).toList())
                .row("safety (derived)", cells(views, v -> v.guarantees.safety()))
                .row("scope", cells(views, v -> v.guarantees.scope()))
                .row("fencing", cells(views, v -> v.guarantees.fencing()))
                .row("hold", cells(views, v -> v.guarantees.hold()))
                .row("orphan bound", cells(views, v -> Text.of(v.guarantees.orphanBound())))
                .row("reentrancy", cells(views, v -> v.guarantees.reentrancy()))
                .row("fairness", cells(views, v -> v.guarantees.fairness()))
                .row("waiting", cells(views, v -> v.guarantees.waiting()))
                .row("tolerated node losses", cells(views, v -> v.guarantees.toleratedNodeLosses()));
    }

    /** What has to be said below a matrix: needs and observations. */
    static List<String> notes(List<GuaranteeView> views) {
        List<String> notes = new ArrayList<>();
        for (GuaranteeView view : views) {
            if (!view.guarantees.needs().isEmpty()) {
                notes.add(view.scheme + " needs: " + String.join("; ", view.guarantees.needs()));
            }
            view.observations.forEach(o -> notes.add("observed: " + o));
        }
        return notes;
    }

    private String title() {
        return kind == Kind.EFFECTIVE ? scheme + " here" : scheme;
    }

    private String cell(Property property, Fault fault) {
        if (guarantees.impossible().contains(fault)) {
            return "n/a";
        }
        return guarantees.survives(property, fault) ? "yes" : "no";
    }

    private interface Cell {
        Object of(GuaranteeView view);
    }

    private static List<String> cells(List<GuaranteeView> views, Cell cell) {
        List<String> cells = new ArrayList<>();
        for (GuaranteeView view : views) {
            String text = cell.of(view).toString();
            boolean differs = view.kind == Kind.EFFECTIVE
                    && views.stream()
                            .filter(v -> v.kind == Kind.DECLARED && v.scheme.equals(view.scheme))
                            .anyMatch(v -> !cell.of(v).toString().equals(text));
            cells.add(differs ? text + " *" : text);
        }
        return cells;
    }

    private static List<Fault> claimable() {
        return EnumSet.allOf(Fault.class).stream().filter(Fault::isClaimable).toList();
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}

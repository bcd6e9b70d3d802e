package dev.holdfast.lock;

import dev.holdfast.lock.spi.LockBackend.Observed;
import dev.holdfast.lock.spi.LockProvider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Texts for requirements that are not met: needed against offered, what was seen, which setting would change it, who else would do. */
final class Explanations {
    private Explanations() {}

    static List<String> unmet(
            List<String> unmet, LockGuarantees declared, Observed observed, String scheme, Require... requires) {
        List<String> lines = new ArrayList<>(unmet);
        observed.reasons().forEach(reason -> lines.add("observed: " + reason));
        if (!declared.needs().isEmpty()
                && Arrays.stream(requires).allMatch(r -> r.unmetBy(declared).isEmpty())) {
            lines.add(scheme + " would offer it with: " + String.join("; ", declared.needs()));
        }
        List<String> others = LockProviders.matching(requires).stream()
                .map(LockProvider::scheme)
                .filter(other -> !other.equals(scheme))
                .toList();
        lines.add(
                others.isEmpty()
                        ? "no other provider on the class path offers it"
                        : "also on the class path and offering it, under their own conditions: "
                                + String.join(", ", others));
        return lines;
    }
}

package dev.holdfast.lock.tck;

import dev.holdfast.lock.Fault;
import dev.holdfast.lock.LockGuarantees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What one subclass of {@link LockProviderTck} came to, as a file. */
final class Report {
    /** The configuration parameter of JUnit, or system property, for the directory. */
    static final String DIRECTORY_PROPERTY = "holdfast.report.dir";

    private final String testClass;
    private final Map<String, Object> head = new LinkedHashMap<>();
    private final Map<Check, Result> results = new LinkedHashMap<>();

    Report(String testClass, Profile profile) {
        this.testClass = testClass;
        head.put("testClass", testClass);
        head.put("profile", profile.toString());
    }

    void about(Harness harness, String scheme, String providerClass, boolean virtual) {
        head.put("provider", scheme);
        head.put("providerClass", providerClass);
        head.put("configuration", harness.configuration());
        head.put("clock", virtual ? "virtual" : "real");
    }

    void about(LockGuarantees declared, LockGuarantees effective, List<String> observations) {
        head.put("declared", guarantees(declared));
        head.put("effective", guarantees(effective));
        head.put("observations", observations);
    }

    void took(long millis) {
        head.put("millis", millis);
    }

    synchronized void add(Check check, Result result) {
        results.put(check, result);
    }

    synchronized @Nullable Result result(Check check) {
        return results.get(check);
    }

    synchronized int count(Result.Outcome outcome) {
        return (int)
                results.values().stream().filter(r -> r.outcome() == outcome).count();
    }

    Path write(Path directory) {
        Path file = directory.resolve(testClass + ".json");
        try {
            Files.createDirectories(directory.toAbsolutePath());
            return Files.writeString(file, Json.write(asMap()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized Map<String, Object> asMap() {
        Map<String, Object> all = new LinkedHashMap<>(head);
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("checks", Check.all().size());
        counts.put("executed", count(Result.Outcome.PASSED) + count(Result.Outcome.FAILED));
        for (Result.Outcome outcome : Result.Outcome.values()) {
            counts.put(outcome.toString(), count(outcome));
        }
        all.put("counts", counts);
        List<Object> checks = new ArrayList<>();
        for (Check check : Check.all()) {
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("family", check.family());
            entry.put("name", check.name());
            entry.put("rules", check.rules());
            Result result = results.get(check);
            if (result != null) {
                entry.put("outcome", result.outcome());
                if (result.reason() != null) {
                    entry.put("reason", result.reason());
                }
                if (!result.detail().isEmpty()) {
                    entry.put("detail", result.detail());
                }
                entry.put("millis", result.millis());
            }
            checks.add(entry);
        }
        all.put("checks", checks);
        return all;
    }

    private static Map<String, Object> guarantees(LockGuarantees g) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("safety", g.safety());
        map.put("scope", g.scope());
        map.put("fencing", g.fencing());
        map.put("hold", g.hold());
        map.put("orphanBound", g.orphanBound());
        map.put("reentrancy", g.reentrancy());
        map.put("fairness", g.fairness());
        map.put("waiting", g.waiting());
        map.put("toleratedNodeLosses", g.toleratedNodeLosses());
        map.put("exclusion", faults(g.exclusion()));
        map.put("tokenOrder", faults(g.tokenOrder()));
        map.put("progress", faults(g.progress()));
        map.put("impossible", faults(g.impossible()));
        map.put("needs", g.needs());
        return map;
    }

    private static List<String> faults(Set<Fault> faults) {
        return faults.stream()
                .sorted()
                .map(f -> f.name().toLowerCase(Locale.ROOT))
                .toList();
    }
}

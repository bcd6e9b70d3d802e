package dev.holdfast.lock.tck.kill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedMethod;

import dev.holdfast.lock.LockGuarantees;
import dev.holdfast.lock.Reentrancy;
import dev.holdfast.lock.spi.LockBackend;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.tck.Harness;
import dev.holdfast.lock.tck.LockProviderTck;
import dev.holdfast.lock.tck.MemoryHarness;
import dev.holdfast.lock.tck.Profile;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/**
 * Each saboteur is convicted by its check with its message, and by no check outside its set; each check convicts somebody; the reference nobody. In
 * the quick profile a mutant of lock-api, whose classes are loaded and warmed up anew, meets the checks of its set only.
 */
class KillMatrixTest {
    private static final ThreadLocal<Saboteur> CURRENT = new ThreadLocal<>();

    private static final boolean FULL = Profile.current() == Profile.FULL;

    /** What needs threads, connections or processes; RealTimeKillTest has their saboteurs. */
    private static final Set<String> ONLY_ON_REAL_TIME = Set.of(
            "C5_noConnectionIsLeft",
            "C5_noThreadIsLeft",
            "C7_libraryThreadsAreDaemons",
            "C7_processEndsWithoutClosing",
            "E1_processesExcludeEachOther",
            "E5_contendingProcessesNeverOverlap",
            "L8_killedHolderBlocksForItsLeaseOnly",
            "S4_pausedHolderIsLateAndItsWriteIsRefused");

    static class Sabotaged extends LockProviderTck {
        @Override
        protected Harness harness() {
            Saboteur saboteur = CURRENT.get();
            Twist twist = saboteur.twist().get();
            return new MemoryHarness(saboteur.fair(), saboteur.durable(), twist::around);
        }
    }

    static class Reference extends LockProviderTck {
        @Override
        protected Harness harness() {
            return new MemoryHarness(true);
        }
    }

    static class ReferenceWithoutNesting extends LockProviderTck {
        @Override
        protected Harness harness() {
            Twist twist = new Twist() {
                @Override
                LockGuarantees declared(LockProvider provider) {
                    return without(provider.declared());
                }

                @Override
                LockBackend.Observed observed(Client client) {
                    return new LockBackend.Observed(
                            without(client.memory.observed().effective()), List.of());
                }

                private LockGuarantees without(LockGuarantees g) {
                    return g.toBuilder().reentrancy(Reentrancy.NONE).build();
                }
            };
            return new MemoryHarness(true, true, twist::around);
        }
    }

    @TempDir
    Path reports = Path.of("");

    private final List<String> table = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();
    private final List<String> details = new ArrayList<>();
    private final Set<String> convicting = new TreeSet<>();

    private Map<String, String> failures(Class<?> testClass) {
        return failures(List.of(selectClass(testClass)));
    }

    /** The failed checks and what they said. */
    private Map<String, String> failures(List<? extends DiscoverySelector> selectors) {
        Map<String, String> failures = new TreeMap<>();
        for (Event event : EngineTestKit.engine("junit-jupiter")
                .selectors(selectors.toArray(DiscoverySelector[]::new))
                .configurationParameter("holdfast.report.dir", reports.toString())
                .configurationParameter(Profile.PROPERTY, "quick")
                .execute()
                .testEvents()
                .failed()
                .list()) {
            String check = event.getTestDescriptor()
                    .getDisplayName()
                    .replace("required_", "")
                    .replace("(Scene)", "");
            Throwable thrown = event.getRequiredPayload(TestExecutionResult.class)
                    .getThrowable()
                    .orElseThrow();
            failures.put(check, String.valueOf(thrown.getMessage()));
        }
        return failures;
    }

    private Map<String, String> failures(Saboteur saboteur) {
        CURRENT.set(saboteur);
        return failures(Sabotaged.class);
    }

    private Map<String, String> failures(Mutant mutant) throws Exception {
        Class<?> loaded = mutant.load(mutant.nests() ? Reference.class : ReferenceWithoutNesting.class, reports);
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loaded.getClassLoader());
        try {
            return failures(
                    FULL
                            ? List.of(selectClass(loaded))
                            : mutant.mayFail().stream()
                                    .map(check -> select(loaded, check))
                                    .toList());
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** One check of a class. */
    private static DiscoverySelector select(Class<?> testClass, String check) {
        for (Class<?> family : testClass.getSuperclass().getDeclaredClasses()) {
            for (Method method : family.getSuperclass().getDeclaredMethods()) {
                if (method.getName().equals("required_" + check)) {
                    return selectNestedMethod(List.of(testClass), family, method);
                }
            }
        }
        throw new IllegalArgumentException("there is no check " + check);
    }

    private void judge(
            String name, Map<String, String> failures, String message, String convictedBy, Set<String> mayFail) {
        String said = failures.getOrDefault(convictedBy, "");
        boolean ok = said.contains(" is broken: ") && said.contains(message);
        table.add("%-48s %-9s by %s%s"
                .formatted(
                        name,
                        ok ? "convicted" : "ESCAPED",
                        convictedBy,
                        failures.size() < 2 ? "" : " and " + (failures.size() - 1) + " more"));
        if (!ok) {
            wrong.add(name + " was not convicted by " + convictedBy + " with \"" + message + "\"; that said: " + said);
        }
        Set<String> outside = new TreeSet<>(failures.keySet());
        outside.removeAll(mayFail);
        if (!outside.isEmpty()) {
            wrong.add(name + " failed checks that are not in its set: " + outside);
            outside.forEach(check -> details.add(name + ": " + check + "\n      " + failures.get(check)));
        }
        failures.forEach((check, text) -> {
            if (text.contains(" is broken: ")) {
                convicting.add(check);
            }
        });
    }

    private static List<String> checks() {
        List<String> names = new ArrayList<>();
        for (Class<?> family : LockProviderTck.class.getDeclaredClasses()) {
            for (Method method : family.getSuperclass().getDeclaredMethods()) {
                if (method.isAnnotationPresent(Test.class)) {
                    names.add(method.getName().replace("required_", ""));
                }
            }
        }
        return names;
    }

    @Test
    void everySaboteurIsConvictedAndNobodyElse() throws Exception {
        Saboteur reference = Saboteur.of("the reference", Twist::new, "", "");
        assertThat(failures(reference)).isEmpty();
        assertThat(failures(reference.onUnfairServer())).isEmpty();
        assertThat(failures(ReferenceWithoutNesting.class)).isEmpty();
        String only = System.getProperty("holdfast.kill", "");
        for (Saboteur s : Saboteurs.all()) {
            if (s.name().contains(only)) {
                judge(s.name(), failures(s), s.message(), s.convictedBy(), s.mayFail());
            }
        }
        for (Mutant m : Mutants.all()) {
            if (m.name().contains(only)) {
                try {
                    judge(m.name(), failures(m), m.message(), m.convictedBy(), m.mayFail());
                } catch (IllegalStateException e) {
                    wrong.add(String.valueOf(e.getMessage()));
                }
            }
        }
        Set<String> idle = new TreeSet<>(checks());
        idle.removeAll(convicting);
        long convicted =
                table.stream().filter(line -> line.contains("convicted by")).count();
        table.add("%d of %d convicted; checks that convict nobody: %s".formatted(convicted, table.size(), idle));
        System.out.println(String.join("\n", table));
        Files.write(Path.of("target/kill-matrix.txt"), table);
        Files.write(Path.of("target/kill-matrix-wrong.txt"), wrong);
        Files.write(Path.of("target/kill-matrix-details.txt"), details);
        assertThat(wrong).isEmpty();
        assertThat(idle).isSubsetOf(ONLY_ON_REAL_TIME);
    }
}

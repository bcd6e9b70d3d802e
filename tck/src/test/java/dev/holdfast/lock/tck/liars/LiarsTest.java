package dev.holdfast.lock.tck.liars;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedMethod;

import dev.holdfast.lock.tck.Clock;
import dev.holdfast.lock.tck.Harness;
import dev.holdfast.lock.tck.LockProviderTck;
import dev.holdfast.lock.tck.MemoryHarness;
import dev.holdfast.lock.tck.Route;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Whoever tries to get out of a check makes the run red. */
class LiarsTest {
    @TempDir
    Path reports = Path.of("");

    private final List<String> failures = new ArrayList<>();

    /** Runs as a build does, session and all; what fails is noted. */
    private void run(DiscoverySelector selector) {
        try (LauncherSession session = LauncherFactory.openSession()) {
            var request = LauncherDiscoveryRequestBuilder.request()
                    .selectors(selector)
                    .configurationParameter("holdfast.report.dir", reports.toString())
                    .build();
            session.getLauncher().execute(request, new TestExecutionListener() {
                @Override
                public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
                    if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                        result.getThrowable()
                                .ifPresent(e -> failures.add(identifier.getDisplayName() + ": " + e.getMessage()));
                    }
                }
            });
        }
    }

    private void isRed(Class<?> liar, String... fragments) throws Exception {
        run(selectClass(liar));
        assertThat(failures).isNotEmpty();
        for (String fragment : fragments) {
            assertThat(failures).anySatisfy(f -> assertThat(f).contains(fragment));
        }
        assertThat(Files.readString(reports.resolve(liar.getName() + ".json")))
                .doesNotContain("\"missing\": 0,")
                .contains("\"missing\": ");
    }

    abstract static class OnMemory extends LockProviderTck {
        @Override
        protected Harness harness() {
            return new MemoryHarness(true);
        }
    }

    static class Honest extends OnMemory {}

    @Test
    void anHonestOneIsGreen() throws Exception {
        run(selectClass(Honest.class));
        assertThat(failures).isEmpty();
        assertThat(Files.readString(reports.resolve(Honest.class.getName() + ".json")))
                .contains("\"missing\": 0");
    }

    static class HidesAFamily extends OnMemory {
        @Nested
        class Discovery {}
    }

    @Test
    void hidingAFamilyIsRed() throws Exception {
        isRed(HidesAFamily.class, "Discovery.required_D1_foundUnderItsSchemeOnce (hidden, filtered or never reached)");
    }

    static class ReplacesACheck extends OnMemory {
        @Nested
        class Exclusion {
            @Test
            void required_E1_secondClientIsRefused() {}
        }
    }

    @Test
    void replacingACheckIsRed() throws Exception {
        isRed(ReplacesACheck.class, "Exclusion.required_E1_secondClientIsRefused (hidden");
    }

    @Disabled("not today")
    static class IsDisabled extends OnMemory {}

    @Test
    void beingDisabledIsRed() {
        assertThatThrownBy(() -> run(selectClass(IsDisabled.class)))
                .hasMessageContaining("disabled, which is not allowed")
                .hasMessageContaining("IsDisabled");
        assertThat(reports).isEmptyDirectory();
    }

    @ExtendWith(DisablesFencing.Condition.class)
    static class DisablesFencing extends OnMemory {
        static final class Condition implements ExecutionCondition {
            @Override
            public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
                return context.getDisplayName().contains("F1")
                        ? ConditionEvaluationResult.disabled("known to fail")
                        : ConditionEvaluationResult.enabled("fine");
            }
        }
    }

    @Test
    void disablingAFewChecksIsRed() throws Exception {
        isRed(DisablesFencing.class, "required_F1_tokensRiseAcrossClients (disabled: known to fail)");
    }

    @ExtendWith(SkipsInvocations.Skip.class)
    static class SkipsInvocations extends OnMemory {
        static final class Skip implements InvocationInterceptor {
            @Override
            public void interceptTestMethod(
                    Invocation<@Nullable Void> invocation,
                    ReflectiveInvocationContext<Method> method,
                    ExtensionContext context)
                    throws Throwable {
                if (context.getDisplayName().contains("E5")) {
                    invocation.skip();
                } else {
                    invocation.proceed();
                }
            }
        }
    }

    @Test
    void skippingTheBodyOfACheckIsRed() {
        run(selectClass(SkipsInvocations.class));
        assertThat(failures).anySatisfy(f -> assertThat(f).contains("its invocation was skipped"));
    }

    static class AssumesInSetUp extends OnMemory {
        @BeforeEach
        void assume() {
            Assumptions.abort("no server today");
        }
    }

    @Test
    void abortingBeforeTheChecksIsRed() throws Exception {
        isRed(AssumesInSetUp.class, "aborted before it began", "no server today");
    }

    static class AssumesInAHook extends LockProviderTck {
        @Override
        protected Harness harness() {
            MemoryHarness memory = new MemoryHarness(true);
            return new Harness() {
                private int routes;

                @Override
                public Route route() {
                    Assumptions.assumeTrue(++routes < 40, "enough");
                    return memory.route();
                }

                @Override
                public Clock clock() {
                    return memory.clock();
                }
            };
        }
    }

    @Test
    void abortingWithinAHookIsRed() throws Exception {
        run(selectClass(AssumesInAHook.class));
        assertThat(failures).anySatisfy(f -> assertThat(f).contains("aborted, which is not a way out"));
        assertThat(Files.readString(reports.resolve(AssumesInAHook.class.getName() + ".json")))
                .contains("\"outcome\": \"aborted\"");
    }

    @TestInstance(TestInstance.Lifecycle.PER_METHOD)
    static class ChangesTheLifecycle extends OnMemory {}

    @Test
    void anotherLifecycleIsRed() throws Exception {
        isRed(ChangesTheLifecycle.class, "must keep the life cycle PER_CLASS");
    }

    static class HasNoServers extends LockProviderTck {
        @Override
        protected Harness harness() {
            throw new IllegalStateException("no container engine");
        }
    }

    @Test
    void aHarnessThatFailsIsRed() throws Exception {
        isRed(HasNoServers.class, "no container engine");
    }

    @Test
    void aRunOfAPartIsRed() throws Exception {
        Class<?> family = Class.forName(LockProviderTck.class.getName() + "$Exclusion");
        Method check = family.getSuperclass()
                .getDeclaredMethod(
                        "required_E4_differentNamesDoNotExclude", Class.forName("dev.holdfast.lock.tck.Scene"));
        run(selectNestedMethod(List.of(Honest.class), family, check));
        assertThat(failures)
                .singleElement()
                .satisfies(f -> assertThat(f).contains("did not run, which is not allowed"));
    }
}

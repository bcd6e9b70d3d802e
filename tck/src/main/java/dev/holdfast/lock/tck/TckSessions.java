package dev.holdfast.lock.tck;

import java.util.Set;
import java.util.TreeSet;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Makes the whole test run red if a subclass of {@link LockProviderTck} was disabled: nothing inside JUnit Jupiter is asked any more about a class
 * that is. Found by {@link java.util.ServiceLoader}.
 */
public final class TckSessions implements LauncherSessionListener {
    private final Set<String> pending = new TreeSet<>();

    /** For {@link java.util.ServiceLoader}. */
    public TckSessions() {}

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        session.getLauncher().registerTestExecutionListeners(new TestExecutionListener() {
            @Override
            public void testPlanExecutionStarted(TestPlan plan) {
                plan.accept(new TestPlan.Visitor() {
                    @Override
                    public void visit(TestIdentifier identifier) {
                        if (isTck(identifier)) {
                            pending.add(identifier.getUniqueId());
                        }
                    }
                });
            }

            @Override
            public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
                pending.remove(identifier.getUniqueId());
            }
        });
    }

    private static boolean isTck(TestIdentifier identifier) {
        return identifier
                .getSource()
                .filter(source ->
                        source instanceof ClassSource of && LockProviderTck.class.isAssignableFrom(of.getJavaClass()))
                .isPresent();
    }

    @Override
    public void launcherSessionClosed(LauncherSession session) {
        if (!pending.isEmpty()) {
            throw new IllegalStateException(
                    "the compatibility kit was disabled, which is not allowed; these did not run: " + pending);
        }
    }
}

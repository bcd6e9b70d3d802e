package dev.holdfast.lock.tck;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The checks that every provider passes: extend it, give it a {@link Harness}, and run it with JUnit Jupiter.
 *
 * <p>There is no way out of a check but a claim that is not made or a hook that is not there, and both are in the report
 * ({@code target/holdfast-tck/CLASS.json}). A subclass that hides a family, is disabled, or is run in part is red. Subclasses may add tests of
 * their own.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.SAME_THREAD)
@Timeout(60)
@ExtendWith(TckExtension.class)
public abstract class LockProviderTck {
    /** Called once. */
    protected LockProviderTck() {}

    /** The servers under test. Called once, before the first check; closed after the last. */
    protected abstract Harness harness() throws Exception;

    @Nested
    final class Discovery extends DiscoveryChecks {}

    @Nested
    final class Exclusion extends ExclusionChecks {}

    @Nested
    final class Waiting extends WaitingChecks {}

    @Nested
    final class Lease extends LeaseChecks {}

    @Nested
    final class Renewal extends RenewalChecks {}

    @Nested
    final class Release extends ReleaseChecks {}

    @Nested
    final class Reentrancy extends ReentrancyChecks {}

    @Nested
    final class Fencing extends FencingChecks {}

    @Nested
    final class Loss extends LossChecks {}

    @Nested
    final class Names extends NamesChecks {}

    @Nested
    final class Errors extends ErrorsChecks {}

    @Nested
    final class Lifecycle extends LifecycleChecks {}

    @Nested
    final class CrossProcess extends CrossProcessChecks {}
}

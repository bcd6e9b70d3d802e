package dev.holdfast.lock.spi;

import dev.holdfast.lock.ReleaseOutcome;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * One granted acquisition. Every change checks, in the same atomic step of the server, that the hold is still this acquisition's. A
 * {@link BackendException} or any other exception counts as unknown.
 */
public interface Hold {
    /** The fencing token: positive, fixed; empty if the provider has none. */
    OptionalLong token();

    /** Prolongs the hold so that it lasts at least this long from now, if it is still ours. Never called again after a release has begun. */
    HoldState renew(Duration lease, long deadline) throws BackendException, InterruptedException;

    /** Asks the server whether the hold is still ours. Changes nothing. */
    HoldState check(long deadline) throws BackendException, InterruptedException;

    /** Frees the lock if it is still ours. May be repeated, by any thread; a repeated or late one never touches another's hold. */
    ReleaseOutcome release(long deadline) throws BackendException, InterruptedException;
}

package dev.holdfast.lock.spi;

import dev.holdfast.lock.LeaseLoss;
import java.time.Duration;

/** One acquisition as a driver sees it. Implemented by lock-api only. */
public interface AcquireAttempt {
    /** The name of the lock: 1 to 1,024 UTF-8 bytes, well formed. */
    String name();

    /** The owner's mark: unguessable, never used for another acquisition; at most 64 characters of {@code A-Z a-z 0-9 _ - .}. */
    String id();

    /** The lease to ask for: at least what {@link LockBackend#effectiveLease} made of the request. */
    Duration lease();

    /** Whether somebody is prepared to wait for others: a place in the server's queue may be taken. */
    boolean mayQueue();

    /**
     * Runs an action, from any thread and without blocking, when the caller is no longer interested, so that the driver can end what blocks; at once
     * if that is so already. A later action replaces an earlier one.
     */
    void onCancel(Runnable action);

    /**
     * Tells that the hold of this acquisition has ended by itself, where the backend is told so (a session expired, a connection closed). May be
     * called from any thread and repeatedly; does not block; does nothing after the release.
     */
    void lost(LeaseLoss.Cause cause, String detail);
}

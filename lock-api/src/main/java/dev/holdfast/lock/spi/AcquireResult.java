package dev.holdfast.lock.spi;

import java.time.Duration;

/** What one attempt came to. */
public sealed interface AcquireResult {
    /**
     * The name is held by this attempt.
     *
     * @param hold the hold
     * @param confirmedAt the time source's value <em>before</em> the request was sent whose answer proves the hold
     */
    record Granted(Hold hold, long confirmedAt) implements AcquireResult {}

    /**
     * The server answered that somebody else holds the name. Nothing of this attempt is left at the server.
     *
     * @param retryAfter ask again by then at the latest, even if no release was signalled
     */
    record Busy(Duration retryAfter) implements AcquireResult {}

    /**
     * The server answered that somebody else is first, and this attempt now has a place in its queue.
     *
     * @param place the place
     */
    record Queued(Place place) implements AcquireResult {}

    /** A place in a server's queue. It belongs to the client: when its waiter gives up, another of the same client goes on waiting at it. */
    interface Place {
        /**
         * Waits for the grant.
         *
         * @param deadline the end of the wait, which may be years away; a request that is sent meanwhile is bounded by the operation time-out all the
         *     same
         * @return Granted; Busy if the place is gone, so that the attempt has to be made again; or this same place as Queued at the deadline
         */
        AcquireResult await(long deadline) throws BackendException, InterruptedException;

        /** Gives the place up. If that fails, {@link LockBackend#abandon} follows. */
        void leave(long deadline) throws BackendException, InterruptedException;
    }
}

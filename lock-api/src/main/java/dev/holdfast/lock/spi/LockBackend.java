package dev.holdfast.lock.spi;

import dev.holdfast.lock.LockGuarantees;
import java.time.Duration;
import java.util.List;

/**
 * An open connection to the servers of one client. It translates; it does not retry, queue, renew, time out leases or wrap errors: all that is
 * {@code LockClient}'s.
 *
 * <p><b>Threads.</b> All methods are called by many threads at once. <b>Deadlines</b> are moments of the time source; a method returns, or throws
 * {@link BackendException}, at most 200 ms after its deadline. <b>Interrupts.</b> A method may end with InterruptedException when its thread is
 * interrupted; its request then counts as unclear. <b>Blocking</b> inside {@code synchronized} is not allowed.
 */
public interface LockBackend {
    /**
     * What the servers were last seen to offer. Does not block: a backend probes when it is opened and after every reconnect, and returns a new
     * object when the result has changed.
     */
    Observed observed();

    /**
     * The lease that will be asked of the server: never shorter than the request, rounded up to what the backend can do.
     *
     * @throws IllegalArgumentException if it cannot be had, naming the option that would allow it
     */
    Duration effectiveLease(Duration requested, boolean renewed);

    /**
     * Makes one attempt: grants, says busy, or, where {@link AcquireAttempt#mayQueue()} and the backend has a queue, takes a place in it. Does not
     * wait for other holders. Repeated with the same {@linkplain AcquireAttempt#id() id} after an unclear outcome; an attempt that finds its own
     * mark is granted.
     *
     * @throws BackendException with kind UNCLEAR if the server may have granted, or may still
     */
    AcquireResult acquire(AcquireAttempt attempt, long deadline) throws BackendException, InterruptedException;

    /**
     * Makes sure that an attempt with an unclear outcome holds nothing: an owner-checked release by its id, and removal of its place in a queue.
     *
     * @return true if the attempt can never be granted any more; false if a request of it that is still on its way might be, so that this is to be
     *     called again until one lease has passed since it was sent
     */
    boolean abandon(AcquireAttempt attempt, long deadline) throws BackendException, InterruptedException;

    /** How many contenders for one name a client may have at the server at a time; the others queue in the client. */
    default int contendersPerName() {
        return 1;
    }

    /** Names with the same number draw their tokens from one rising series. */
    default int tokenSeries(String name) {
        return 0;
    }

    /**
     * Disconnects what {@link LockProvider#open} connected, and nothing that it was handed. Leaves no thread, connection or subscription. Called
     * once, after everything held was released.
     */
    void close();

    /**
     * What was seen on the live servers.
     *
     * @param effective what they offer
     * @param reasons what was observed and what follows, one sentence each, for people: "appendfsync is everysec: …"
     */
    record Observed(LockGuarantees effective, List<String> reasons) {
        public Observed {
            reasons = List.copyOf(reasons);
        }
    }
}

package dev.holdfast.lock;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * What is held: the proof of one acquisition. It may be used and released by any thread.
 *
 * <p><b>The promise</b> runs from the grant until {@link #remaining()} is zero, and is prolonged only by confirmed renewals. While it runs, nobody
 * else is granted the name under the faults that {@link LockGuarantees#exclusion()} lists. It cannot stop a holder that was paused from acting late:
 * pass {@link #token()} to the resource, and let the resource refuse older tokens.
 *
 * <p><b>A lease that becomes unreachable</b> without a release is released and logged within a third of its length after the garbage collector has found it; keep a reference for as long
 * as it shall be held.
 */
public final class Lease implements AutoCloseable {
    private final LeaseHandle handle;

    Lease(Acquisition acquisition) {
        this.handle = acquisition.newHandle(this);
    }

    private Acquisition acquisition() {
        return handle.acquisition();
    }

    /** The name of the lock. */
    public String name() {
        return acquisition().name();
    }

    /** The owner's mark of this acquisition: unguessable and never used again. Nested leases share it. */
    public String id() {
        return acquisition().id();
    }

    /**
     * The fencing token: positive, and larger than that of every earlier grant of this name.
     *
     * @throws IllegalStateException if the provider has no tokens, see {@link LockGuarantees#fencing()}
     */
    public long token() {
        return findToken()
                .orElseThrow(
                        () -> new IllegalStateException(
                                "\"" + name()
                                        + "\" has no fencing token: this provider declares fencing NONE; require fencing when the client is opened"));
    }

    /** The fencing token, or empty if the provider has none. */
    public OptionalLong findToken() {
        return acquisition().token();
    }

    /** Whether the promise still runs. Does not block and asks no server; once false it stays false. */
    public boolean isHeld() {
        return state() == LeaseState.HELD;
    }

    /** Where it stands, as {@link #isHeld()}. */
    public LeaseState state() {
        return handle.isReleased() ? LeaseState.RELEASED : acquisition().state();
    }

    /** What is left of the promise, on the monotonic clock; zero when it is not held. */
    public Duration remaining() {
        return isHeld() ? acquisition().remaining() : Duration.ZERO;
    }

    /** The length of the lease in effect: what was asked for, or the least that the backend can do if that is longer. */
    public Duration duration() {
        return acquisition().lease();
    }

    /**
     * Goes on only if the promise still runs. That it ran a moment ago does not make a later write safe; the token does.
     *
     * @throws LeaseLostException if it is lost or released
     */
    public void ensureHeld() {
        LeaseState state = state();
        if (state != LeaseState.HELD) {
            throw new LeaseLostException("\"" + name() + "\" is not held: "
                    + (state == LeaseState.LOST ? acquisition().lossText() : "it was released"));
        }
    }

    /**
     * Asks to be told when the lease is lost: once, on a background thread where blocking is allowed, within 250 ms of the end of the promise; at
     * once if it is lost already; never after a release. Listeners do not delay each other, renewals or other leases. What a listener throws is
     * logged.
     */
    public void onLost(Consumer<? super LeaseLoss> listener) {
        acquisition().onLost(handle, listener);
    }

    /**
     * Frees the lock, if this acquisition still holds it; another's hold is never touched. A nested lease only gives up its share.
     *
     * <p>Blocks for at most twice the operation time-out. An interrupt does not keep it from working; the thread's flag is kept. Safe to repeat: a
     * later call changes nothing and reports {@link ReleaseOutcome#NOT_HELD}.
     */
    public ReleaseOutcome release() {
        return handle.release();
    }

    /** {@link #release()}, without its outcome. Never throws, also for a lease that was lost. */
    @Override
    public void close() {
        release();
    }

    @Override
    public String toString() {
        return "Lease[" + name() + ", " + state() + ", " + acquisition().tokenText() + "]";
    }
}

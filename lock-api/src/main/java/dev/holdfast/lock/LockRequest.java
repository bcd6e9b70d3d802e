package dev.holdfast.lock;

import dev.holdfast.lock.internal.Durations;
import dev.holdfast.lock.internal.Names;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of {@link LockClient}: a name, how long to wait, and how to hold. Immutable; each method returns a changed copy, so that a
 * request can be kept and used again. Bad values are refused here, before any server is called.
 */
public final class LockRequest {
    /** The longest lease that can be asked for. */
    public static final Duration MAX_LEASE = Duration.ofDays(365);

    static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);
    static final long WAIT_UNSET = -1;
    static final long WAIT_FOREVER = Long.MAX_VALUE / 2;
    static final long NO_MAX_HOLD = Long.MAX_VALUE / 2;

    private final String name;
    private final long waitNanos;
    private final Duration lease;
    private final boolean renewed;
    private final long maxHoldNanos;
    private final boolean reentrant;
    private final @Nullable Object owner;

    private LockRequest(
            String name,
            long waitNanos,
            Duration lease,
            boolean renewed,
            long maxHoldNanos,
            boolean reentrant,
            @Nullable Object owner) {
        this.name = name;
        this.waitNanos = waitNanos;
        this.lease = lease;
        this.renewed = renewed;
        this.maxHoldNanos = maxHoldNanos;
        this.reentrant = reentrant;
        this.owner = owner;
    }

    /**
     * Asks for a name, with the default wait of the method it is passed to and a lease of 30 s that is renewed until released.
     *
     * @param name any string of 1 to 1,024 UTF-8 bytes without lone surrogates; names that differ in anything are different locks
     * @throws IllegalArgumentException for any other string
     */
    public static LockRequest of(String name) {
        return new LockRequest(Names.check(name), WAIT_UNSET, DEFAULT_LEASE, true, NO_MAX_HOLD, false, null);
    }

    /**
     * Waits at most so long for others to release. Zero makes one attempt, whose only limit is the operation time-out.
     *
     * @throws IllegalArgumentException if negative
     */
    public LockRequest waitUpTo(Duration wait) {
        long nanos = Durations.nanos(wait);
        if (nanos < 0) {
            throw new IllegalArgumentException(
                    "wait is " + wait + "; it must be zero (one attempt) or longer; waitForever() has no limit");
        }
        return new LockRequest(name, Math.min(nanos, WAIT_FOREVER), lease, renewed, maxHoldNanos, reentrant, owner);
    }

    /** Waits until the lock is granted, the thread is interrupted, or the client is closed. */
    public LockRequest waitForever() {
        return new LockRequest(name, WAIT_FOREVER, lease, renewed, maxHoldNanos, reentrant, owner);
    }

    /**
     * Holds by a lease of this length that is renewed in the background until released. A dead holder blocks the others for about so long.
     *
     * @throws IllegalArgumentException if not positive, or above {@link #MAX_LEASE}
     */
    public LockRequest lease(Duration lease) {
        return new LockRequest(
                name, waitNanos, Durations.lease(lease, MAX_LEASE), true, maxHoldNanos, reentrant, owner);
    }

    /**
     * Holds for this long and no longer: the lease is not renewed, and is {@link LeaseState#LOST} at its end.
     *
     * @throws IllegalArgumentException if not positive, or above {@link #MAX_LEASE}
     */
    public LockRequest fixedLease(Duration lease) {
        return new LockRequest(
                name, waitNanos, Durations.lease(lease, MAX_LEASE), false, maxHoldNanos, reentrant, owner);
    }

    /**
     * Ends a renewed lease after this time at the latest, counted from the grant: it is then {@link LeaseState#LOST} and freed.
     *
     * @throws IllegalArgumentException if not positive
     */
    public LockRequest maxHold(Duration maxHold) {
        long nanos = Durations.nanos(maxHold);
        if (nanos <= 0) {
            throw new IllegalArgumentException("maxHold is " + maxHold + "; it must be positive");
        }
        return new LockRequest(name, waitNanos, lease, renewed, Math.min(nanos, NO_MAX_HOLD), reentrant, owner);
    }

    /**
     * Lets the calling thread acquire again what it holds, if the provider allows nesting: same token, same deadline, no server call, freed by
     * the last release. The outer request must have asked for it too.
     */
    public LockRequest reentrant() {
        return new LockRequest(name, waitNanos, lease, renewed, maxHoldNanos, true, null);
    }

    /** As {@link #reentrant()}, with an owner of your own in place of the calling thread; owners are compared by {@code equals}. */
    public LockRequest owner(Object owner) {
        return new LockRequest(
                name, waitNanos, lease, renewed, maxHoldNanos, true, Objects.requireNonNull(owner, "owner"));
    }

    /** The name of the lock. */
    public String name() {
        return name;
    }

    /** The length of the lease that is asked for; a backend may round it up, see {@link Lease#duration()}. */
    public Duration lease() {
        return lease;
    }

    /** Whether the lease is renewed in the background. */
    public boolean isRenewed() {
        return renewed;
    }

    long waitNanosOr(long fallback) {
        return waitNanos == WAIT_UNSET ? fallback : waitNanos;
    }

    long maxHoldNanos() {
        return maxHoldNanos;
    }

    @Nullable
    Object ownerNow() {
        if (!reentrant) {
            return null;
        }
        return owner == null ? Thread.currentThread() : owner;
    }

    @Override
    public String toString() {
        return "LockRequest[" + name + "]";
    }
}

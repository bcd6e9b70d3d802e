package dev.holdfast.lock;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/** One {@link Lease}'s share in an acquisition. It outlives the lease, so that a share whose lease became garbage can be given up. */
final class LeaseHandle extends PhantomReference<Lease> {
    private static final AtomicIntegerFieldUpdater<LeaseHandle> RELEASED =
            AtomicIntegerFieldUpdater.newUpdater(LeaseHandle.class, "released");

    private static final int YES = 1;
    private static final int IN_TIME = 2;

    private final Acquisition acquisition;
    private volatile int released;

    LeaseHandle(Lease lease, ReferenceQueue<Lease> garbage, Acquisition acquisition) {
        super(lease, garbage);
        this.acquisition = acquisition;
    }

    boolean isReleased() {
        return released != 0;
    }

    /** Notes that it was released while the acquisition was held by others' shares, so that a loss does not concern it. */
    void releasedInTime() {
        released = IN_TIME;
    }

    boolean wasReleasedInTime() {
        return released == IN_TIME;
    }

    ReleaseOutcome release() {
        return RELEASED.compareAndSet(this, 0, YES) ? acquisition.releaseShare(this) : ReleaseOutcome.NOT_HELD;
    }

    Acquisition acquisition() {
        return acquisition;
    }
}

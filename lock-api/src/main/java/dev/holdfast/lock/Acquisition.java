package dev.holdfast.lock;

import dev.holdfast.lock.internal.Durations;
import dev.holdfast.lock.internal.Ids;
import dev.holdfast.lock.spi.AcquireAttempt;
import dev.holdfast.lock.spi.Hold;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition from its first request to its end: the attempt as a driver sees it, then the state machine of the hold. There is one object for
 * both because an uncontended acquire should cost little.
 *
 * <p>ASKING → HELD → LOST | RELEASED. Only the change from HELD is contended, and it is one compare-and-set; whoever wins it does the clean-up.
 */
final class Acquisition implements AcquireAttempt {
    private enum Phase {
        ASKING,
        HELD,
        LOST,
        RELEASED
    }

    private static final AtomicReferenceFieldUpdater<Acquisition, Phase> PHASE =
            AtomicReferenceFieldUpdater.newUpdater(Acquisition.class, Phase.class, "phase");

    private final LockClient client;
    private final Duration lease;
    private final boolean mayQueue;
    private final long serial;
    private @Nullable String id;

    private volatile LockRequest request;
    private volatile @Nullable Object owner;
    private volatile int threadId;

    private volatile Phase phase = Phase.ASKING;
    private volatile @Nullable CompletableFuture<Void> renewing;
    private volatile long validUntil;
    private volatile long lastSent;
    private boolean unclear;
    private boolean arrived;
    private long maxHoldUntil;
    private @Nullable Hold hold;

    // Guarded by this; never held while anything blocks.
    private @Nullable CompletableFuture<LeaseLoss> lossSignal;
    private @Nullable Runnable onCancel;
    private boolean cancelled;
    private @Nullable LeaseHandle handle;
    private @Nullable List<LeaseHandle> nested;

    // Owned by the agenda.
    int agendaIndex = Agenda.ABSENT;
    long due;

    Acquisition(
            LockClient client,
            LockRequest request,
            Duration lease,
            boolean mayQueue,
            @Nullable Object owner,
            long serial) {
        this.client = client;
        this.request = request;
        this.lease = lease;
        this.mayQueue = mayQueue;
        this.owner = owner;
        this.serial = serial;
        this.threadId = thisThread();
    }

    /** Makes this the acquisition of another caller, who inherits its place in the server's queue. */
    void adopt(LockRequest request, @Nullable Object owner) {
        this.request = request;
        this.owner = owner;
        this.threadId = thisThread();
    }

    /** Another acquisition for the same caller. */
    Acquisition again(long serial) {
        return new Acquisition(client, request, lease, mayQueue, owner, serial);
    }

    LockRequest request() {
        return request;
    }

    /** Whether it was made before another one of this client. */
    boolean isBefore(Acquisition other) {
        return serial < other.serial;
    }

    // ---- the attempt

    @Override
    public String name() {
        return request.name();
    }

    @Override
    public String id() {
        String text = id;
        if (text == null) {
            // Racy, and right: every thread computes the same text.
            text = Ids.of(client.clientId(), serial);
            id = text;
        }
        return text;
    }

    @Override
    public Duration lease() {
        return lease;
    }

    @Override
    public boolean mayQueue() {
        return mayQueue;
    }

    @Override
    public void onCancel(Runnable action) {
        boolean now;
        synchronized (this) {
            onCancel = action;
            now = cancelled;
        }
        if (now) {
            action.run();
        }
    }

    void cancel() {
        Runnable action;
        synchronized (this) {
            cancelled = true;
            action = onCancel;
        }
        if (action != null) {
            action.run();
        }
    }

    @Override
    public void lost(LeaseLoss.Cause cause, String detail) {
        LeaseLoss seen = new LeaseLoss(cause, detail);
        synchronized (this) {
            if (phase == Phase.ASKING) {
                // It ended between the server's grant and our reading of it: begin() looks.
                lossSignal().complete(seen);
                return;
            }
        }
        lose(seen);
    }

    /** Notes that a request is about to be sent whose effect at the server lasts one lease. */
    void sent(long now) {
        lastSent = now;
    }

    /** Notes that a request has an unclear outcome; it was sent now at the latest. */
    void outcomeUnclear(long now) {
        unclear = true;
        lastSent = now;
    }

    /** Notes that a first request was answered. Guarded, as {@link #hasArrived}, by the local queue. */
    void arrived() {
        arrived = true;
    }

    boolean hasArrived() {
        return arrived;
    }

    boolean isUnclear() {
        return unclear;
    }

    /** Whether an earlier request of this acquisition may still arrive at the server. */
    boolean mayStillArrive(long now) {
        return unclear && now - serverEnd() < 0;
    }

    /** By when everything this acquisition ever sent has run out at a server that counts leases. */
    long serverEnd() {
        return lastSent + lease.toNanos();
    }

    // ---- the hold

    /** Notes a grant, and what is promised by it. Returns whether anything is left of that. */
    boolean promise(Hold granted, long confirmedAt, long now) {
        hold = granted;
        maxHoldUntil = now + request.maxHoldNanos();
        validUntil = promisedBy(confirmedAt);
        return validUntil - now > 0;
    }

    /** Begins the hold. What the backend told of its end since the grant counts from here. */
    void begin() {
        LeaseLoss early;
        synchronized (this) {
            phase = Phase.HELD;
            early = loss();
        }
        if (early != null) {
            lose(early);
        }
    }

    /** The one rule of drift: what a server counts as a lease is shortened by a hundredth and 2 ms before it is promised. */
    private long promisedBy(long confirmedAt) {
        long nanos = lease.toNanos();
        long until = confirmedAt + nanos - nanos / 100 - 2_000_000;
        return until - maxHoldUntil < 0 ? until : maxHoldUntil;
    }

    /** Prolongs the promise after a confirmed renewal; too late a confirmation changes nothing. */
    void confirm(long confirmedAt, long now) {
        if (!expire(now) && isRenewed()) {
            validUntil = promisedBy(confirmedAt);
        }
    }

    /** Ends the promise if it has run out. */
    private boolean expire(long now) {
        if (now - validUntil < 0) {
            return false;
        }
        lose(
                now - maxHoldUntil >= 0
                        ? new LeaseLoss(LeaseLoss.Cause.MAX_HOLD, "the maximum hold was reached")
                        : new LeaseLoss(
                                LeaseLoss.Cause.EXPIRED,
                                isRenewed()
                                        ? "no renewal was confirmed in time"
                                        : "the fixed lease of " + Durations.show(lease) + " has ended"));
        return true;
    }

    LeaseState state() {
        Phase now = phase;
        if (now == Phase.HELD && expire(client.time().nanoTime())) {
            now = phase;
        }
        return switch (now) {
            case HELD -> LeaseState.HELD;
            case RELEASED -> LeaseState.RELEASED;
            case ASKING, LOST -> LeaseState.LOST;
        };
    }

    /** Whether it has begun, and its end was not noticed yet. */
    boolean isOpen() {
        return phase == Phase.HELD;
    }

    /** Whether it was granted, however it has gone on since. */
    boolean hasBegun() {
        return phase != Phase.ASKING;
    }

    boolean isHeld() {
        return state() == LeaseState.HELD;
    }

    /** {@link #isHeld()} without ending a promise that has run out, for callers that hold a lock. */
    boolean promises() {
        return phase == Phase.HELD && client.time().nanoTime() - validUntil < 0;
    }

    /** Whether the calling thread acquired this, for the message of a self-deadlock. */
    boolean isOfThisThread() {
        return threadId == thisThread();
    }

    /** Enough of the thread's id for a message. */
    private static int thisThread() {
        return (int) Thread.currentThread().getId();
    }

    boolean isRenewed() {
        return request.isRenewed();
    }

    Duration remaining() {
        return Duration.ofNanos(Math.max(0, validUntil - client.time().nanoTime()));
    }

    long validUntil() {
        return validUntil;
    }

    Hold hold() {
        Hold held = hold;
        if (held == null) {
            throw new IllegalStateException("nothing was granted");
        }
        return held;
    }

    OptionalLong token() {
        return hold().token();
    }

    String tokenText() {
        OptionalLong token = token();
        return token.isPresent() ? "token " + token.getAsLong() : "no token";
    }

    /** Ends the hold as lost, if it is held. */
    boolean lose(LeaseLoss why) {
        if (!PHASE.compareAndSet(this, Phase.HELD, Phase.LOST)) {
            return false;
        }
        try {
            client.ended(this, why);
        } finally {
            lossSignal().complete(why);
        }
        return true;
    }

    private synchronized CompletableFuture<LeaseLoss> lossSignal() {
        CompletableFuture<LeaseLoss> signal = lossSignal;
        if (signal == null) {
            signal = new CompletableFuture<>();
            lossSignal = signal;
        }
        return signal;
    }

    private synchronized @Nullable LeaseLoss loss() {
        return lossSignal == null ? null : lossSignal.getNow(null);
    }

    String lossText() {
        LeaseLoss why = loss();
        return why == null ? "it was lost" : why.detail();
    }

    void onLost(LeaseHandle share, Consumer<? super LeaseLoss> listener) {
        var unused = lossSignal()
                .thenAcceptAsync(
                        why -> {
                            if (share.wasReleasedInTime()) {
                                return;
                            }
                            try {
                                listener.accept(why);
                            } catch (Throwable e) {
                                LockClient.LOG.log(
                                        System.Logger.Level.WARNING, "a listener of \"" + name() + "\" failed", e);
                            }
                        },
                        client.time()::execute);
    }

    // ---- shares and release

    /** The first share. */
    Lease newLease() {
        return new Lease(this);
    }

    synchronized LeaseHandle newHandle(Lease lease) {
        LeaseHandle added = new LeaseHandle(lease, client.garbage(), this);
        if (handle == null) {
            handle = added;
        } else {
            if (nested == null) {
                nested = new ArrayList<>(2);
            }
            nested.add(added);
        }
        return added;
    }

    /** Gives up one share; the last one releases. */
    ReleaseOutcome releaseShare(LeaseHandle share) {
        boolean last;
        synchronized (this) {
            if (share == handle) {
                handle = nested == null || nested.isEmpty() ? null : nested.remove(nested.size() - 1);
            } else if (nested != null) {
                nested.remove(share);
            }
            last = handle == null;
            if (!last && phase == Phase.HELD) {
                share.releasedInTime();
            }
        }
        if (last) {
            return release();
        }
        return isHeld() ? ReleaseOutcome.RELEASED : ReleaseOutcome.NOT_HELD;
    }

    /** Another share for the same owner, if it is held by that owner. */
    @Nullable
    Lease nest(Object by) {
        synchronized (this) {
            // The share is added in the same step: a release of the last one would come between.
            return handle != null && by.equals(owner) && promises() ? new Lease(this) : null;
        }
    }

    /** Ends the hold as released, if it is held, and frees it at the server. */
    ReleaseOutcome release() {
        return endAsReleased() ? client.release(this) : ReleaseOutcome.NOT_HELD;
    }

    /** Ends the hold as released, if it is held; the caller then frees it at the server. */
    boolean endAsReleased() {
        return isHeld() && PHASE.compareAndSet(this, Phase.HELD, Phase.RELEASED);
    }

    // ---- renewal

    /** Marks that a renewal is on its way, unless the hold has ended or one is already. */
    boolean beginRenewal() {
        synchronized (this) {
            if (renewing != null || phase != Phase.HELD) {
                return false;
            }
            renewing = new CompletableFuture<>();
        }
        if (phase == Phase.HELD) {
            return true;
        }
        endRenewal();
        return false;
    }

    void endRenewal() {
        CompletableFuture<Void> done = renewing;
        renewing = null;
        if (done != null) {
            done.complete(null);
        }
    }

    /** What completes when no renewal is on its way any more; null if none is. */
    @Nullable
    CompletableFuture<Void> renewalInFlight() {
        return renewing;
    }

    @Override
    public String toString() {
        return "\"" + name() + "\" (" + id() + ")";
    }
}

package dev.holdfast.lock;

import dev.holdfast.lock.LocalQueue.Entry;
import dev.holdfast.lock.LocalQueue.Gate;
import dev.holdfast.lock.LocalQueue.Inheritance;
import dev.holdfast.lock.LocalQueue.Nested;
import dev.holdfast.lock.LocalQueue.Refused;
import dev.holdfast.lock.LocalQueue.Signal;
import dev.holdfast.lock.LocalQueue.Waiter;
import dev.holdfast.lock.internal.Durations;
import dev.holdfast.lock.spi.AcquireResult;
import dev.holdfast.lock.spi.AcquireResult.Place;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.LockBackend;
import dev.holdfast.lock.spi.ReleaseSignals;
import dev.holdfast.lock.spi.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * How a name is acquired: a turn in the local queue, attempts at the server until granted or the wait is over, and nothing left behind otherwise.
 * What an attempt needs to know of its caller is in its {@link Acquisition}, so that an uncontended acquire makes no other object.
 */
final class Acquirer {
    /** A request sent just before the end of a wait is given this long, so that tiny limits do not turn every answer into an unclear one. */
    private static final long GRACE = Duration.ofMillis(40).toNanos();

    private static final long FIRST_BACKOFF = Duration.ofMillis(25).toNanos();
    private static final int BACKOFF_DOUBLINGS = 4;
    /** How often a waiter asks while release signals cannot be had. */
    private static final long POLL = Duration.ofMillis(100).toNanos();

    private final LockClient client;
    private final LockBackend backend;
    private final TimeSource time;
    private final long operationTimeout;
    private final boolean nests;
    private final LocalQueue queue;
    private final Keeper keeper;
    private final Janitor janitor;
    private final AtomicLong serial = new AtomicLong();
    private final ConcurrentHashMap<Integer, AtomicLong> highestTokens = new ConcurrentHashMap<>();

    Acquirer(
            LockClient client,
            LockBackend backend,
            long operationTimeout,
            boolean nests,
            LocalQueue queue,
            Keeper keeper,
            Janitor janitor) {
        this.client = client;
        this.backend = backend;
        this.time = client.time();
        this.operationTimeout = operationTimeout;
        this.nests = nests;
        this.queue = queue;
        this.keeper = keeper;
        this.janitor = janitor;
    }

    /** Acquires within a wait; null if the name was held by others until its end. */
    @Nullable
    Lease obtain(LockRequest request, long wait) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        long deadline = time.nanoTime() + wait;
        Duration lease = backend.effectiveLease(request.lease(), request.isRenewed());
        Object owner = nests ? request.ownerNow() : null;
        Acquisition a = new Acquisition(client, request, lease, wait > 0, owner, serial.incrementAndGet());
        Entry entry = queue.enter(a, owner, wait > 0);
        if (entry instanceof Gate gate) {
            return contend(gate, a, null, deadline);
        }
        if (entry instanceof Waiter waiter) {
            return waitForTurn(request, owner, waiter, deadline);
        }
        if (entry instanceof Nested nested) {
            return nested.lease();
        }
        if (entry == Refused.CLOSED) {
            throw client.closed();
        }
        return null;
    }

    private @Nullable Lease waitForTurn(LockRequest request, @Nullable Object owner, Waiter waiter, long deadline)
            throws InterruptedException {
        boolean signalled;
        boolean inTime = true;
        try {
            signalled = time.await(waiter.signal, deadline);
            if (!signalled && !queue.isKnown(waiter.gate)) {
                // The first request for the name is under way, and gets its grace.
                inTime = false;
                signalled = time.await(waiter.signal, deadline + GRACE);
            }
        } catch (InterruptedException e) {
            if (!queue.giveUp(waiter) && waiter.signal.join() == Signal.TURN) {
                decline(waiter, deadline);
            }
            throw e;
        }
        if (!signalled && queue.giveUp(waiter)) {
            return verdict(request, queue.knownBusy(waiter.gate), queue.lastFailure(waiter.gate));
        }
        if (waiter.signal.join() == Signal.CLOSED) {
            throw client.closed();
        }
        if (!inTime) {
            decline(waiter, deadline);
            return verdict(request, queue.knownBusy(waiter.gate), queue.lastFailure(waiter.gate));
        }
        Inheritance inherited = waiter.inheritance();
        if (inherited == null) {
            return contend(waiter.gate, waiter.acquisition, null, deadline);
        }
        inherited.acquisition().adopt(request, owner);
        return contend(waiter.gate, inherited.acquisition(), inherited, deadline);
    }

    /** Gives a turn back unused. */
    private void decline(Waiter waiter, long deadline) {
        Inheritance inherited = waiter.inheritance();
        if (inherited == null) {
            queue.leave(waiter.gate, waiter.acquisition);
        } else {
            giveUp(waiter.gate, inherited.acquisition(), inherited.place(), inherited.tokenFloor(), deadline);
        }
    }

    /** Makes attempts until one is granted or the wait is over. Whatever happens, the turn is given back or has become the holder's. */
    private @Nullable Lease contend(Gate gate, Acquisition first, @Nullable Inheritance inherited, long deadline)
            throws InterruptedException {
        Acquisition a = first;
        Place place = inherited == null ? null : inherited.place();
        long tokenFloor = 0;
        BackendException failure = null;
        int failures = 0;
        boolean asked = false;
        boolean holding = false;
        try {
            tokenFloor = inherited == null ? 0 : inherited.tokenFloor();
            while (true) {
                if (queue.isClosed()) {
                    throw client.closed();
                }
                if (asked && place == null && time.nanoTime() - deadline >= GRACE) {
                    return verdict(a.request(), failure == null, failure);
                }
                if (place == null && !a.isUnclear()) {
                    tokenFloor = highest(a.name()).get();
                }
                int signals = gate.signals();
                AcquireResult result = null;
                try {
                    result = place != null ? place.await(deadline) : attempt(a, deadline, asked);
                    place = result instanceof AcquireResult.Queued queued ? queued.place() : null;
                    failure = null;
                    failures = 0;
                } catch (BackendException e) {
                    if (place != null || e.kind() == BackendException.Kind.UNCLEAR) {
                        a.outcomeUnclear(time.nanoTime());
                    }
                    place = null;
                    if (e.kind() == BackendException.Kind.REFUSED) {
                        throw LockClient.failure("\"" + a.name() + "\" was refused", e);
                    }
                    failure = e;
                    failures++;
                } catch (InterruptedException e) {
                    // In a place, too: its grant may have been asked for just now.
                    a.outcomeUnclear(time.nanoTime());
                    throw e;
                } catch (Throwable e) {
                    a.outcomeUnclear(time.nanoTime());
                    place = null;
                    throw e;
                }
                asked = true;
                if (result instanceof AcquireResult.Granted granted) {
                    a.sent(granted.confirmedAt());
                    if (a.promise(granted.hold(), granted.confirmedAt(), time.nanoTime())) {
                        Lease lease = hold(gate, a, granted, tokenFloor);
                        holding = true;
                        requireStillWanted(lease);
                        return lease;
                    }
                    janitor.release(a);
                    Acquisition again = a.again(serial.incrementAndGet());
                    queue.replace(gate, a, again);
                    a = again;
                    failures++;
                    failure = new BackendException(
                            BackendException.Kind.UNAVAILABLE,
                            "the grant took longer than its lease of " + Durations.show(a.lease()) + " allows",
                            null);
                }
                queue.answered(gate, a, failure);
                if (!queue.isClosed() && (!a.mayQueue() || time.nanoTime() - deadline >= 0)) {
                    return verdict(a.request(), failure == null, failure);
                }
                if (place == null) {
                    pause(gate, a.name(), signals, deadline, result, failures);
                }
            }
        } finally {
            if (!holding) {
                giveUp(gate, a, place, tokenFloor, deadline);
            }
        }
    }

    /** The client may have been closed, or the guarantees have been lowered, since the caller came in. */
    private void requireStillWanted(Lease lease) {
        boolean wanted = false;
        try {
            if (queue.isClosed()) {
                throw client.closed();
            }
            client.requireGuarantees();
            wanted = true;
        } finally {
            if (!wanted) {
                lease.close();
            }
        }
    }

    private AcquireResult attempt(Acquisition a, long deadline, boolean again)
            throws BackendException, InterruptedException {
        long now = time.nanoTime();
        a.sent(now);
        long most = operationTimeout;
        if (a.mayQueue()) {
            // The grace is for one request: what began late already has what is left of it.
            long left = deadline - now;
            most = Math.min(most, again ? left + GRACE : Math.max(left, 0) + GRACE);
        }
        return backend.acquire(a, now + most);
    }

    /** Waits until it is worth while to ask again. */
    private void pause(Gate gate, String name, int signals, long deadline, @Nullable AcquireResult result, int failures)
            throws InterruptedException {
        long now = time.nanoTime();
        int seen = signals;
        long pause;
        if (result instanceof AcquireResult.Busy busy) {
            pause = busy.retryAfter().toNanos();
            if (backend instanceof ReleaseSignals source && queue.mustSubscribe(gate)) {
                if (subscribe(source, gate, name, now + Math.min(operationTimeout, deadline - now))) {
                    // A release may have come between the answer and the subscription: ask once more.
                    return;
                }
                pause = Math.min(pause, POLL);
                // The end of the attempt to subscribe was signalled to all, and is not a reason for this one to ask at
                // once.
                seen = gate.signals();
            }
        } else {
            long backoff = FIRST_BACKOFF << Math.min(failures - 1, BACKOFF_DOUBLINGS);
            pause = backoff + ThreadLocalRandom.current().nextLong(backoff / 2);
        }
        CompletableFuture<Void> wake = queue.wakeAfter(gate, seen);
        // Closing signals the names it finds contended; one that becomes so later sees that the client is closed.
        if (wake != null && !queue.isClosed()) {
            boolean unused = time.await(wake, now + Math.min(pause, deadline - now));
        }
    }

    private boolean subscribe(ReleaseSignals source, Gate gate, String name, long deadline)
            throws InterruptedException {
        ReleaseSignals.Subscription subscription = null;
        try {
            subscription = source.subscribe(name, () -> queue.signal(gate), deadline);
        } catch (BackendException e) {
            LockClient.LOG.log(System.Logger.Level.DEBUG, () -> "no release signals for \"" + name + "\": polling", e);
        } finally {
            queue.subscribed(gate, subscription);
        }
        return subscription != null;
    }

    /** Makes a lease of a grant. */
    private Lease hold(Gate gate, Acquisition a, AcquireResult.Granted granted, long tokenFloor) {
        try {
            admit(a, granted.hold().token(), tokenFloor);
        } catch (RuntimeException | Error e) {
            janitor.release(a);
            throw e;
        }
        Lease lease = a.newLease();
        Acquisition before = queue.granted(gate, a);
        a.begin();
        if (before != null) {
            before.lose(new LeaseLoss(
                    LeaseLoss.Cause.REVOKED, "the server granted the name again, to another caller of this client"));
        }
        keeper.keep(a, granted.confirmedAt());
        return lease;
    }

    /** The safety net for a server that lost data: where tokens rise, a grant has a larger one than all that were received before it was asked for. */
    private void admit(Acquisition a, OptionalLong token, long tokenFloor) {
        if (token.isEmpty()) {
            return;
        }
        Fencing fencing = backend.observed().effective().fencing();
        if (token.getAsLong() <= tokenFloor && fencing.compareTo(Fencing.ORDERED) >= 0) {
            throw lostData(a.name(), token.getAsLong(), tokenFloor, fencing == Fencing.DURABLE);
        }
        highest(a.name()).accumulateAndGet(token.getAsLong(), Math::max);
    }

    /** Where tokens are said to be durable this stays an error; elsewhere it is told once, and their new series is taken. */
    private LockRefusedException lostData(String name, long token, long seen, boolean durable) {
        if (!durable) {
            highest(name).set(token);
        }
        return new LockRefusedException(
                "\"%s\" was granted with token %d, and this client has seen %d before: the server lost data. Nothing is held. %s"
                        .formatted(
                                name,
                                token,
                                seen,
                                durable
                                        ? "Make sure that no resource remembers larger tokens (or raise the server's counter), then open a new client"
                                        : "Resources that remember larger tokens will refuse those of its new series; this client takes them from now on"),
                null);
    }

    /** Passes a place in the server's queue on to the next waiter; or leaves nothing of the attempt, and gives the turn back. */
    private void giveUp(Gate gate, Acquisition a, @Nullable Place place, long tokenFloor, long deadline) {
        if (place != null && queue.passOn(gate, new Inheritance(a, place, tokenFloor))) {
            return;
        }
        boolean clean = place == null || left(a, place, deadline);
        if (!clean || a.isUnclear()) {
            janitor.abandon(a);
        }
        queue.leave(gate, a);
    }

    private boolean left(Acquisition a, Place place, long deadline) {
        long now = time.nanoTime();
        long most = Math.min(operationTimeout, Math.min(GRACE, deadline - now + GRACE));
        if (most <= 0) {
            return false;
        }
        boolean interrupted = Thread.interrupted();
        try {
            place.leave(now + most);
            return true;
        } catch (BackendException | RuntimeException | Error e) {
            LockClient.LOG.log(System.Logger.Level.DEBUG, () -> "leaving the queue of " + a + " is repeated", e);
            return false;
        } catch (InterruptedException e) {
            interrupted = true;
            return false;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Busy (null), or unavailable: never the one for the other. */
    private @Nullable Lease verdict(LockRequest request, boolean busy, @Nullable BackendException failure) {
        if (failure != null) {
            throw LockClient.failure("\"" + request.name() + "\" could not be acquired", failure);
        }
        if (!busy) {
            throw new LockUnavailableException(
                    "\"" + request.name() + "\" could not be acquired: no answer from " + client + " within the wait",
                    null,
                    Map.of());
        }
        return null;
    }

    private AtomicLong highest(String name) {
        Integer series = backend.tokenSeries(name);
        AtomicLong highest = highestTokens.get(series);
        return highest != null ? highest : highestTokens.computeIfAbsent(series, s -> new AtomicLong());
    }
}

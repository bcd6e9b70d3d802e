package dev.holdfast.lock;

import dev.holdfast.lock.spi.AcquireResult.Place;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.ReleaseSignals.Subscription;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Who of this client may contend for a name at the server, and who waits for a turn, in order of call. A turn lasts from the first request to the
 * end of the hold. Names without contenders, holders or waiters cost no memory.
 */
final class LocalQueue {
    /** What a waiter was told. */
    enum Signal {
        TURN,
        CLOSED
    }

    /** A name in use. Guarded by the queue's lock; small, because an uncontended acquire makes one. */
    static final class Gate implements Entry {
        private int turns;
        /** The holder, or else the first contender. */
        private @Nullable Acquisition current;

        private volatile @Nullable Crowd crowd;

        private Crowd crowd() {
            Crowd made = crowd;
            if (made == null) {
                made = new Crowd();
                crowd = made;
            }
            return made;
        }

        private boolean isHeld() {
            return current != null && current.promises();
        }

        /** Whether the last that is known here is a grant. */
        private boolean wasGranted() {
            return current != null && current.hasBegun();
        }

        /**
         * Whether a waiter may have a turn: one is left, and nobody's first request is under way, whom it could overtake. Attempts that may not wait
         * do not count until they are granted; one after another, they would keep waiters out for ever.
         */
        private boolean isOpen(int turnsPerName) {
            int counted = 0;
            if (current != null) {
                if (isArriving(current)) {
                    return false;
                }
                counted = counts(current);
            }
            Crowd now = crowd;
            if (now != null) {
                for (Acquisition a : now.contenders) {
                    if (isArriving(a)) {
                        return false;
                    }
                    counted += counts(a);
                }
            }
            return counted < turnsPerName;
        }

        private static boolean isArriving(Acquisition a) {
            return a.mayQueue() && !a.hasArrived();
        }

        private static int counts(Acquisition a) {
            return a.mayQueue() || a.hasArrived() ? 1 : 0;
        }

        private void add(Acquisition a) {
            turns++;
            if (current == null) {
                current = a;
            } else {
                crowd().contenders.add(a);
            }
        }

        private void remove(Acquisition a) {
            if (current == a) {
                current = null;
            } else {
                crowd().contenders.remove(a);
            }
        }

        private boolean hasWaiters() {
            Crowd now = crowd;
            return now != null && !now.waiters.isEmpty();
        }

        /** How many release signals there were; taken before an attempt, so that none is missed. */
        int signals() {
            Crowd now = crowd;
            return now == null ? 0 : now.signals;
        }
    }

    /** What only a contended name has. Guarded by the queue's lock; its signals by its own monitor. */
    private static final class Crowd {
        final Deque<Waiter> waiters = new ArrayDeque<>(4);
        final List<Acquisition> contenders = new ArrayList<>(2);

        @Nullable
        Subscription subscription;

        boolean subscribing;
        boolean answered;

        @Nullable
        BackendException failure;

        private @Nullable CompletableFuture<Void> wake;
        volatile int signals;

        void answered(@Nullable BackendException failure) {
            answered = true;
            this.failure = failure;
        }

        /** What completes at the next signal, or null if there was one since the given number was taken. */
        synchronized @Nullable CompletableFuture<Void> wakeAfter(int seen) {
            if (signals != seen) {
                return null;
            }
            if (wake == null) {
                wake = new CompletableFuture<>();
            }
            return wake;
        }

        void signal() {
            CompletableFuture<Void> waiting;
            synchronized (this) {
                signals = signals + 1;
                waiting = wake;
                wake = null;
            }
            if (waiting != null) {
                waiting.complete(null);
            }
        }
    }

    /** A caller in the local queue. */
    static final class Waiter implements Entry {
        final Gate gate;
        final Acquisition acquisition;
        final CompletableFuture<Signal> signal = new CompletableFuture<>();
        private @Nullable Inheritance inheritance;

        Waiter(Gate gate, Acquisition acquisition) {
            this.gate = gate;
            this.acquisition = acquisition;
        }

        /** A place in the server's queue that came with the turn. */
        @Nullable
        Inheritance inheritance() {
            return inheritance;
        }
    }

    /**
     * A place in a server's queue whose waiter gave up.
     *
     * @param tokenFloor the largest token this client had received when the place was asked for
     */
    record Inheritance(Acquisition acquisition, Place place, long tokenFloor) {}

    /** What became of a caller that came in: a {@link Gate} is its turn there, a {@link Waiter} its place here. */
    sealed interface Entry {}

    /** It holds already, by nesting. */
    record Nested(Lease lease) implements Entry {}

    /** It may not wait, and the name is held here; or the client is closed. */
    enum Refused implements Entry {
        BUSY,
        CLOSED
    }

    private final int turnsPerName;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Gate> gates = new HashMap<>();
    private final CompletableFuture<Void> emptied = new CompletableFuture<>();
    private volatile boolean closed;

    LocalQueue(int turnsPerName) {
        this.turnsPerName = turnsPerName;
    }

    /**
     * Comes in. A caller that may not wait gets a turn even if others are waiting: one attempt is always made, and whether it overtakes them is for
     * the server to say.
     */
    Entry enter(Acquisition a, @Nullable Object owner, boolean mayWait) {
        lock.lock();
        try {
            if (closed) {
                return Refused.CLOSED;
            }
            Gate gate = gates.get(a.name());
            if (gate == null) {
                gate = new Gate();
                gates.put(a.name(), gate);
            }
            Acquisition holder = gate.current;
            if (holder != null && owner != null) {
                Lease nested = holder.nest(owner);
                if (nested != null) {
                    return new Nested(nested);
                }
            }
            if (!mayWait) {
                if (gate.isHeld()) {
                    return Refused.BUSY;
                }
            } else if (gate.hasWaiters() || !gate.isOpen(turnsPerName)) {
                Waiter waiter = new Waiter(gate, a);
                // Only a grant is an answer that leaves no crowd.
                boolean granted = gate.wasGranted() || (gate.crowd == null && holder != null && holder.hasArrived());
                gate.crowd().waiters.add(waiter);
                if (granted) {
                    gate.crowd().answered(null);
                }
                return waiter;
            }
            gate.add(a);
            return gate;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stops waiting.
     *
     * @return false if the turn (or the end of the client) came first
     */
    boolean giveUp(Waiter waiter) {
        lock.lock();
        try {
            return waiter.gate.crowd().waiters.remove(waiter);
        } finally {
            lock.unlock();
        }
    }

    /** Goes on with another acquisition in the same turn. */
    void replace(Gate gate, Acquisition a, Acquisition by) {
        lock.lock();
        try {
            gate.remove(a);
            gate.turns--;
            gate.add(by);
        } finally {
            lock.unlock();
        }
    }

    /** The server has answered, if only by a failure: the next may go. */
    void answered(Gate gate, Acquisition a, @Nullable BackendException failure) {
        Waiter next;
        lock.lock();
        try {
            a.arrived();
            gate.crowd().answered(failure);
            next = admit(gate);
        } finally {
            lock.unlock();
        }
        tell(next);
    }

    /**
     * Makes a grant known.
     *
     * @return the hold that it replaces, if the server granted the name again while this client still believed it held it
     */
    @Nullable
    Acquisition granted(Gate gate, Acquisition a) {
        Acquisition before;
        Waiter next;
        lock.lock();
        try {
            a.arrived();
            Crowd crowd = gate.crowd;
            if (crowd != null) {
                crowd.answered(null);
            }
            before = gate.current;
            if (before != a) {
                gate.remove(a);
                gate.current = a;
                if (before != null && !before.promises()) {
                    gate.crowd().contenders.add(before);
                    before = null;
                }
            } else {
                before = null;
            }
            next = admit(gate);
        } finally {
            lock.unlock();
        }
        tell(next);
        return before;
    }

    /** Gives a turn back: the hold of this acquisition has ended, or its attempt has. */
    void leave(Gate gate, Acquisition a) {
        Subscription unused = null;
        boolean done = false;
        Waiter next;
        lock.lock();
        try {
            gate.remove(a);
            gate.turns--;
            next = admit(gate);
            if (gate.turns == 0) {
                gates.remove(a.name());
                done = closed && gates.isEmpty();
                Crowd crowd = gate.crowd;
                if (crowd != null) {
                    unused = crowd.subscription;
                    crowd.subscription = null;
                }
            }
        } finally {
            lock.unlock();
        }
        tell(next);
        if (unused != null) {
            harmless(unused::close);
        }
        if (done) {
            emptied.complete(null);
        }
    }

    /** Takes the next waiter if there is a turn for it. Called with the lock held; {@link #tell} follows without it. */
    private @Nullable Waiter admit(Gate gate) {
        if (!gate.hasWaiters() || !gate.isOpen(turnsPerName)) {
            return null;
        }
        Waiter next = gate.crowd().waiters.remove();
        gate.add(next.acquisition);
        return next;
    }

    private static void tell(@Nullable Waiter next) {
        if (next != null) {
            next.signal.complete(Signal.TURN);
        }
    }

    /** As {@link #leave}, for the holder of a name. */
    void leave(Acquisition a) {
        Gate gate;
        lock.lock();
        try {
            gate = gates.get(a.name());
        } finally {
            lock.unlock();
        }
        if (gate != null) {
            leave(gate, a);
        }
    }

    /**
     * Passes a place in the server's queue, and the turn, on to the next waiter, if that asks for the same lease and overtakes no contender by it.
     * Returns false otherwise.
     */
    boolean passOn(Gate gate, Inheritance inheritance) {
        Waiter heir = null;
        lock.lock();
        try {
            Acquisition a = inheritance.acquisition();
            if (gate.hasWaiters()
                    && gate.crowd().waiters.element().acquisition.lease().equals(a.lease())
                    && gate.crowd().contenders.stream().noneMatch(a::isBefore)
                    && (gate.current == null || gate.current.hasBegun() || !a.isBefore(gate.current))) {
                heir = gate.crowd().waiters.remove();
                heir.inheritance = inheritance;
            }
        } finally {
            lock.unlock();
        }
        return heir != null && heir.signal.complete(Signal.TURN);
    }

    // ---- what is known about a name, for the verdict of those who only waited here

    /** Whether anything is known about the name. */
    boolean isKnown(Gate gate) {
        lock.lock();
        try {
            return gate.wasGranted() || gate.crowd().answered;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the name is known to be held by somebody, here or elsewhere. */
    boolean knownBusy(Gate gate) {
        lock.lock();
        try {
            return gate.wasGranted() || (gate.crowd().answered && gate.crowd().failure == null);
        } finally {
            lock.unlock();
        }
    }

    @Nullable
    BackendException lastFailure(Gate gate) {
        lock.lock();
        try {
            return gate.wasGranted() ? null : gate.crowd().failure;
        } finally {
            lock.unlock();
        }
    }

    /** Whether this very thread holds the name, for the message of a self-deadlock. */
    boolean heldByThisThread(String name) {
        lock.lock();
        try {
            Gate gate = gates.get(name);
            Acquisition holder = gate == null ? null : gate.current;
            return holder != null && holder.promises() && holder.isOfThisThread();
        } finally {
            lock.unlock();
        }
    }

    // ---- release signals: at most one subscription for each name

    /** What completes at the next signal, or null if there was one since the given number was taken. */
    @Nullable
    CompletableFuture<Void> wakeAfter(Gate gate, int signals) {
        return crowd(gate).wakeAfter(signals);
    }

    void signal(Gate gate) {
        crowd(gate).signal();
    }

    private Crowd crowd(Gate gate) {
        lock.lock();
        try {
            return gate.crowd();
        } finally {
            lock.unlock();
        }
    }

    /** Whether the caller is to subscribe; then {@link #subscribed} must follow. */
    boolean mustSubscribe(Gate gate) {
        lock.lock();
        try {
            Crowd crowd = gate.crowd();
            if (crowd.subscription != null || crowd.subscribing || closed) {
                return false;
            }
            crowd.subscribing = true;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Ends what {@link #mustSubscribe} began; null if it failed. */
    void subscribed(Gate gate, @Nullable Subscription subscription) {
        boolean keep;
        Crowd crowd;
        lock.lock();
        try {
            crowd = gate.crowd();
            crowd.subscribing = false;
            keep = !closed;
            if (keep) {
                crowd.subscription = subscription;
            }
        } finally {
            lock.unlock();
        }
        if (!keep && subscription != null) {
            harmless(subscription::close);
        }
        // Another contender may have begun to wait meanwhile, and missed a release; or has to see to its signals
        // itself.
        crowd.signal();
    }

    // ---- all names

    /** All holds that have begun and whose end was not noticed yet. */
    List<Acquisition> holders() {
        lock.lock();
        try {
            List<Acquisition> all = new ArrayList<>();
            for (Gate gate : gates.values()) {
                if (gate.current != null) {
                    all.add(gate.current);
                }
                if (gate.crowd != null) {
                    all.addAll(gate.crowd.contenders);
                }
            }
            all.removeIf(a -> !a.isOpen());
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** Lets nobody in any more, and ends all waiting. Returns what completes when all turns are given back; null if it was closed already. */
    @Nullable
    CompletableFuture<Void> close() {
        List<Waiter> waiters = new ArrayList<>();
        List<Acquisition> contenders = new ArrayList<>();
        List<Subscription> subscriptions = new ArrayList<>();
        List<Crowd> crowds = new ArrayList<>();
        lock.lock();
        try {
            if (closed) {
                return null;
            }
            closed = true;
            if (gates.isEmpty()) {
                emptied.complete(null);
            }
            for (Gate gate : gates.values()) {
                if (gate.current != null) {
                    contenders.add(gate.current);
                }
                Crowd crowd = gate.crowd;
                if (crowd != null) {
                    crowds.add(crowd);
                    waiters.addAll(crowd.waiters);
                    crowd.waiters.clear();
                    contenders.addAll(crowd.contenders);
                    if (crowd.subscription != null) {
                        subscriptions.add(crowd.subscription);
                        crowd.subscription = null;
                    }
                }
            }
        } finally {
            lock.unlock();
        }
        waiters.forEach(w -> w.signal.complete(Signal.CLOSED));
        contenders.forEach(a -> harmless(a::cancel));
        crowds.forEach(Crowd::signal);
        subscriptions.forEach(s -> harmless(s::close));
        return emptied;
    }

    /** Runs what a driver has supplied. What it throws by mistake is logged and keeps nothing else from being done. */
    private static void harmless(Runnable supplied) {
        try {
            supplied.run();
        } catch (RuntimeException | Error e) {
            LockClient.LOG.log(System.Logger.Level.WARNING, "the driver failed to cancel or unsubscribe", e);
        }
    }

    boolean isClosed() {
        return closed;
    }
}

package dev.holdfast.lock.memory;

import dev.holdfast.lock.ReleaseOutcome;
import dev.holdfast.lock.internal.SystemTime;
import dev.holdfast.lock.spi.AcquireAttempt;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The "server" of the memory backend: locks with leases, a token counter, queues, and faults that a test can inject. Clients reach it over a
 * {@link Link} each. Faults of the server are methods here, faults between one client and the server are methods of its link.
 */
public final class MemoryServer {
    private static final ConcurrentMap<String, MemoryServer> NAMED = new ConcurrentHashMap<>();

    private final TimeSource time;
    private final boolean durable;
    private final ReentrantLock lock = new ReentrantLock();
    private final ConcurrentMap<String, Space> spaces = new ConcurrentHashMap<>();
    /** The links on which requests wait. */
    private final Set<Link> links = ConcurrentHashMap.newKeySet();

    private volatile boolean down;
    private volatile boolean paused;
    private volatile Hook hook = Hook.NONE;

    private MemoryServer(TimeSource time, boolean durable) {
        this.time = time;
        this.durable = durable;
    }

    /** A server on the machine's monotonic clock that loses everything when killed, as memory does. */
    public static MemoryServer create() {
        return create(new SystemTime());
    }

    /** A server on a clock of your own that loses everything when killed, as memory does. */
    public static MemoryServer create(TimeSource time) {
        return new MemoryServer(time, false);
    }

    /** A server that keeps everything when killed, as one with a synced disk does: the kit's reference. */
    public static MemoryServer durable(TimeSource time) {
        return new MemoryServer(time, true);
    }

    /** The server of this name that all clients in this process share; on the machine's monotonic clock. */
    static MemoryServer named(String name) {
        return NAMED.computeIfAbsent(name, n -> create());
    }

    /** A new client's way to this server. */
    public Link link() {
        return new Link();
    }

    boolean isDurable() {
        return durable;
    }

    // ---- faults of the server

    /** Kills the server: requests are refused, and what is not durable is gone. */
    public void kill() {
        locked(() -> {
            down = true;
            spaces.values().forEach(Space::dropQueues);
            if (!durable) {
                spaces.values().forEach(Space::forget);
            }
        });
    }

    /** Starts the server again after {@link #kill()}. */
    public void start() {
        down = false;
        wakeAll();
    }

    /** Loses all data, the token counters included, as a server does that comes back with an empty disk. */
    public void wipe() {
        locked(() -> {
            spaces.values().forEach(Space::dropQueues);
            spaces.values().forEach(Space::forget);
        });
        wakeAll();
    }

    /** Stops answering; requests wait, and are carried out after {@link #resume()}, also those whose callers gave up. */
    public void pause() {
        paused = true;
    }

    /** Ends {@link #pause()}. */
    public void resume() {
        paused = false;
        links.forEach(Link::deliver);
        wakeAll();
    }

    /** Takes a lock away from its holder, as an administrator would. Returns whether it was held. */
    public boolean revoke(String namespace, String name) {
        return space(namespace).free(name, null) == ReleaseOutcome.RELEASED;
    }

    /** Sets the counter of a name space, so that the next token is one larger. */
    public void setLastToken(String namespace, long token) {
        locked(() -> space(namespace).lastToken = token);
    }

    /** Whether a name is held, by anybody. */
    public boolean isHeld(String namespace, String name) {
        return space(namespace).remaining(name) > 0;
    }

    /** How many names have anything stored: a lock, a queue, a listener. */
    public int size() {
        lock.lock();
        try {
            return spaces.values().stream().mapToInt(Space::size).sum();
        } finally {
            lock.unlock();
        }
    }

    Space space(String namespace) {
        return spaces.computeIfAbsent(namespace, n -> new Space());
    }

    private void wakeAll() {
        List<Runnable> all = new ArrayList<>();
        locked(() -> spaces.values().forEach(s -> s.listeners.values().forEach(all::addAll)));
        all.forEach(Runnable::run);
    }

    /** Runs a hook before and after each request is carried out, in the requesting thread and outside any lock: it may wait. */
    public void setHook(Hook hook) {
        this.hook = hook;
    }

    /** What can be looked at, or held up, between the steps of a request. */
    @FunctionalInterface
    public interface Hook {
        /** Does nothing. */
        Hook NONE = (step, operation, name) -> {};

        /**
         * A step of a request.
         *
         * @param operation acquire, renew, check, release or subscribe
         */
        void at(Step step, String operation, String name);
    }

    /** The steps of a request. */
    public enum Step {
        /** It has arrived. */
        BEFORE,
        /** It was carried out, and its answer is not sent yet. */
        AFTER
    }

    // ---- requests; each is one atomic step

    /** The locks of one name space, with a token counter of their own. */
    final class Space {
        private final Map<String, MemoryHold> holds = new HashMap<>();
        private final Map<String, Deque<Ticket>> queues = new HashMap<>();
        private final Map<String, List<Runnable>> listeners = new HashMap<>();
        private long lastToken;

        /**
         * Grants (a MemoryHold), queues (a Ticket) or refuses (null). An attempt that finds its own mark is granted with the same token.
         *
         * @param owner the mark, compared by identity: client and server are in one process
         */
        @Nullable
        Object acquire(MemoryBackend backend, String name, AcquireAttempt owner, long lease, boolean queue) {
            lock.lock();
            try {
                MemoryHold held = live(name);
                Deque<Ticket> waiting = queues.get(name);
                if (held == null && waiting != null) {
                    // It ran out just now: its timer is about to do the same.
                    serveNext(name);
                    held = live(name);
                    waiting = queues.get(name);
                }
                if (held != null && held.isOf(owner)) {
                    held.extend(time.nanoTime() + lease);
                    return held;
                }
                if (held == null) {
                    return grant(backend, name, owner, lease);
                }
                if (!queue) {
                    return null;
                }
                if (waiting == null) {
                    waiting = new ArrayDeque<>();
                    queues.put(name, waiting);
                }
                for (Ticket ticket : waiting) {
                    if (ticket.owner == owner) {
                        return ticket;
                    }
                }
                Ticket ticket = new Ticket(backend, name, owner, lease);
                waiting.add(ticket);
                if (held != null) {
                    watch(held);
                }
                return ticket;
            } finally {
                lock.unlock();
            }
        }

        /** What is left of a lease on a name, in nanoseconds; zero if it is free. */
        long remaining(String name) {
            lock.lock();
            try {
                MemoryHold held = live(name);
                return held == null ? 0 : held.expires() - time.nanoTime();
            } finally {
                lock.unlock();
            }
        }

        boolean renew(String name, AcquireAttempt owner, long lease) {
            lock.lock();
            try {
                MemoryHold held = live(name);
                if (held == null || !held.isOf(owner)) {
                    return false;
                }
                held.extend(time.nanoTime() + lease);
                return true;
            } finally {
                lock.unlock();
            }
        }

        boolean owns(String name, AcquireAttempt owner) {
            return renew(name, owner, 0);
        }

        /** Frees a name if this acquisition holds it (null: whoever does), and takes the acquisition out of the queue. */
        ReleaseOutcome free(String name, @Nullable AcquireAttempt owner) {
            List<Runnable> signals;
            lock.lock();
            try {
                Deque<Ticket> waiting = queues.get(name);
                if (waiting != null && waiting.removeIf(t -> t.owner == owner) && waiting.isEmpty()) {
                    queues.remove(name);
                }
                MemoryHold held = live(name);
                if (held == null || (owner != null && !held.isOf(owner))) {
                    return ReleaseOutcome.NOT_HELD;
                }
                holds.remove(name);
                serveNext(name);
                signals = listeners.getOrDefault(name, List.of());
            } finally {
                lock.unlock();
            }
            signals.forEach(Runnable::run);
            return ReleaseOutcome.RELEASED;
        }

        Runnable listen(String name, Runnable listener) {
            locked(() -> listeners
                    .computeIfAbsent(name, n -> new CopyOnWriteArrayList<>())
                    .add(listener));
            return () -> locked(() -> {
                List<Runnable> all = listeners.get(name);
                if (all != null && all.remove(listener) && all.isEmpty()) {
                    listeners.remove(name);
                }
            });
        }

        // Below: called with the lock held.

        private MemoryHold grant(MemoryBackend backend, String name, AcquireAttempt owner, long lease) {
            MemoryHold hold = new MemoryHold(backend, name, owner, ++lastToken, time.nanoTime() + lease);
            holds.put(name, hold);
            return hold;
        }

        private void serveNext(String name) {
            Deque<Ticket> waiting = queues.get(name);
            if (waiting == null) {
                return;
            }
            Ticket next = waiting.remove();
            MemoryHold granted = grant(next.backend, name, next.owner, next.lease);
            if (waiting.isEmpty()) {
                queues.remove(name);
            } else {
                watch(granted);
            }
            next.served.complete(null);
        }

        /** Serves the next in the queue when this hold runs out. */
        private void watch(MemoryHold held) {
            var unused = time.schedule(
                    () -> locked(() -> {
                        MemoryHold now = live(held.name());
                        if (now == null) {
                            serveNext(held.name());
                        } else if (now == held) {
                            watch(held);
                        }
                    }),
                    held.expires());
        }

        private @Nullable MemoryHold live(String name) {
            MemoryHold held = holds.get(name);
            if (held != null && held.expires() - time.nanoTime() <= 0) {
                holds.remove(name);
                return null;
            }
            return held;
        }

        private void dropQueues() {
            for (Deque<Ticket> waiting : queues.values()) {
                for (Ticket ticket : waiting) {
                    ticket.served.complete(null);
                }
            }
            queues.clear();
        }

        private void forget() {
            holds.clear();
            lastToken = 0;
        }

        private int size() {
            holds.values().removeIf(h -> h.expires() - time.nanoTime() <= 0);
            return holds.size() + queues.size() + listeners.size();
        }
    }

    /** A place in the queue for a name. */
    static final class Ticket {
        final MemoryBackend backend;
        final String name;
        final AcquireAttempt owner;
        final long lease;
        /** Completed when the place is first, or gone. */
        final CompletableFuture<Void> served = new CompletableFuture<>();

        Ticket(MemoryBackend backend, String name, AcquireAttempt owner, long lease) {
            this.backend = backend;
            this.name = name;
            this.owner = owner;
            this.lease = lease;
        }
    }

    private void locked(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    /** One client's way to the server, and the faults of that way. */
    public final class Link {
        private final ReentrantLock state = new ReentrantLock();
        private final Deque<Runnable> waiting = new ArrayDeque<>();
        private volatile boolean faulty;
        private volatile boolean held;
        private volatile boolean cut;
        private volatile boolean dropReply;
        private volatile boolean delayRequest;
        private volatile Duration delay = Duration.ZERO;

        private Link() {}

        /** Goes silent: requests and answers wait until {@link #mend()}, also those whose callers gave up by then. */
        public void hold() {
            held = true;
            faulty = true;
        }

        /** Is cut: requests fail at once until {@link #mend()}. */
        public void cut() {
            cut = true;
            faulty = true;
        }

        /** Ends every fault of this link, delivers what waits, and tells waiters that they may have missed a release. */
        public void mend() {
            held = false;
            cut = false;
            dropReply = false;
            delayRequest = false;
            delay = Duration.ZERO;
            faulty = false;
            deliver();
            wakeAll();
        }

        /** Takes so much time for each request and as much again for its answer. */
        public void delay(Duration each) {
            delay = each;
            faulty = true;
        }

        /** Loses the answer of the next request: it is carried out, and its caller hears nothing. */
        public void dropNextReply() {
            dropReply = true;
            faulty = true;
        }

        /** Keeps the next request until {@link #deliver()}: its caller gives up before. */
        public void delayNextRequest() {
            delayRequest = true;
            faulty = true;
        }

        /** Delivers the requests that wait. */
        public void deliver() {
            List<Runnable> requests = new ArrayList<>();
            state.lock();
            try {
                if (held || paused) {
                    return;
                }
                requests.addAll(waiting);
                waiting.clear();
                links.remove(this);
            } finally {
                state.unlock();
            }
            requests.forEach(Runnable::run);
        }

        boolean isSilent() {
            return held || cut || down || paused;
        }

        MemoryServer server() {
            return MemoryServer.this;
        }

        TimeSource time() {
            return time;
        }

        /** Whether requests can go straight to the server. */
        boolean isPlain() {
            return !faulty && !down && !paused && hook == Hook.NONE;
        }

        /** Sends a request over the faults of the link. */
        <T extends @Nullable Object> T call(
                String operation, String name, TimeSource clock, long deadline, Supplier<T> request)
                throws BackendException, InterruptedException {
            if (cut || down) {
                throw new BackendException(
                        BackendException.Kind.UNAVAILABLE,
                        down ? "the memory server is down" : "the link is cut",
                        null);
            }
            if (!delay.isZero() && !pass(clock, deadline)) {
                // The request is on its way, and arrives after its caller gave up.
                var unused = clock.schedule(
                        () -> carryOutIfUp(operation, name, request), clock.nanoTime() + delay.toNanos());
                throw silence();
            }
            if (cut || down) {
                throw new BackendException(BackendException.Kind.UNCLEAR, "the connection was lost", null);
            }
            if (held || paused || delayRequest) {
                return late(operation, name, clock, deadline, request);
            }
            boolean drop = dropReply;
            dropReply = false;
            T reply = carryOut(operation, name, request);
            if (cut || down) {
                throw new BackendException(BackendException.Kind.UNCLEAR, "the connection was lost", null);
            }
            if (drop || held || (!delay.isZero() && !pass(clock, deadline))) {
                var unused = clock.await(new CompletableFuture<>(), deadline);
                throw silence();
            }
            return reply;
        }

        private boolean pass(TimeSource clock, long deadline) throws InterruptedException {
            long arrival = clock.nanoTime() + delay.toNanos();
            var unused = clock.await(new CompletableFuture<>(), arrival - deadline < 0 ? arrival : deadline);
            return clock.nanoTime() - arrival >= 0;
        }

        private <T extends @Nullable Object> T late(
                String operation, String name, TimeSource clock, long deadline, Supplier<T> request)
                throws BackendException, InterruptedException {
            CompletableFuture<T> reply = new CompletableFuture<>();
            boolean kept;
            state.lock();
            try {
                kept = held || paused || delayRequest;
                if (kept) {
                    delayRequest = false;
                    waiting.add(() -> {
                        if (!down) {
                            reply.complete(carryOut(operation, name, request));
                        }
                    });
                    links.add(this);
                }
            } finally {
                state.unlock();
            }
            if (!kept) {
                return carryOut(operation, name, request);
            }
            if (!clock.await(reply, deadline)) {
                throw silence();
            }
            return reply.join();
        }

        private <T extends @Nullable Object> T carryOut(String operation, String name, Supplier<T> request) {
            hook.at(Step.BEFORE, operation, name);
            T reply = request.get();
            hook.at(Step.AFTER, operation, name);
            return reply;
        }

        private void carryOutIfUp(String operation, String name, Supplier<?> request) {
            if (!down) {
                Object unused = carryOut(operation, name, request);
            }
        }

        private BackendException silence() {
            return new BackendException(
                    BackendException.Kind.UNCLEAR, "the memory server did not answer in time", null);
        }
    }
}

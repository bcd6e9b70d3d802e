package dev.holdfast.lock.redis;

import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.ReleaseSignals.Subscription;
import dev.holdfast.lock.spi.TimeSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * All subscriptions of a client, over one connection that is there while there are any. Jedis' own {@code JedisPubSub} is not used: several threads
 * may not write through it, and it does not say which of two subscriptions to the same channel the server confirmed.
 *
 * <p>One thread reads. Whoever wants something sent puts it in a queue; at most {@link #WINDOW} commands are unanswered, so that they fit into the
 * socket's buffer and nobody waits in a write.
 */
final class JedisSubscriber {
    private static final int WINDOW = 128;

    private static final byte[] MESSAGE = "message".getBytes(StandardCharsets.US_ASCII);

    /** A connection without subscriptions is closed after this. */
    private static final long LINGER = Duration.ofSeconds(2).toNanos();

    /** Something is sent so often, and must have come back by then: a link that has died in silence is noticed. */
    private static final long PING_EVERY = Duration.ofSeconds(3).toNanos();

    private static final long SILENCE_LIMIT = Duration.ofSeconds(7).toNanos();

    private static final long FIRST_BACKOFF = Duration.ofMillis(20).toNanos();
    private static final long LONGEST_BACKOFF = Duration.ofSeconds(1).toNanos();

    private final JedisLinks links;
    private final TimeSource time;
    private final long operationTimeout;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();

    // Changed under the lock.
    private @Nullable Session session;
    private boolean closed;

    private volatile boolean listening;

    JedisSubscriber(JedisLinks links, TimeSource time, long operationTimeout) {
        this.links = links;
        this.time = time;
        this.operationTimeout = operationTimeout;
    }

    boolean isListening() {
        return listening;
    }

    Subscription subscribe(String channel, Runnable signal, long deadline)
            throws BackendException, InterruptedException {
        Entry entry = new Entry(channel, signal);
        lock.lock();
        try {
            if (closed) {
                throw RedisErrors.unreachable(links.server(), "the client is closed", null);
            }
            entries.put(channel, entry);
            if (session == null) {
                session = new Session();
                session.start();
            } else if (session.down != null) {
                // The caller is better off asking now and then than waiting for the next try to connect.
                entry.confirmed.complete(session.down);
            } else {
                session.send(new Order(Command.SUBSCRIBE, entry, false));
            }
        } finally {
            lock.unlock();
        }
        boolean confirmed = false;
        try {
            if (!time.await(entry.confirmed, deadline)) {
                throw RedisErrors.unreachable(links.server(), "a subscription was not confirmed in time", null);
            }
            BackendException failure = entry.confirmed.join();
            if (failure != null) {
                throw failure;
            }
            confirmed = true;
            return entry;
        } finally {
            if (!confirmed) {
                entry.close();
            }
        }
    }

    /** Ends everything, without blocking; {@link #awaitEnd()} follows. */
    void stop() {
        BackendException why = RedisErrors.unreachable(links.server(), "the client is closed", null);
        lock.lock();
        try {
            closed = true;
            if (session != null) {
                session.stop();
            }
            entries.values().forEach(entry -> entry.confirmed.complete(why));
            entries.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Waits a moment for the thread to be gone. */
    void awaitEnd() {
        Session last;
        lock.lock();
        try {
            last = session;
        } finally {
            lock.unlock();
        }
        if (last != null) {
            last.awaitEnd();
        }
    }

    private void closeIfIdle() {
        lock.lock();
        try {
            if (session != null && entries.isEmpty()) {
                session.stop();
                session = null;
            }
        } finally {
            lock.unlock();
        }
    }

    private void signalAll() {
        entries.values().forEach(Entry::signal);
    }

    /** One subscription. */
    private final class Entry implements Subscription {
        private final String channel;
        private final Runnable signal;
        /** Completed with null when the server confirmed, or with what went wrong. */
        private final CompletableFuture<@Nullable BackendException> confirmed = new CompletableFuture<>();

        Entry(String channel, Runnable signal) {
            this.channel = channel;
            this.signal = signal;
        }

        void signal() {
            try {
                signal.run();
            } catch (RuntimeException e) {
                // A broken listener must not end the signals of the others.
                Thread thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
            }
        }

        @Override
        public void close() {
            lock.lock();
            try {
                if (!entries.remove(channel, this) || session == null) {
                    return;
                }
                session.send(new Order(Command.UNSUBSCRIBE, this, false));
                if (entries.isEmpty()) {
                    var unused = time.schedule(JedisSubscriber.this::closeIfIdle, time.nanoTime() + LINGER);
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * A command for the server. Answers come in the order of the commands.
     *
     * @param endsRestoring whether a new connection has all subscriptions again when this is answered
     */
    private record Order(Command command, @Nullable Entry entry, boolean endsRestoring) {}

    /** The reading thread, and the connection it has at the time. */
    private final class Session {
        private final CompletableFuture<Void> stopped = new CompletableFuture<>();
        private final Thread thread = new Thread(this::read, "holdfast-redis-signals");

        // Guarded by the lock.
        private JedisLinks.@Nullable Link link;
        /** Why there was no connection when it was tried last; null once there is one. */
        private @Nullable BackendException down;

        private final ArrayDeque<Order> waiting = new ArrayDeque<>();
        private final ArrayDeque<Order> unanswered = new ArrayDeque<>();

        void start() {
            thread.setDaemon(true);
            thread.start();
        }

        /** Under the lock. Does not block. */
        void stop() {
            stopped.complete(null);
            breakOff();
        }

        /** Under the lock: closes the connection, and nothing is sent on it any more. */
        private void breakOff() {
            JedisLinks.Link broken = link;
            link = null;
            listening = false;
            waiting.clear();
            unanswered.clear();
            if (broken != null) {
                broken.abort();
            }
        }

        void awaitEnd() {
            if (Thread.currentThread() == thread) {
                return;
            }
            try {
                thread.join(Duration.ofMillis(500).toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** Under the lock. */
        void send(Order order) {
            // While there is no connection there is nothing to tell: a new one begins with all that is wanted then.
            if (link != null) {
                waiting.add(order);
                pump();
            }
        }

        /** Under the lock. */
        private void pump() {
            JedisLinks.Link to = link;
            if (to == null || waiting.isEmpty() || unanswered.size() >= WINDOW) {
                return;
            }
            try {
                while (!waiting.isEmpty() && unanswered.size() < WINDOW) {
                    Order order = waiting.remove();
                    unanswered.add(order);
                    CommandArguments arguments = new CommandArguments(order.command());
                    to.connection()
                            .sendCommand(order.entry() == null ? arguments : arguments.add(order.entry().channel));
                }
                // What flushes is not public; this does it, and reads nothing.
                var unused = to.connection().getMany(0);
            } catch (JedisException e) {
                // The reader sees it too, and begins again.
                breakOff();
            }
        }

        private void read() {
            long backoff = FIRST_BACKOFF;
            while (!stopped.isDone()) {
                JedisLinks.Link opened = connect();
                if (opened != null) {
                    boolean heard = follow(opened);
                    if (stopped.isDone()) {
                        links.retire(opened);
                        return;
                    }
                    links.discard(opened, true);
                    signalAll();
                    if (heard) {
                        backoff = FIRST_BACKOFF;
                    }
                }
                try {
                    var unused = time.await(stopped, time.nanoTime() + backoff);
                } catch (InterruptedException e) {
                    // Nobody else has this thread; stop() ends it by the signal.
                    continue;
                }
                backoff = Math.min(2 * backoff, LONGEST_BACKOFF);
            }
        }

        private JedisLinks.@Nullable Link connect() {
            try {
                return links.dedicate(time.nanoTime() + operationTimeout);
            } catch (BackendException e) {
                lock.lock();
                try {
                    down = e;
                    entries.values().forEach(entry -> entry.confirmed.complete(e));
                } finally {
                    lock.unlock();
                }
                return null;
            } catch (InterruptedException e) {
                return null;
            }
        }

        /**
         * Reads what arrives until the connection fails or the session is stopped.
         *
         * @return whether anything arrived
         */
        private boolean follow(JedisLinks.Link opened) {
            boolean heard = false;
            lock.lock();
            try {
                if (stopped.isDone()) {
                    return heard;
                }
                link = opened;
                down = null;
                opened.patience(SILENCE_LIMIT);
                List<Entry> restored = List.copyOf(entries.values());
                for (int i = 0; i < restored.size(); i++) {
                    waiting.add(new Order(Command.SUBSCRIBE, restored.get(i), i == restored.size() - 1));
                }
                listening = restored.isEmpty();
                pump();
                pingLater(opened);
            } catch (JedisException e) {
                breakOff();
            } finally {
                lock.unlock();
            }
            try {
                while (!stopped.isDone()) {
                    next(opened);
                    heard = true;
                }
            } catch (JedisException e) {
                // The connection is gone; read() goes on from here.
            } finally {
                lock.lock();
                try {
                    breakOff();
                } finally {
                    lock.unlock();
                }
            }
            return heard;
        }

        private void next(JedisLinks.Link from) {
            Object reply;
            try {
                reply = from.connection().getUnflushedObject();
            } catch (JedisDataException e) {
                answered(RedisErrors.answered(
                        links.server(), Command.SUBSCRIBE.toString(), String.valueOf(e.getMessage()), e));
                return;
            }
            if (reply instanceof List<?> parts
                    && parts.size() == 3
                    && parts.get(0) instanceof byte[] kind
                    && parts.get(1) instanceof byte[] channel
                    && Arrays.equals(kind, MESSAGE)) {
                Entry entry = entries.get(new String(channel, StandardCharsets.UTF_8));
                if (entry != null) {
                    entry.signal();
                }
            } else {
                answered(null);
            }
        }

        /** The oldest unanswered command has its answer. */
        private void answered(@Nullable BackendException failure) {
            lock.lock();
            try {
                Order order = unanswered.poll();
                if (order == null) {
                    return;
                }
                if (order.entry() != null && order.command() == Command.SUBSCRIBE) {
                    order.entry().confirmed.complete(failure);
                    if (order.endsRestoring()) {
                        listening = failure == null;
                    } else if (failure != null) {
                        listening = false;
                    }
                }
                pump();
            } finally {
                lock.unlock();
            }
        }

        /** Under the lock. */
        private void pingLater(JedisLinks.Link to) {
            var unused = time.schedule(() -> ping(to), time.nanoTime() + PING_EVERY);
        }

        private void ping(JedisLinks.Link to) {
            lock.lock();
            try {
                if (link == to) {
                    send(new Order(Command.PING, null, false));
                    pingLater(to);
                }
            } finally {
                lock.unlock();
            }
        }
    }
}

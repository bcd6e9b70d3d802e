package dev.holdfast.lock.tck.nodes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A TCP link from a local port, which stays the same, to a server, which may move. It knows no protocol: a request is what a client sends in one go
 * on one connection. It can go silent, be cut, be slow, lose an answer, and hold a request up.
 */
public final class Link implements AutoCloseable {
    private static final int CONNECT_MILLIS = 2000;

    private final Supplier<InetSocketAddress> target;
    private final ServerSocket listener;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private final Set<Connection> connections = new HashSet<>();
    private boolean held;
    private boolean cut;
    private boolean closed;
    private boolean dropNextReply;
    private boolean delayNextRequest;
    private long delayNanos;
    private long droppedBytes;
    private long delayedBytes;

    private Link(Supplier<InetSocketAddress> target) {
        this.target = target;
        try {
            listener = new ServerSocket(0, 256, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        thread("accept", this::accept);
    }

    /** Opens a link; the server is asked for at each connection. */
    public static Link to(Supplier<InetSocketAddress> server) {
        return new Link(server);
    }

    /** Where clients connect to. */
    public InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort());
    }

    // ---- faults

    /** Goes silent: nothing passes, either way, and nothing is closed. What was sent meanwhile passes after {@link #mend()}. */
    public void hold() {
        change(() -> held = true);
    }

    /** Resets every connection, and each that is made until {@link #mend()}. */
    public void cut() {
        change(() -> {
            cut = true;
            List.copyOf(connections).forEach(Connection::reset);
        });
    }

    /** Ends every fault. A connection that lost an answer is reset, since what follows on it means nothing. */
    public void mend() {
        change(() -> {
            held = false;
            cut = false;
            dropNextReply = false;
            delayNextRequest = false;
            delayNanos = 0;
            for (Connection c : List.copyOf(connections)) {
                c.frozen = false;
                if (c.dropping) {
                    c.reset();
                }
            }
        });
    }

    /** Takes so much time for each direction. */
    public void delay(Duration each) {
        change(() -> delayNanos = each.toNanos());
    }

    /** Passes the next request on, and drops what the server sends on that connection from then on. */
    public void dropNextReply() {
        change(() -> dropNextReply = true);
    }

    /** Keeps the next request, and what follows it on its connection, until {@link #deliver()}, also if the client closes the connection. */
    public void delayNextRequest() {
        change(() -> delayNextRequest = true);
    }

    /** Sends on what was kept, and returns when that is done. */
    public void deliver() {
        change(() -> {
            delayNextRequest = false;
            connections.forEach(c -> c.frozen = false);
        });
        locked(() -> {
            long left = TimeUnit.SECONDS.toNanos(5);
            try {
                while (left > 0 && connections.stream().anyMatch(c -> !c.up.chunks.isEmpty())) {
                    left = changed.awaitNanos(left);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    // ---- what was seen

    /** How many connections clients have open. */
    public int connections() {
        lock.lock();
        try {
            return (int) connections.stream().filter(c -> !c.clientGone).count();
        } finally {
            lock.unlock();
        }
    }

    /** How many bytes of answers were dropped: the proof that the fault struck. */
    public long droppedBytes() {
        lock.lock();
        try {
            return droppedBytes;
        } finally {
            lock.unlock();
        }
    }

    /** How many bytes of requests were held up. */
    public long delayedBytes() {
        lock.lock();
        try {
            return delayedBytes;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        change(() -> {
            closed = true;
            List.copyOf(connections).forEach(Connection::reset);
        });
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- how it works

    private void change(Runnable action) {
        locked(() -> {
            action.run();
            changed.signalAll();
        });
    }

    private void locked(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    private void accept() {
        while (true) {
            Socket client;
            try {
                client = listener.accept();
            } catch (IOException e) {
                return;
            }
            Connection connection = new Connection(client);
            locked(() -> {
                if (cut || closed) {
                    connection.reset();
                } else {
                    connections.add(connection);
                    thread("open", connection::open);
                }
            });
        }
    }

    private static void thread(String name, Runnable body) {
        Thread thread = new Thread(body, "link-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Bytes on their way; none means the end of the stream. */
    private static final class Chunk {
        final byte[] bytes;
        final long dueAt;

        Chunk(byte[] bytes, long dueAt) {
            this.bytes = bytes;
            this.dueAt = dueAt;
        }
    }

    /** What flows in one direction. */
    private static final class Flow {
        final Deque<Chunk> chunks = new ArrayDeque<>();
    }

    private final class Connection {
        private final Socket client;
        private final Socket server = new Socket();
        private final Flow up = new Flow();
        private final Flow down = new Flow();

        // Guarded by the lock.
        private boolean frozen;
        private boolean dropping;
        private boolean clientGone;
        private boolean gone;
        private int ended;

        Connection(Socket client) {
            this.client = client;
        }

        void open() {
            try {
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                if (!awaitPassage()) {
                    return;
                }
                server.connect(target.get(), CONNECT_MILLIS);
            } catch (IOException | RuntimeException e) {
                locked(this::reset);
                return;
            }
            thread("up-in", () -> read(client, up));
            thread("up-out", () -> write(server, up));
            thread("down-in", () -> read(server, down));
            thread("down-out", () -> write(client, down));
        }

        private boolean awaitPassage() {
            lock.lock();
            try {
                while (held && !gone) {
                    changed.awaitUninterruptibly();
                }
                return !gone;
            } finally {
                lock.unlock();
            }
        }

        private void read(Socket from, Flow flow) {
            byte[] buffer = new byte[16 * 1024];
            while (true) {
                int count;
                try {
                    count = from.getInputStream().read(buffer);
                } catch (IOException e) {
                    count = -1;
                }
                byte[] bytes = count < 0 ? new byte[0] : Arrays.copyOf(buffer, count);
                lock.lock();
                try {
                    arrived(flow, bytes);
                    changed.signalAll();
                } finally {
                    lock.unlock();
                }
                if (count < 0) {
                    return;
                }
            }
        }

        private void arrived(Flow flow, byte[] bytes) {
            if (flow == up) {
                if (bytes.length == 0) {
                    clientGone = true;
                } else if (delayNextRequest) {
                    delayNextRequest = false;
                    frozen = true;
                } else if (dropNextReply) {
                    dropNextReply = false;
                    dropping = true;
                }
                if (frozen) {
                    delayedBytes += bytes.length;
                }
            } else if (dropping) {
                droppedBytes += bytes.length;
                return;
            }
            flow.chunks.add(new Chunk(bytes, System.nanoTime() + delayNanos));
        }

        private void write(Socket to, Flow flow) {
            while (true) {
                Chunk chunk = next(flow);
                if (chunk == null) {
                    return;
                }
                try {
                    if (chunk.bytes.length > 0) {
                        to.getOutputStream().write(chunk.bytes);
                    } else {
                        to.shutdownOutput();
                    }
                } catch (IOException e) {
                    // The other side is gone; if it was the client, what it sent is delivered all the same.
                    if (flow == up) {
                        locked(this::reset);
                        return;
                    }
                }
                lock.lock();
                try {
                    flow.chunks.poll();
                    changed.signalAll();
                    if (chunk.bytes.length == 0) {
                        if (++ended == 2 || flow == down) {
                            finish();
                        }
                        return;
                    }
                } finally {
                    lock.unlock();
                }
            }
        }

        /** The next chunk that may pass, left in its place until it has; null at the end. */
        private @Nullable Chunk next(Flow flow) {
            lock.lock();
            try {
                while (!gone) {
                    Chunk chunk = flow.chunks.peek();
                    if (chunk == null || held || (flow == up && frozen)) {
                        changed.await();
                        continue;
                    }
                    long wait = chunk.dueAt - System.nanoTime();
                    if (wait <= 0) {
                        return chunk;
                    }
                    long unused = changed.awaitNanos(wait);
                }
                return null;
            } catch (InterruptedException e) {
                return null;
            } finally {
                lock.unlock();
            }
        }

        /** Closes as the server did. Called with the lock held. */
        private void finish() {
            end(false);
        }

        /** Closes so that both sides see a reset. Called with the lock held. */
        private void reset() {
            end(true);
        }

        private void end(boolean hard) {
            gone = true;
            clientGone = true;
            up.chunks.clear();
            down.chunks.clear();
            connections.remove(this);
            changed.signalAll();
            for (Socket socket : List.of(client, server)) {
                try {
                    if (hard && !socket.isClosed()) {
                        socket.setSoLinger(true, 0);
                    }
                } catch (IOException e) {
                    // It is closed by the other side.
                }
                try {
                    socket.close();
                } catch (IOException e) {
                    // It is gone.
                }
            }
        }
    }
}

package dev.holdfast.lock.redis;

import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.TimeSource;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Connections of our own. Jedis' pool is not used for them: its borrow cannot be given a deadline that includes connecting and logging in, and a call
 * here has one.
 */
final class OwnLinks implements JedisLinks {
    /** A connection idle for longer is looked at before it is used: the other side may have closed it. */
    private static final long STALE_AFTER = Duration.ofMillis(500).toNanos();

    /** All connections but one are closed when idle for longer. */
    private static final long SURPLUS_AFTER = Duration.ofSeconds(3).toNanos();

    /** What is on its way at one time on a connection always fits in, so that a write never waits for a server that does not read. */
    static final int SEND_BUFFER = 128 * 1024;

    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|.*:.*");

    private final RedisSettings settings;
    private final TimeSource time;
    private final JedisClientConfig config;
    private final Semaphore permits;
    private final ConcurrentLinkedDeque<Link> idle = new ConcurrentLinkedDeque<>();
    private final Set<DeadlineSocket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger generation = new AtomicInteger();
    private final AtomicBoolean trimming = new AtomicBoolean();
    private final AtomicReference<@Nullable CompletableFuture<InetAddress[]>> resolving = new AtomicReference<>();
    private volatile Runnable trouble = () -> {};
    private volatile boolean closed;

    OwnLinks(RedisSettings settings, TimeSource time) {
        this.settings = settings;
        this.time = time;
        permits = new Semaphore(settings.poolSize());
        config = DefaultJedisClientConfig.builder()
                .autoNegotiateProtocol(false)
                .user(settings.user().orElse(null))
                .password(settings.password().orElse(null))
                .database(settings.database())
                .clientName("holdfast")
                .clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
                .build();
    }

    @Override
    public Link borrow(long deadline) throws BackendException, InterruptedException {
        long now = time.nanoTime();
        if (closed) {
            throw RedisErrors.unreachable(server(), "the client is closed", null);
        }
        if (deadline - now <= 0) {
            throw RedisErrors.unreachable(server(), "no time was left to send anything", null);
        }
        // The untimed form first: the timed one refuses a thread whose interrupt flag is set even if there is a permit.
        if (!permits.tryAcquire() && !permits.tryAcquire(deadline - now, TimeUnit.NANOSECONDS)) {
            throw RedisErrors.unreachable(
                    server(),
                    "all " + settings.poolSize() + " connections were in use until the deadline (option "
                            + RedisSettings.POOL_SIZE + ")",
                    null);
        }
        boolean lent = false;
        try {
            for (Link link; (link = idle.pollFirst()) != null; ) {
                if (link.generation() == generation.get()) {
                    if (now - link.lastUsed() < STALE_AFTER || !link.isStale()) {
                        lent = true;
                        return link;
                    }
                    failed(true);
                }
                drop(link);
            }
            Link link = open(deadline, true);
            lent = true;
            return link;
        } finally {
            if (!lent) {
                permits.release();
            }
        }
    }

    @Override
    public void giveBack(Link link) {
        if (!link.isLent()) {
            retire(link);
            return;
        }
        link.used(time.nanoTime());
        idle.addFirst(link);
        permits.release();
        if (closed) {
            close();
        } else if (!trimming.get() && trimming.compareAndSet(false, true)) {
            trimLater();
        }
    }

    @Override
    public Link dedicate(long deadline) throws BackendException, InterruptedException {
        return open(deadline, false);
    }

    @Override
    public void discard(Link link, boolean ended) {
        drop(link);
        failed(ended);
        if (link.isLent()) {
            permits.release();
        }
    }

    @Override
    public void retire(Link link) {
        link.shut();
        drop(link);
    }

    /** The server may be another one from now on. If it ended a connection, it may have restarted: no connection from before is used again. */
    private void failed(boolean ended) {
        if (ended) {
            generation.incrementAndGet();
        }
        if (!closed) {
            trouble.run();
        }
    }

    private void drop(Link link) {
        link.abort();
        DeadlineSocket socket = link.socket();
        if (socket != null) {
            sockets.remove(socket);
        }
    }

    private void trimLater() {
        var unused = time.schedule(this::trim, time.nanoTime() + SURPLUS_AFTER);
    }

    private void trim() {
        long now = time.nanoTime();
        while (idle.size() > 1) {
            Link oldest = idle.pollLast();
            if (oldest == null) {
                break;
            }
            if (now - oldest.lastUsed() < SURPLUS_AFTER) {
                idle.addLast(oldest);
                break;
            }
            retire(oldest);
        }
        if (idle.size() > 1 && !closed) {
            trimLater();
        } else {
            trimming.set(false);
        }
    }

    // ---- connecting

    private Link open(long deadline, boolean lent) throws BackendException, InterruptedException {
        BackendException failure = null;
        InetAddress[] addresses = resolve(deadline);
        for (int i = 0; i < addresses.length; i++) {
            long now = time.nanoTime();
            // An address that swallows everything leaves the others their share of the time.
            long share = now + (deadline - now) / (addresses.length - i);
            try {
                return connect(addresses[i], share, lent);
            } catch (BackendException e) {
                failure = e;
                if (e.kind() == BackendException.Kind.REFUSED) {
                    break;
                }
            }
        }
        failed(false);
        throw failure != null ? failure : RedisErrors.unreachable(server(), "its name has no address", null);
    }

    private InetAddress[] resolve(long deadline) throws BackendException, InterruptedException {
        try {
            if (ADDRESS.matcher(settings.host()).matches()) {
                return InetAddress.getAllByName(settings.host());
            }
            // A name server that does not answer holds up one thread, not the callers.
            CompletableFuture<InetAddress[]> mine = new CompletableFuture<>();
            CompletableFuture<InetAddress[]> running = resolving.compareAndExchange(null, mine);
            if (running == null) {
                running = mine;
                time.execute(() -> {
                    try {
                        mine.complete(InetAddress.getAllByName(settings.host()));
                    } catch (UnknownHostException e) {
                        mine.complete(new InetAddress[0]);
                    } finally {
                        resolving.set(null);
                    }
                });
            }
            if (!time.await(running, deadline)) {
                throw RedisErrors.unreachable(server(), "its name was not resolved in time", null);
            }
            return running.join();
        } catch (UnknownHostException e) {
            throw RedisErrors.unreachable(server(), "its name has no address", e);
        }
    }

    private Link connect(InetAddress address, long deadline, boolean lent) throws BackendException {
        long left = deadline - time.nanoTime();
        if (left <= 0) {
            throw RedisErrors.unreachable(server(), "no time was left to connect", null);
        }
        int born = generation.get();
        DeadlineSocket socket = new DeadlineSocket(time);
        sockets.add(socket);
        boolean connected = false;
        try {
            if (closed) {
                throw RedisErrors.unreachable(server(), "the client is closed", null);
            }
            socket.setTcpNoDelay(true);
            socket.setKeepAlive(true);
            socket.setSendBufferSize(SEND_BUFFER);
            socket.connect(new InetSocketAddress(address, settings.port()), (int)
                    Math.min(Integer.MAX_VALUE, TimeUnit.NANOSECONDS.toMillis(left) + 1));
            socket.deadline(deadline);
            AtomicReference<@Nullable Socket> once = new AtomicReference<>(secured(socket));
            // A Jedis connection that finds its socket closed connects again by itself, without login and database.
            JedisSocketFactory factory = () -> {
                Socket ready = once.getAndSet(null);
                if (ready == null) {
                    throw new JedisConnectionException("the connection is closed");
                }
                return ready;
            };
            Link link = new Link(new Connection(factory, config), socket, born, lent);
            connected = true;
            return link;
        } catch (SSLException e) {
            if (e.getCause() instanceof EOFException) {
                throw RedisErrors.unreachable(server(), "the connection was closed during the TLS handshake", e);
            }
            throw noTls(e);
        } catch (IOException e) {
            throw RedisErrors.unreachable(server(), "no connection: " + e.getMessage(), e);
        } catch (JedisDataException e) {
            throw RedisErrors.answered(server(), "the login", String.valueOf(e.getMessage()), e);
        } catch (JedisException e) {
            if (e.getCause() instanceof SSLException refused) {
                // With TLS 1.3 a server that misses our certificate says so after the handshake.
                throw noTls(refused);
            }
            throw RedisErrors.unreachable(
                    server(),
                    "no answer to the login" + (settings.tls().isEmpty() ? " (tls=true if it expects TLS)" : ""),
                    e);
        } finally {
            if (!connected) {
                socket.abort();
                sockets.remove(socket);
            }
        }
    }

    private BackendException noTls(SSLException e) {
        return new BackendException(
                BackendException.Kind.REFUSED, server() + ": no TLS connection: " + e.getMessage(), e);
    }

    private Socket secured(DeadlineSocket socket) throws IOException {
        SSLContext tls = settings.tls().orElse(null);
        if (tls == null) {
            return socket;
        }
        SSLSocket secured =
                (SSLSocket) tls.getSocketFactory().createSocket(socket, settings.host(), settings.port(), true);
        SSLParameters parameters = secured.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secured.setSSLParameters(parameters);
        secured.startHandshake();
        return secured;
    }

    @Override
    public void onTrouble(Runnable trouble) {
        this.trouble = trouble;
    }

    @Override
    public String server() {
        return settings.server();
    }

    @Override
    public void close() {
        closed = true;
        for (Link link; (link = idle.pollFirst()) != null; ) {
            retire(link);
        }
        sockets.forEach(DeadlineSocket::abort);
        sockets.clear();
    }
}

package dev.holdfast.lock.redis;

import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.TimeSource;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.Pool;

/** Connections of the application's own Jedis client, which stays open. Connecting and testing them obeys the limits that it was built with. */
final class SharedLinks implements JedisLinks {
    private final Pool<Connection> pool;
    private final TimeSource time;
    private volatile Runnable trouble = () -> {};

    SharedLinks(RedisClient client, TimeSource time) {
        this.pool = client.getPool();
        this.time = time;
    }

    @Override
    public Link borrow(long deadline) throws BackendException, InterruptedException {
        long left = deadline - time.nanoTime();
        if (left <= 0) {
            throw RedisErrors.unreachable(server(), "no time was left to send anything", null);
        }
        if (pool.getNumIdle() > 0 && !pool.getTestOnBorrow()) {
            try {
                return link(pool.borrowObject(Duration.ofNanos(left)), true);
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                throw failure(e);
            }
        }
        return elsewhere(deadline, true);
    }

    @Override
    public Link dedicate(long deadline) throws BackendException, InterruptedException {
        return elsewhere(deadline, false);
    }

    /** Borrows in the background what may have to be connected first, since that cannot be given our deadline. */
    private Link elsewhere(long deadline, boolean lent) throws BackendException, InterruptedException {
        CompletableFuture<@Nullable Connection> borrowed = new CompletableFuture<>();
        time.execute(() -> {
            try {
                Connection connection = pool.borrowObject(Duration.ofNanos(Math.max(1, deadline - time.nanoTime())));
                if (!borrowed.complete(connection)) {
                    pool.returnObject(connection);
                }
            } catch (Exception e) {
                borrowed.completeExceptionally(e);
            }
        });
        boolean done;
        try {
            done = time.await(borrowed, deadline);
        } catch (InterruptedException e) {
            if (!borrowed.complete(null)) {
                borrowed.thenAccept(pool::returnObject).exceptionally(lost -> null);
            }
            throw e;
        }
        // Whoever comes second, the borrower or the one who gives up, has the connection.
        if (!done && borrowed.complete(null)) {
            throw RedisErrors.unreachable(server(), "no connection in time", null);
        }
        try {
            return link(Objects.requireNonNull(borrowed.join()), lent);
        } catch (CompletionException e) {
            throw failure(e.getCause());
        }
    }

    private BackendException failure(@Nullable Throwable e) {
        if (e instanceof JedisDataException refused) {
            return RedisErrors.answered(server(), "the login", String.valueOf(refused.getMessage()), refused);
        }
        trouble.run();
        return RedisErrors.unreachable(server(), "no connection from its pool", e);
    }

    private static Link link(Connection connection, boolean lent) {
        return new Link(connection, null, 0, lent);
    }

    @Override
    public void giveBack(Link link) {
        link.restore();
        pool.returnObject(link.connection());
    }

    @Override
    public void discard(Link link, boolean ended) {
        link.abort();
        // Where it waits for nothing: the pool connects anew in place of it, at once.
        time.execute(() -> forget(link));
        trouble.run();
    }

    @Override
    public void retire(Link link) {
        link.abort();
        forget(link);
    }

    private void forget(Link link) {
        try {
            pool.invalidateObject(link.connection());
        } catch (Exception e) {
            // It is closed, and the pool has forgotten it.
        }
    }

    @Override
    public void onTrouble(Runnable trouble) {
        this.trouble = trouble;
    }

    @Override
    public String server() {
        return "the application's Redis client";
    }

    @Override
    public void close() {}
}

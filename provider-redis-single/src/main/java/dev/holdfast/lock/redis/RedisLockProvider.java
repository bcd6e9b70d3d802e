package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockGuarantees;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.Option;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.LockBackend;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.TimeSource;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisClient;

/**
 * Locks on one Redis server: {@code redis://[user[:password]@]host[:port][/database][?option=value]}.
 *
 * <p>Its README tells what is guaranteed on which server, how it works, and what each failure does.
 */
public final class RedisLockProvider implements LockProvider {
    private final @Nullable RedisClient client;

    /** Opens connections of its own, to the host of the options. */
    public RedisLockProvider() {
        this(null);
    }

    private RedisLockProvider(@Nullable RedisClient client) {
        this.client = client;
    }

    /**
     * A provider that uses connections of an application's own client, which stays open. Options then have no host, login or database. One more
     * connection of its pool is in use while somebody waits for a lock.
     *
     * <p>Connecting obeys the client's own limits in the background; a call here still ends at its deadline.
     */
    public static RedisLockProvider on(RedisClient client) {
        return new RedisLockProvider(Objects.requireNonNull(client, "client"));
    }

    @Override
    public String scheme() {
        return "redis";
    }

    @Override
    public LockGuarantees declared() {
        return RedisProbe.DECLARED;
    }

    @Override
    public List<Option<?>> options() {
        return client == null ? RedisSettings.OPTIONS : RedisSettings.OPTIONS_ON_A_CLIENT;
    }

    @Override
    public LockBackend open(LockOptions options, TimeSource time) throws BackendException {
        RedisSettings settings = client == null ? RedisSettings.read(options) : RedisSettings.readForClient(options);
        JedisLinks links = client == null ? new OwnLinks(settings, time) : new SharedLinks(client, time);
        return RedisBackend.open(
                new JedisConnector(links, time, settings.operationTimeout()), settings, links.server(), time);
    }

    @Override
    public String toString() {
        return "RedisLockProvider[" + (client == null ? "own connections" : "an application's client") + "]";
    }
}

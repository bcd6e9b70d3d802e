package dev.holdfast.lock.redis;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.ReleaseOutcome;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.Hold;
import dev.holdfast.lock.spi.HoldState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.OptionalLong;

/** One granted acquisition: a key that holds its id. */
final class RedisHold implements Hold {
    private final RedisConnector connector;
    private final byte[] key;
    private final byte[] id;
    private final long token;

    RedisHold(RedisConnector connector, byte[] key, byte[] id, long token) {
        this.connector = connector;
        this.key = key;
        this.id = id;
        this.token = token;
    }

    @Override
    public OptionalLong token() {
        return OptionalLong.of(token);
    }

    @Override
    public HoldState renew(Duration lease, long deadline) throws BackendException, InterruptedException {
        return state(connector.run(RedisScript.RENEW, deadline, renewal(lease)));
    }

    /** Keys and arguments of a renewal. */
    byte[][] renewal(Duration lease) {
        return new byte[][] {key, id, RedisBackend.millis(lease)};
    }

    @Override
    public HoldState check(long deadline) throws BackendException, InterruptedException {
        return state(connector.run(RedisScript.CHECK, deadline, key, id));
    }

    /** What the answer of a renewal or a check says. */
    static HoldState state(RedisConnector.Reply reply) throws BackendException {
        if (reply.value() instanceof Long answer) {
            if (answer == 1) {
                return new HoldState.Held(reply.sentAt());
            }
            return new HoldState.Lost(
                    LeaseLoss.Cause.REVOKED,
                    answer == 0
                            ? "the server has no such lock any more: it expired, was deleted, or the server lost it"
                            : "the server says that the lock is another's");
        }
        throw RedisBackend.unexpected(reply);
    }

    @Override
    public ReleaseOutcome release(long deadline) throws BackendException, InterruptedException {
        return release(connector, key, id, deadline);
    }

    /** Frees a name if it is held by this acquisition. */
    static ReleaseOutcome release(RedisConnector connector, byte[] key, byte[] id, long deadline)
            throws BackendException, InterruptedException {
        // The channel is called like the key.
        RedisConnector.Reply reply = connector.run(RedisScript.RELEASE, deadline, key, id, key);
        if (reply.value() instanceof Long freed) {
            return freed == 1 ? ReleaseOutcome.RELEASED : ReleaseOutcome.NOT_HELD;
        }
        throw RedisBackend.unexpected(reply);
    }

    @Override
    public String toString() {
        return "RedisHold[" + new String(key, StandardCharsets.UTF_8) + ", token " + token + "]";
    }
}

package dev.holdfast.lock.tck;

import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.spi.LockProvider;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * The servers under test, as the kit sees them: one for each subclass of {@link LockProviderTck}, used by one check at a time.
 *
 * <p>{@link #route()} is all that is needed. Every other method is a hook with a default: a check that needs one which is not there is skipped with
 * the reason {@link SkipReason#NO_HOOK}, and what it would have proved counts as argued, not tested. Hooks work on the servers and not through the
 * provider under test, return when the effect can be observed, and throw if they could not do it. After each check the kit undoes what it did.
 */
public interface Harness extends AutoCloseable {
    /** A harness without hooks: what every provider can begin with. */
    static Harness of(LockProvider provider, Supplier<LockOptions.Builder> options, Clock clock) {
        return new Harness() {
            @Override
            public Route route() {
                return Route.of(provider, options);
            }

            @Override
            public Clock clock() {
                return clock;
            }
        };
    }

    /** A new way to the servers, which one client has for itself. */
    Route route() throws Exception;

    /** The configuration of the servers, for the report: {@code default}, {@code aof-always}. */
    default String configuration() {
        return "default";
    }

    /** The clock of the servers and clients. */
    default Clock clock() {
        return Clock.real();
    }

    /** The lease that most checks ask for: short, so that they are quick, and at least the backend's minimum. */
    default Duration lease() {
        return Duration.ofSeconds(1);
    }

    /** The operation time-out of the kit's clients: well above what the servers take, and at most half of {@link #lease()}. */
    default Duration operationTimeout() {
        return Duration.ofMillis(500);
    }

    /** A URI by which a second process on this machine reaches the servers, with the provider on its class path. */
    default String uri() throws Exception {
        throw new MissingHook("uri");
    }

    /** Takes a name of the default name space away from its holder, as an administrator would. */
    default void revoke(String name) throws Exception {
        throw new MissingHook("revoke");
    }

    /** Kills the servers as a crash does; {@link #start()} follows. */
    default void kill() throws Exception {
        throw new MissingHook("kill");
    }

    /** Starts the servers again after {@link #kill()}, with the disk they had; returns when they answer. */
    default void start() throws Exception {
        throw new MissingHook("start");
    }

    /** Removes all data from the servers, token counters included, while they run. */
    default void wipe() throws Exception {
        throw new MissingHook("wipe");
    }

    /** Stops the servers from answering; connections stay open. {@link #resume()} follows. */
    default void pause() throws Exception {
        throw new MissingHook("pause");
    }

    /** Ends {@link #pause()}. */
    default void resume() throws Exception {
        throw new MissingHook("resume");
    }

    /** Sets the token counters of a name space, so that the next token of any name in it is larger than this. */
    default void setLastToken(String namespace, long token) throws Exception {
        throw new MissingHook("setLastToken");
    }

    /** How many entries (keys, nodes, queue places, subscriptions) of locks the servers have, token counters not counted. */
    default long leftovers() throws Exception {
        throw new MissingHook("leftovers");
    }

    /** Gives everything back, after the last check. */
    @Override
    default void close() throws Exception {}
}

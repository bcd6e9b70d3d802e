package dev.holdfast.lock.tck;

import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.spi.LockProvider;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * One client's way to the servers, with the faults that can be put on it. Faults last until {@link #mend()}. The methods for them are hooks, as in
 * {@link Harness}; {@code dev.holdfast.lock.tck.nodes.LinkRoute} has all of them for TCP.
 */
public interface Route extends AutoCloseable {
    /** The provider under test. */
    LockProvider provider();

    /** Options that reach the servers by this way; a new builder each time, to which the kit adds common options. */
    LockOptions.Builder options();

    /** A way without hooks. */
    static Route of(LockProvider provider, Supplier<LockOptions.Builder> options) {
        return new Route() {
            @Override
            public LockProvider provider() {
                return provider;
            }

            @Override
            public LockOptions.Builder options() {
                return options.get();
            }
        };
    }

    /** Goes silent both ways; nothing is closed. What was sent meanwhile arrives after {@link #mend()}. */
    default void hold() {
        throw new MissingHook("Route.hold");
    }

    /** Resets connections, and refuses new ones. */
    default void cut() {
        throw new MissingHook("Route.cut");
    }

    /** Ends every fault of this way. */
    default void mend() {}

    /** Takes so much time for each request, and as much again for its answer. */
    default void delay(Duration each) {
        throw new MissingHook("Route.delay");
    }

    /** Delivers the next request and loses its answer. */
    default void dropNextReply() {
        throw new MissingHook("Route.dropNextReply");
    }

    /** Keeps the next request back until {@link #deliver()}, also if its caller gives up and closes the connection. */
    default void delayNextRequest() {
        throw new MissingHook("Route.delayNextRequest");
    }

    /** Delivers the requests that were kept back; returns when they were sent on. */
    default void deliver() {
        throw new MissingHook("Route.deliver");
    }

    /** How many connections are open by this way. */
    default int connections() {
        throw new MissingHook("Route.connections");
    }

    /** Gives it back, after its client was closed. */
    @Override
    default void close() throws Exception {}
}

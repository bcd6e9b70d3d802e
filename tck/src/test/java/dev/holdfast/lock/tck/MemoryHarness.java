package dev.holdfast.lock.tck;

import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.memory.MemoryLockProvider;
import dev.holdfast.lock.memory.MemoryServer;
import dev.holdfast.lock.memory.VirtualTime;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.TimeSource;
import java.time.Duration;

/** The memory backend on virtual time, with every hook. */
public final class MemoryHarness implements Harness {
    private final Clock clock;
    private final MemoryServer server;
    private final boolean fair;
    private final Decorator decorator;

    /** @param fair whether waiters queue at the server */
    public MemoryHarness(boolean fair) {
        this(fair, true, (provider, server) -> provider);
    }

    /** What is put around the provider of each client. */
    public interface Decorator {
        /** Called for each client. */
        LockProvider around(LockProvider provider, MemoryServer server);
    }

    /**
     * @param fair whether waiters queue at the server
     * @param durable whether the server keeps what it has when it is killed
     * @param decorator what is put around the provider of each client
     */
    public MemoryHarness(boolean fair, boolean durable, Decorator decorator) {
        VirtualTime time = new VirtualTime();
        this.clock = Clock.virtual(time);
        this.server = durable ? MemoryServer.durable(time) : MemoryServer.create(time);
        this.fair = fair;
        this.decorator = decorator;
    }

    /** On the machine's clock. */
    public MemoryHarness(TimeSource time) {
        this.clock = Clock.real();
        this.server = MemoryServer.durable(time);
        this.fair = true;
        this.decorator = (provider, server) -> provider;
    }

    @Override
    public Route route() {
        MemoryServer.Link link = server.link();
        LockProvider provider = decorator.around(MemoryLockProvider.on(link), server);
        return new Route() {
            @Override
            public LockProvider provider() {
                return provider;
            }

            @Override
            public LockOptions.Builder options() {
                return LockOptions.builder("memory").option("fair", String.valueOf(fair));
            }

            @Override
            public void hold() {
                link.hold();
            }

            @Override
            public void cut() {
                link.cut();
            }

            @Override
            public void mend() {
                link.mend();
            }

            @Override
            public void delay(Duration each) {
                link.delay(each);
            }

            @Override
            public void dropNextReply() {
                link.dropNextReply();
            }

            @Override
            public void delayNextRequest() {
                link.delayNextRequest();
            }

            @Override
            public void deliver() {
                link.deliver();
            }
        };
    }

    @Override
    public String configuration() {
        return fair ? "fair" : "unfair";
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public void revoke(String name) {
        if (!server.revoke("holdfast", name)) {
            throw new IllegalStateException(name + " is not held");
        }
    }

    @Override
    public void kill() {
        server.kill();
    }

    @Override
    public void start() {
        server.start();
    }

    @Override
    public void wipe() {
        server.wipe();
    }

    @Override
    public void pause() {
        server.pause();
    }

    @Override
    public void resume() {
        server.resume();
    }

    @Override
    public void setLastToken(String namespace, long token) {
        server.setLastToken(namespace, token);
    }

    @Override
    public long leftovers() {
        return server.size();
    }
}

package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.memory.MemoryServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The memory backend under its own faults. */
@Timeout(20)
class MemoryServerTest extends VirtualTimeTestBase {
    /** A request that is on its way when the server is killed does not reach the dead server. */
    @Test
    void aDeadServerGrantsNothing() throws Exception {
        timed(() -> {
            MemoryServer plain = MemoryServer.create(time);
            MemoryServer.Link way = plain.link();
            try (LockClient client = plain(way)) {
                way.delay(ms(10));
                CompletableFuture<Object> call = start(() -> client.tryAcquire(X.lease(s(1))));
                time.sleep(ms(5));
                plain.kill();
                assertThatThrownBy(() -> join(call)).hasCauseInstanceOf(LockUnavailableException.class);
                assertThat(plain.size()).isZero();
                plain.start();
                way.mend();
                // Until the first attempt is cleaned up; it would be the next request.
                time.sleep(s(2));
                way.delayNextRequest();
                assertThatThrownBy(() -> client.tryAcquire(X.lease(s(1)))).isInstanceOf(LockUnavailableException.class);
                plain.kill();
                way.deliver();
                assertThat(plain.size()).isZero();
                plain.start();
            }
        });
    }

    /** A request to subscribe that arrives when its caller has given up. */
    @Test
    void aLateSubscriptionIsNotKept() throws Exception {
        timed(() -> {
            try (LockClient client = plain(link, "fair", "false");
                    LockClient other = other()) {
                Lease held = other.acquire(X);
                server.setHook((step, operation, name) -> {
                    if (operation.equals("acquire") && step == MemoryServer.Step.AFTER) {
                        link.delayNextRequest();
                    }
                });
                assertThat(client.tryAcquire(X.waitUpTo(ms(1)))).isEmpty();
                server.setHook(MemoryServer.Hook.NONE);
                link.mend();
                held.close();
                assertThat(server.size()).isZero();
            }
        });
    }

    /** Clients that come and go leave nothing at the servers that all of the process shares. */
    @Test
    void aClosedClientCostsNoMemory() {
        long before = 0;
        for (int i = 0; i < 60_000; i++) {
            LockProviders.open("memory://come-and-go").close();
            if (i == 20_000) {
                before = RealTimeTest.liveHeap();
            }
        }
        assertThat(RealTimeTest.liveHeap() - before).isLessThan(2_000_000);
    }

    /** The end of a wait may be years away; a request that a place sends is bounded all the same. */
    @Test
    void aLostAnswerToAQueuedWaiterCostsAnOperationTimeout() throws Exception {
        timed(() -> {
            try (LockClient client = plain(link);
                    LockClient other = other()) {
                Lease held = other.acquire(X);
                CompletableFuture<Lease> waiter = start(() -> client.acquire(X.waitForever()));
                time.sleep(s(1));
                link.dropNextReply();
                held.close();
                time.sleep(s(3));
                assertThat(waiter).isCompleted();
                assertThat(join(waiter).isHeld()).isTrue();
            }
        });
    }

    /** Signals that a silent link has swallowed are made up for when it is mended. */
    @Test
    void aReleaseDuringAnOutageIsNotMissed() throws Exception {
        timed(() -> {
            try (LockClient client = plain(link, "fair", "false");
                    LockClient other = other()) {
                for (int round = 0; round < 2; round++) {
                    Lease held = other.acquire(X.lease(Duration.ofHours(1)));
                    CompletableFuture<Lease> waiter = start(() -> client.acquire(X.waitForever()));
                    time.sleep(s(1));
                    if (round == 0) {
                        link.cut();
                    } else {
                        server.pause();
                    }
                    CompletableFuture<ReleaseOutcome> release = start(held::release);
                    time.sleep(s(1));
                    link.mend();
                    server.resume();
                    time.sleep(s(1));
                    assertThat(waiter).as("round %d", round).isCompleted();
                    join(waiter).close();
                    join(release);
                }
            }
        });
    }

    /** Whoever does not queue asks at the very moment at which a lease with a queue runs out. */
    @Test
    void waitersWithAndWithoutAQueueMix() throws Exception {
        timed(() -> {
            MemoryServer.Link dead = server.link();
            Lease unused = plain(dead).acquire(X.fixedLease(s(5)));
            dead.cut();
            try (LockClient unfair = plain(link, "fair", "false");
                    LockClient fair = other()) {
                CompletableFuture<Lease> first = start(() -> unfair.acquire(X.waitForever()));
                time.sleep(ms(1));
                CompletableFuture<Lease> second = start(() -> fair.acquire(X.waitForever()));
                join(second).close();
                join(first).close();
            }
        });
    }
}

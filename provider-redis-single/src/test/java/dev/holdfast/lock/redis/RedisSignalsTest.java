package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.ReleaseOutcome;
import dev.holdfast.lock.spi.AcquireResult;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.Hold;
import dev.holdfast.lock.spi.LockBackend;
import dev.holdfast.lock.spi.ReleaseSignals;
import dev.holdfast.lock.spi.ReleaseSignals.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

class RedisSignalsTest {
    private final TestServer server = TestServer.shared();
    private final TestLink link = new TestLink(server.port());
    private final LockBackend holder = open(server.uri());
    private final LockBackend waiter = open(link.uri());

    private static LockBackend open(String uri) {
        try {
            return new RedisLockProvider().open(LockOptions.parse(uri), Wait.TIME);
        } catch (BackendException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void close() throws Exception {
        holder.close();
        link.mend();
        waiter.close();
        link.close();
        Wait.until("no subscription is left", () -> channels() == 0);
        Wait.until(
                "no thread is left",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(t -> t.getName().startsWith("holdfast-redis")));
    }

    private int channels() {
        try (Jedis admin = server.admin()) {
            return admin.pubsubChannels("holdfast:*").size();
        }
    }

    private long subscribers() {
        try (Jedis admin = server.admin()) {
            return admin.clientList(ClientType.PUBSUB)
                    .lines()
                    .filter(l -> !l.isBlank())
                    .count();
        }
    }

    private Subscription subscribe(String name, Runnable signal) throws Exception {
        return ((ReleaseSignals) waiter).subscribe(name, signal, Wait.inMillis(2000));
    }

    private static Hold acquire(LockBackend by, String name) throws Exception {
        return ((AcquireResult.Granted) by.acquire(TestAttempt.of(name), Wait.inMillis(2000))).hold();
    }

    private static void release(Hold hold) throws Exception {
        assertThat(hold.release(Wait.inMillis(2000))).isEqualTo(ReleaseOutcome.RELEASED);
    }

    private Duration hint(String name) throws Exception {
        return ((AcquireResult.Busy) waiter.acquire(TestAttempt.of(name), Wait.inMillis(2000))).retryAfter();
    }

    @Test
    void aReleaseIsSignalledToThoseOfTheName() throws Exception {
        AtomicInteger x = new AtomicInteger();
        AtomicInteger y = new AtomicInteger();
        Hold hold = acquire(holder, "x");
        subscribe("x", x::incrementAndGet);
        subscribe("y", y::incrementAndGet);
        release(hold);
        Wait.until("a signal", () -> x.get() == 1);
        release(acquire(holder, "y"));
        Wait.until("a signal", () -> y.get() == 1);
        assertThat(x).hasValue(1);
    }

    @Test
    void aWaiterSleepsAsLongAsTheLeaseOnlyIfSignalsArrive() throws Exception {
        acquire(holder, "x");
        assertThat(hint("x")).isLessThanOrEqualTo(Duration.ofMillis(100));
        subscribe("x", () -> {});
        assertThat(hint("x")).isBetween(Duration.ofSeconds(25), Duration.ofMillis(30_001));
    }

    @Test
    void manyNamesShareOneConnectionAndItGoesWithTheLast() throws Exception {
        long before = subscribers();
        List<Subscription> all = new ArrayList<>();
        List<CompletableFuture<Void>> done = new ArrayList<>();
        AtomicInteger signals = new AtomicInteger();
        for (int t = 0; t < 10; t++) {
            int thread = t;
            CompletableFuture<Void> ready = new CompletableFuture<>();
            done.add(ready);
            Wait.TIME.execute(() -> {
                try {
                    for (int i = 0; i < 100; i++) {
                        Subscription s = subscribe("n" + thread + "-" + i, signals::incrementAndGet);
                        synchronized (all) {
                            all.add(s);
                        }
                    }
                    ready.complete(null);
                } catch (Exception e) {
                    ready.completeExceptionally(e);
                }
            });
        }
        CompletableFuture.allOf(done.toArray(CompletableFuture<?>[]::new)).join();
        assertThat(channels()).isEqualTo(1000);
        assertThat(subscribers()).isEqualTo(before + 1);
        for (int t = 0; t < 10; t++) {
            release(acquire(holder, "n" + t + "-99"));
        }
        Wait.until("signals", () -> signals.get() == 10);
        all.forEach(Subscription::close);
        Wait.until("channels are gone", () -> channels() == 0);
        Wait.until("the connection is gone", () -> subscribers() == before);
        subscribe("again", signals::incrementAndGet);
        release(acquire(holder, "again"));
        Wait.until("a signal", () -> signals.get() == 11);
    }

    @Test
    void closingAnOldSubscriptionLeavesANewOneOfTheSameName() throws Exception {
        AtomicInteger signals = new AtomicInteger();
        for (int i = 1; i <= 200; i++) {
            Subscription old = subscribe("x", () -> {});
            old.close();
            Subscription now = subscribe("x", signals::incrementAndGet);
            old.close();
            release(acquire(holder, "x"));
            int expected = i;
            Wait.until("signal " + i, () -> signals.get() == expected);
            now.close();
        }
        Wait.until("channels are gone", () -> channels() == 0);
    }

    @Test
    void aLostConnectionTellsEverybodyOnceAndComesBack() throws Exception {
        AtomicInteger x = new AtomicInteger();
        AtomicInteger y = new AtomicInteger();
        acquire(holder, "x");
        subscribe("x", x::incrementAndGet);
        subscribe("y", y::incrementAndGet);
        try (Jedis admin = server.admin()) {
            admin.clientKill(ClientKillParams.clientKillParams().type(ClientType.PUBSUB));
        }
        Wait.until("listeners ran", () -> x.get() == 1 && y.get() == 1);
        Wait.until("subscribed again", () -> channels() == 2 && hint("x").toMillis() > 1000);
        release(acquire(holder, "y"));
        Wait.until("a signal", () -> y.get() == 2);
        assertThat(x).hasValue(1);
    }

    @Test
    void whileItIsDownWaitersAskOften() throws Exception {
        AtomicInteger x = new AtomicInteger();
        acquire(holder, "x");
        subscribe("x", x::incrementAndGet);
        link.reset();
        Wait.until("the loss is noticed", () -> x.get() > 0);
        link.holdRequests();
        Wait.pass(Duration.ofMillis(100));
        link.cut();
        Wait.pass(Duration.ofMillis(50));
        link.mend();
        // Until it listens again, the hint is short; then it is the rest of the lease.
        Duration first = hint("x");
        Wait.until("it listens again", () -> hint("x").toMillis() > 1000);
        assertThat(first.toMillis() <= 100 || first.toMillis() > 1000).isTrue();
    }

    @Test
    void aLinkThatDiesInSilenceIsNoticed() throws Exception {
        AtomicInteger x = new AtomicInteger();
        subscribe("x", x::incrementAndGet);
        long from = Wait.TIME.nanoTime();
        link.hold();
        Wait.until("the silence is noticed", () -> x.get() > 0);
        assertThat(Wait.since(from)).isLessThan(Duration.ofSeconds(9));
        link.mend();
        Wait.until("subscribed again", () -> channels() == 1);
    }

    @Test
    void aQuietLinkIsKept() throws Exception {
        AtomicInteger x = new AtomicInteger();
        subscribe("x", x::incrementAndGet);
        Wait.pass(Duration.ofSeconds(8));
        assertThat(x).hasValue(0);
        release(acquire(holder, "x"));
        Wait.until("a signal", () -> x.get() == 1);
    }

    @Test
    void subscribingEndsAtItsDeadline() throws Exception {
        link.hold();
        long from = Wait.TIME.nanoTime();
        BackendException e = catchThrowableOfType(
                BackendException.class, () -> ((ReleaseSignals) waiter).subscribe("x", () -> {}, Wait.inMillis(300)));
        assertThat(Wait.since(from)).isBetween(Duration.ofMillis(290), Duration.ofMillis(500));
        assertThat(e.kind()).isEqualTo(BackendException.Kind.UNAVAILABLE);
        link.mend();
        AtomicInteger x = new AtomicInteger();
        subscribe("x", x::incrementAndGet);
        release(acquire(holder, "x"));
        Wait.until("a signal", () -> x.get() == 1);
    }
}

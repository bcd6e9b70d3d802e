package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.LockRefusedException;
import dev.holdfast.lock.LockRequest;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.ReleaseOutcome;
import dev.holdfast.lock.Require;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/** Whole clients on a real server. */
class RedisLockTest {
    private static final LockRequest X = LockRequest.of("x");
    private static final Duration A_WHILE = Duration.ofMillis(500);

    private final TestServer server = TestServer.shared();
    private final TestLink link = new TestLink(server.port());
    private final List<LockClient> clients = new ArrayList<>();

    private LockClient client(String uri) {
        LockClient c = LockClient.open(new RedisLockProvider(), LockOptions.parse(uri));
        clients.add(c);
        return c;
    }

    private LockClient client() {
        return client(server.uri());
    }

    @AfterEach
    void close() throws Exception {
        link.mend();
        clients.forEach(LockClient::close);
        link.close();
        Wait.until("no subscription is left", () -> channels() == 0);
        Wait.until("no connection is left", () -> server.connections() == 0);
    }

    private int channels() {
        try (Jedis admin = server.admin()) {
            return admin.pubsubChannels("holdfast:*").size();
        }
    }

    private static <T> CompletableFuture<T> async(Callable<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                result.complete(call.call());
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    private static <T> T soon(CompletableFuture<T> result) throws Exception {
        return result.get(30, TimeUnit.SECONDS);
    }

    private void untilWaiting() throws Exception {
        Wait.until("somebody waits", () -> channels() > 0);
    }

    @Test
    void twoClientsExcludeEachOtherAndAHandOffIsPrompt() throws Exception {
        LockClient a = client();
        LockClient b = client();
        List<Duration> gaps = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            Lease held = a.acquire(X);
            assertThat(b.tryAcquire(X)).isEmpty();
            AtomicLong got = new AtomicLong();
            CompletableFuture<Lease> next = async(() -> {
                Lease lease = b.acquire(X);
                got.set(Wait.TIME.nanoTime());
                return lease;
            });
            untilWaiting();
            long from = Wait.TIME.nanoTime();
            assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
            Lease lease = soon(next);
            assertThat(lease.token()).isGreaterThan(held.token());
            gaps.add(Duration.ofNanos(got.get() - from));
            lease.release();
        }
        gaps.sort(null);
        assertThat(gaps.get(25)).isLessThan(Duration.ofMillis(50));
    }

    @Test
    void theLoserKeepsWaiting() throws Exception {
        LockClient h = client();
        LockClient w1 = client();
        LockClient w2 = client();
        Lease held = h.acquire(X);
        AtomicLong released = new AtomicLong();
        AtomicInteger order = new AtomicInteger();
        Callable<Duration> wait1 = () -> waitAndHold(w1, order, released);
        Callable<Duration> wait2 = () -> waitAndHold(w2, order, released);
        CompletableFuture<Duration> first = async(wait1);
        CompletableFuture<Duration> second = async(wait2);
        untilWaiting();
        held.release();
        Duration loser = soon(first).compareTo(soon(second)) > 0 ? soon(first) : soon(second);
        assertThat(loser).isLessThan(Duration.ofMillis(300));
        assertThat(order).hasValue(2);
    }

    /** How long after the release before it was granted. */
    private static Duration waitAndHold(LockClient by, AtomicInteger order, AtomicLong released) throws Exception {
        try (Lease lease = by.acquire(X)) {
            Duration since = order.getAndIncrement() == 0 ? Duration.ZERO : Wait.since(released.get());
            assertThat(lease.isHeld()).isTrue();
            Wait.pass(A_WHILE);
            released.set(Wait.TIME.nanoTime());
            return since;
        }
    }

    @Test
    void aWaiterIsServedWhenALeaseRunsOut() throws Exception {
        LockClient a = client();
        LockClient b = client();
        a.acquire(X.fixedLease(Duration.ofSeconds(1)));
        long from = Wait.TIME.nanoTime();
        b.acquire(X);
        assertThat(Wait.since(from)).isBetween(Duration.ofMillis(900), Duration.ofMillis(1300));
    }

    @Test
    void aReleaseAtAnyMomentOfAWaitIsSeen() throws Exception {
        LockClient a = client();
        LockClient b = client();
        Random random = new Random(4711);
        for (int i = 0; i < Profile.rounds(300, 2000); i++) {
            LockRequest name = LockRequest.of("n" + i % 7);
            Lease held = b.acquire(name);
            CompletableFuture<Duration> wait = async(() -> {
                long from = Wait.TIME.nanoTime();
                a.acquire(name).release();
                return Wait.since(from);
            });
            long until = Wait.TIME.nanoTime() + random.nextInt(2_000_000);
            while (Wait.TIME.nanoTime() - until < 0) {
                Thread.onSpinWait();
            }
            held.release();
            assertThat(soon(wait)).as("round %d", i).isLessThan(Duration.ofMillis(500));
        }
    }

    @Test
    void aLostSignalConnectionDoesNotLoseAWaiter() throws Exception {
        LockClient a = client();
        LockClient b = client();
        for (int i = 0; i < 20; i++) {
            Lease held = a.acquire(X);
            CompletableFuture<Lease> next = async(() -> b.acquire(X));
            untilWaiting();
            try (Jedis admin = server.admin()) {
                admin.clientKill(ClientKillParams.clientKillParams().type(ClientType.PUBSUB));
            }
            long from = Wait.TIME.nanoTime();
            held.release();
            soon(next).release();
            assertThat(Wait.since(from)).isLessThan(A_WHILE);
        }
    }

    @Test
    void aTakenHoldIsLostOnceAndNeverWrittenAgain() throws Exception {
        LockClient a = client();
        LockClient b = client();
        Lease held = a.acquire(X.lease(Duration.ofMillis(600)));
        Queue<LeaseLoss> losses = new ConcurrentLinkedQueue<>();
        held.onLost(losses::add);
        try (Jedis admin = server.admin()) {
            admin.del("holdfast:lock:x");
            b.acquire(X).release();
            Wait.until("the loss is noticed", () -> !losses.isEmpty());
            assertThat(held.isHeld()).isFalse();
            assertThat(held.state()).isEqualTo(LeaseState.LOST);
            admin.configResetStat();
            Wait.pass(Duration.ofMillis(700));
            assertThat(admin.exists("holdfast:lock:x")).isFalse();
            assertThat(server.calls("evalsha")).isZero();
        }
        assertThat(losses).singleElement().satisfies(l -> assertThat(l.cause()).isEqualTo(LeaseLoss.Cause.REVOKED));
    }

    @Test
    void nothingIsRenewedAfterARelease() throws Exception {
        LockClient a = client();
        LockRequest brief = X.lease(Duration.ofMillis(300));
        for (int i = 0; i < 500; i++) {
            a.acquire(brief).release();
        }
        try (Jedis admin = server.admin()) {
            admin.configResetStat();
            Wait.pass(Duration.ofMillis(600));
            assertThat(server.calls("evalsha")).isZero();
            assertThat(admin.exists("holdfast:lock:x")).isFalse();
        }
    }

    @Test
    void aHoldIsKeptByRenewal() throws Exception {
        LockClient a = client();
        LockClient b = client();
        Lease held = a.acquire(X.lease(Duration.ofMillis(400)));
        Wait.pass(Duration.ofSeconds(2));
        assertThat(held.isHeld()).isTrue();
        assertThat(b.tryAcquire(X)).isEmpty();
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void anOutageShorterThanTheLeaseCostsNothing() throws Exception {
        LockClient a = client(link.uri() + "?operation-timeout=200ms");
        Lease held = a.acquire(X.lease(Duration.ofSeconds(3)));
        link.hold();
        Wait.pass(Duration.ofMillis(1500));
        link.mend();
        Wait.pass(Duration.ofSeconds(3));
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void anAcquireWithoutAnswerIsUndone() throws Exception {
        LockClient a = client(link.uri() + "?operation-timeout=300ms");
        LockClient b = client();
        a.acquire(LockRequest.of("warm")).release();
        link.holdAnswers();
        assertThatThrownBy(() -> a.tryAcquire(X.lease(Duration.ofSeconds(60))))
                .isInstanceOf(LockUnavailableException.class);
        link.mend();
        b.acquire(X.waitUpTo(Duration.ofSeconds(3))).release();
    }

    @Test
    void anAcquireWhoseAnswerWasLateNeedsOneRelease() throws Exception {
        LockClient a = client(link.uri() + "?operation-timeout=200ms");
        LockClient b = client();
        a.acquire(LockRequest.of("warm")).release();
        link.holdAnswers();
        CompletableFuture<Lease> late = async(() -> a.acquire(X));
        Wait.pass(Duration.ofMillis(400));
        link.mend();
        Lease lease = soon(late);
        try (Jedis admin = server.admin()) {
            assertThat(admin.get("holdfast:lock:x")).isEqualTo(lease.id() + ":" + lease.token());
        }
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        b.acquire(X.waitUpTo(Duration.ofSeconds(1))).release();
    }

    @Test
    void aReleaseWithoutAnswerIsRepeated() throws Exception {
        LockClient a = client(link.uri() + "?operation-timeout=200ms");
        LockClient b = client();
        Lease held = a.acquire(X);
        link.hold();
        assertThat(held.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
        assertThat(held.isHeld()).isFalse();
        link.mend();
        b.acquire(X.waitUpTo(Duration.ofSeconds(3))).release();
    }

    @Test
    void anUnreachableServerIsUnavailableInTimeAndNeverBusy() throws Exception {
        LockClient a = client(link.uri() + "?operation-timeout=300ms");
        for (Runnable fault : List.<Runnable>of(link::hold, link::cut, link::holdAnswers)) {
            a.acquire(LockRequest.of("warm")).release();
            fault.run();
            long from = Wait.TIME.nanoTime();
            assertThatThrownBy(() -> a.tryAcquire(X.waitUpTo(Duration.ofSeconds(1))))
                    .isInstanceOf(LockUnavailableException.class);
            assertThat(Wait.since(from)).isBetween(Duration.ofMillis(990), Duration.ofMillis(1300));
            assertThatThrownBy(() -> a.tryAcquire(X)).isInstanceOf(LockUnavailableException.class);
            link.mend();
            Wait.until("it works again", () -> {
                try {
                    return a.tryAcquire(LockRequest.of("again"))
                            .map(Lease::release)
                            .isPresent();
                } catch (LockUnavailableException e) {
                    return false;
                }
            });
        }
        server.pause();
        try {
            assertThatThrownBy(() -> a.tryAcquire(X.waitUpTo(Duration.ofSeconds(1))))
                    .isInstanceOf(LockUnavailableException.class);
        } finally {
            server.unpause();
        }
    }

    @Test
    void busyForTheWholeWaitIsATimeout() throws Exception {
        client().acquire(X);
        LockClient b = client();
        long from = Wait.TIME.nanoTime();
        assertThatThrownBy(() -> b.acquire(X.waitUpTo(Duration.ofMillis(300))))
                .isInstanceOf(LockTimeoutException.class);
        assertThat(Wait.since(from)).isBetween(Duration.ofMillis(300), Duration.ofMillis(550));
    }

    @Test
    void aHolderThatIsCutOffKnowsBeforeTheNextOneIsGranted() throws Exception {
        LockClient a = client(link.uri() + "?operation-timeout=200ms");
        LockClient b = client();
        for (int i = 0; i < 3; i++) {
            Lease held = a.acquire(X.lease(Duration.ofMillis(600)));
            link.hold();
            Lease next = b.acquire(X);
            assertThat(held.isHeld()).isFalse();
            next.release();
            link.mend();
            Wait.until("it works again", () -> {
                try {
                    return a.tryAcquire(LockRequest.of("again"))
                            .map(Lease::release)
                            .isPresent();
                } catch (LockUnavailableException e) {
                    return false;
                }
            });
        }
    }

    @Test
    void manyFailedWaitsLeaveNothingAtTheServer() throws Exception {
        LockClient b = client();
        LockClient a = client();
        a.acquire(LockRequest.of("warm")).release();
        List<Lease> held = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            held.add(b.acquire(LockRequest.of("n" + i)));
        }
        Wait.until("it is quiet", () -> server.connections() == 2);
        List<CompletableFuture<Boolean>> waits = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            LockRequest name = LockRequest.of("n" + i).waitUpTo(Duration.ofSeconds(1));
            waits.add(async(() -> a.tryAcquire(name).isPresent()));
        }
        for (CompletableFuture<Boolean> wait : waits) {
            assertThat(soon(wait)).isFalse();
        }
        Wait.until("no channel is left", () -> channels() == 0);
        Wait.until("no more connections than before", () -> server.connections() == 2);
        try (Jedis admin = server.admin()) {
            assertThat(admin.clientList(ClientType.PUBSUB).lines().filter(l -> !l.isBlank()))
                    .isEmpty();
        }
        held.forEach(Lease::release);
    }

    @Test
    void itWorksAfterARestartAndTellsTheHolder() throws Exception {
        try (TestServer own = TestServer.with()) {
            LockClient a = LockClient.open(new RedisLockProvider(), own.options());
            Lease held = a.acquire(X.lease(Duration.ofSeconds(1)));
            CompletableFuture<LeaseLoss> loss = new CompletableFuture<>();
            held.onLost(loss::complete);
            own.kill();
            own.start();
            assertThat(soon(loss).cause()).isIn(LeaseLoss.Cause.REVOKED, LeaseLoss.Cause.EXPIRED);
            // The counter is gone as well: a client that remembers says so, and a new one begins again.
            LockRefusedException e = catchThrowableOfType(LockRefusedException.class, () -> a.acquire(X));
            assertThat(e).hasMessageContaining("the server lost data");
            try (Jedis admin = own.admin()) {
                Wait.until("it is given back", () -> !admin.exists("holdfast:lock:x"));
            }
            a.close();
            try (LockClient b = LockClient.open(new RedisLockProvider(), own.options())) {
                b.acquire(X).release();
            }
        }
    }

    @Test
    void aDurableServerKeepsLockAndCounterOverARestart() throws Exception {
        try (TestServer own = TestServer.with("--appendonly", "yes", "--appendfsync", "always");
                LockClient a = LockClient.open(new RedisLockProvider(), own.options(), Require.correctness());
                LockClient b = LockClient.open(new RedisLockProvider(), own.options())) {
            Lease held = a.acquire(X.lease(Duration.ofSeconds(10)));
            own.kill();
            own.start();
            assertThat(b.tryAcquire(X.waitUpTo(A_WHILE))).isEmpty();
            assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
            assertThat(b.acquire(X).token()).isGreaterThan(held.token());
        }
    }

    @Test
    void correctnessIsRefusedOnADefaultServerWithTheWayOut() {
        assertThatThrownBy(() -> LockClient.open(new RedisLockProvider(), server.options(), Require.correctness()))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("set appendonly yes and appendfsync always");
    }

    @Test
    void guaranteesThatFallEndWhatWasHeldUnderThem() throws Exception {
        try (TestServer own = TestServer.with("--appendonly", "yes", "--appendfsync", "always");
                LockClient a = LockClient.open(new RedisLockProvider(), own.options(), Require.correctness());
                Jedis admin = own.admin()) {
            Lease held = a.acquire(X.lease(Duration.ofSeconds(1)));
            CompletableFuture<LeaseLoss> loss = new CompletableFuture<>();
            held.onLost(loss::complete);
            admin.configSet("appendfsync", "everysec");
            admin.clientKill(ClientKillParams.clientKillParams().type(ClientType.NORMAL));
            assertThat(soon(loss).cause()).isEqualTo(LeaseLoss.Cause.GUARANTEES_LOWERED);
            assertThatThrownBy(() -> a.acquire(X))
                    .isInstanceOf(LockRefusedException.class)
                    .hasMessageContaining("appendfsync is everysec");
        }
    }

    @Test
    void aFullServerRefusesNewLocksWithACauseAndReleasesOldOnes() throws Exception {
        try (TestServer own = TestServer.with("--maxmemory", "100mb", "--maxmemory-policy", "noeviction");
                LockClient a = LockClient.open(new RedisLockProvider(), own.options());
                Jedis admin = own.admin()) {
            Lease held = a.acquire(X);
            admin.configSet("maxmemory", "1");
            LockUnavailableException e =
                    catchThrowableOfType(LockUnavailableException.class, () -> a.tryAcquire(LockRequest.of("y")));
            assertThat(e).hasMessageContaining("OOM");
            assertThat(e.getCause()).isNotNull();
            assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
            assertThat(admin.exists("holdfast:lock:x")).isFalse();
        }
    }

    @Test
    void anEvictedLockIsLost() throws Exception {
        try (TestServer own = TestServer.with("--maxmemory", "3mb", "--maxmemory-policy", "allkeys-random");
                LockClient a = LockClient.open(new RedisLockProvider(), own.options());
                Jedis admin = own.admin()) {
            assertThat(a.observations()).anyMatch(r -> r.contains("may be evicted"));
            Lease held = a.acquire(X.lease(Duration.ofSeconds(1)));
            CompletableFuture<LeaseLoss> loss = new CompletableFuture<>();
            held.onLost(loss::complete);
            for (int i = 0; i < 200_000 && admin.exists("holdfast:lock:x"); i++) {
                admin.set("foreign" + i, "x".repeat(1000));
            }
            assertThat(soon(loss).cause()).isEqualTo(LeaseLoss.Cause.REVOKED);
        }
    }

    @Test
    void anApplicationsClientStaysOpenAndServesSeveral() throws Exception {
        try (RedisClient own = RedisClient.create("127.0.0.1", server.port())) {
            LockOptions options = LockOptions.builder("redis").build();
            LockClient a = LockClient.open(RedisLockProvider.on(own), options);
            LockClient b = LockClient.open(RedisLockProvider.on(own), options);
            Lease held = a.acquire(X);
            CompletableFuture<Lease> next = async(() -> b.acquire(X));
            untilWaiting();
            held.release();
            Lease got = soon(next);
            a.close();
            assertThat(got.isHeld()).isTrue();
            assertThat(own.ping()).isEqualTo("PONG");
            got.release();
            b.close();
            assertThat(own.ping()).isEqualTo("PONG");
            assertThat(own.getPool().getNumActive()).isZero();
            // Connections go back as they were.
            assertThat(own.getPool().getNumIdle()).isPositive();
            while (own.getPool().getNumIdle() > 0) {
                assertThat(own.getPool().borrowObject().getSoTimeout()).isEqualTo(2000);
            }
        }
    }

    @Test
    void anApplicationsClientThatHangsIsUnavailableInTime() throws Exception {
        try (RedisClient own = RedisClient.create("127.0.0.1", server.port());
                LockClient a = LockClient.open(
                        RedisLockProvider.on(own),
                        LockOptions.builder("redis")
                                .option("operation-timeout", "300ms")
                                .build())) {
            a.acquire(X).release();
            server.pause();
            try {
                for (int i = 0; i < 3; i++) {
                    long from = Wait.TIME.nanoTime();
                    assertThatThrownBy(() -> a.tryAcquire(X)).isInstanceOf(LockUnavailableException.class);
                    assertThat(Wait.since(from)).isLessThan(Duration.ofMillis(550));
                }
            } finally {
                server.unpause();
            }
            Wait.until("it works again", () -> {
                try {
                    return a.tryAcquire(X).map(Lease::release).isPresent();
                } catch (LockUnavailableException e) {
                    return false;
                }
            });
        }
    }
}

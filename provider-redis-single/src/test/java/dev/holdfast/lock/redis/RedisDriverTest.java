package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.ReleaseOutcome;
import dev.holdfast.lock.spi.AcquireResult;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.Hold;
import dev.holdfast.lock.spi.HoldState;
import dev.holdfast.lock.spi.LockBackend;
import dev.holdfast.lock.spi.RenewTogether;
import dev.holdfast.lock.spi.RenewTogether.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;
import redis.clients.jedis.params.SetParams;

/** The driver on a server that works, with other people's hands in it. */
class RedisDriverTest {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final TestServer server = TestServer.shared();
    private final List<LockBackend> opened = new ArrayList<>();
    private final LockBackend backend = open("");
    private final LockBackend other = open("");

    private LockBackend open(String query) {
        try {
            LockBackend b = new RedisLockProvider().open(server.options(query), Wait.TIME);
            opened.add(b);
            return b;
        } catch (BackendException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void close() {
        opened.forEach(LockBackend::close);
    }

    private static long soon() {
        return Wait.inMillis(2000);
    }

    private static Hold granted(LockBackend by, TestAttempt attempt) throws Exception {
        AcquireResult result = by.acquire(attempt, soon());
        assertThat(result).isInstanceOf(AcquireResult.Granted.class);
        return ((AcquireResult.Granted) result).hold();
    }

    private static Duration busy(LockBackend by, TestAttempt attempt) throws Exception {
        AcquireResult result = by.acquire(attempt, soon());
        assertThat(result).isInstanceOf(AcquireResult.Busy.class);
        return ((AcquireResult.Busy) result).retryAfter();
    }

    private static long token(Hold hold) {
        return hold.token().orElseThrow();
    }

    @Test
    void excludesUntilReleased() throws Exception {
        long before = Wait.TIME.nanoTime();
        AcquireResult.Granted first = (AcquireResult.Granted) backend.acquire(TestAttempt.of("x"), soon());
        assertThat(first.confirmedAt()).isBetween(before, Wait.TIME.nanoTime());
        busy(other, TestAttempt.of("x"));
        granted(other, TestAttempt.of("y"));
        assertThat(first.hold().check(soon())).isInstanceOf(HoldState.Held.class);
        assertThat(first.hold().release(soon())).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(first.hold().release(soon())).isEqualTo(ReleaseOutcome.NOT_HELD);
        assertThat(token(granted(other, TestAttempt.of("x")))).isGreaterThan(token(first.hold()));
    }

    @Test
    void anAttemptThatIsRepeatedFindsItsMark() throws Exception {
        TestAttempt attempt = TestAttempt.of("x", Duration.ofSeconds(5));
        Hold first = granted(backend, attempt);
        try (Jedis admin = server.admin()) {
            admin.pexpire("holdfast:lock:x", 1000);
            Hold again = granted(backend, attempt);
            assertThat(token(again)).isEqualTo(token(first));
            assertThat(admin.pttl("holdfast:lock:x")).isBetween(4000L, 5000L);
            assertThat(again.release(soon())).isEqualTo(ReleaseOutcome.RELEASED);
            assertThat(admin.exists("holdfast:lock:x")).isFalse();
        }
    }

    @Test
    void idsOfWhichOneBeginsLikeTheOtherAreDifferent() throws Exception {
        TestAttempt shorter = new TestAttempt("x", "abc", LEASE);
        TestAttempt longer = new TestAttempt("x", "abcd", LEASE);
        Hold hold = granted(backend, longer);
        busy(backend, shorter);
        assertThat(backend.abandon(shorter, soon())).isFalse();
        assertThat(hold.check(soon())).isInstanceOf(HoldState.Held.class);
        assertThat(hold.release(soon())).isEqualTo(ReleaseOutcome.RELEASED);
        hold = granted(backend, shorter);
        busy(backend, longer);
        assertThat(backend.abandon(longer, soon())).isFalse();
        assertThat(hold.check(soon())).isInstanceOf(HoldState.Held.class);
    }

    @Test
    void renewalProlongsAndNeverShortens() throws Exception {
        Hold hold = granted(backend, TestAttempt.of("x", Duration.ofSeconds(5)));
        try (Jedis admin = server.admin()) {
            long before = Wait.TIME.nanoTime();
            HoldState state = hold.renew(Duration.ofSeconds(60), soon());
            assertThat(((HoldState.Held) state).confirmedAt()).isBetween(before, Wait.TIME.nanoTime());
            assertThat(admin.pttl("holdfast:lock:x")).isBetween(58_000L, 60_000L);
            assertThat(hold.renew(Duration.ofSeconds(1), soon())).isInstanceOf(HoldState.Held.class);
            assertThat(admin.pttl("holdfast:lock:x")).isBetween(55_000L, 60_000L);
        }
    }

    @Test
    void whatIsGoneOrAnothersIsLostAndStaysUntouched() throws Exception {
        Hold hold = granted(backend, TestAttempt.of("x"));
        try (Jedis admin = server.admin()) {
            admin.del("holdfast:lock:x");
            assertThat(hold.check(soon())).isInstanceOf(HoldState.Lost.class);
            assertThat(hold.renew(LEASE, soon())).isInstanceOf(HoldState.Lost.class);
            assertThat(admin.exists("holdfast:lock:x")).isFalse();
            Hold next = granted(other, TestAttempt.of("x", Duration.ofSeconds(10)));
            HoldState.Lost lost = (HoldState.Lost) hold.renew(LEASE, soon());
            assertThat(lost.cause()).isEqualTo(LeaseLoss.Cause.REVOKED);
            assertThat(lost.detail()).contains("another's");
            assertThat(hold.check(soon())).isInstanceOf(HoldState.Lost.class);
            assertThat(hold.release(soon())).isEqualTo(ReleaseOutcome.NOT_HELD);
            assertThat(admin.pttl("holdfast:lock:x")).isLessThanOrEqualTo(10_000);
            assertThat(next.check(soon())).isInstanceOf(HoldState.Held.class);
        }
    }

    @Test
    void aLeaseEndsByItself() throws Exception {
        granted(backend, TestAttempt.of("x", Duration.ofMillis(100)));
        Duration hint = busy(other, TestAttempt.of("x"));
        assertThat(hint).isLessThanOrEqualTo(Duration.ofMillis(101)).isPositive();
        Wait.pass(hint.plusMillis(1));
        granted(other, TestAttempt.of("x"));
    }

    @Test
    void tokensRiseAcrossClientsAndNamesAndPast2To53() throws Exception {
        try (Jedis admin = server.admin()) {
            for (long start : new long[] {0, Integer.MAX_VALUE - 2L, (1L << 53) - 3, Long.MAX_VALUE - 7}) {
                admin.set("holdfast:token", Long.toString(start));
                for (int i = 1; i <= 6; i++) {
                    Hold hold = granted(i % 2 == 0 ? backend : other, TestAttempt.of(i % 3 == 0 ? "x" : "y"));
                    assertThat(token(hold)).isEqualTo(start + i);
                    hold.release(soon());
                }
            }
            assertThat(admin.ttl("holdfast:token")).isEqualTo(-1);
        }
    }

    @Test
    void anExhaustedOrNegativeCounterRefusesAndLocksNothing() throws Exception {
        try (Jedis admin = server.admin()) {
            for (String counter : List.of(Long.toString(Long.MAX_VALUE), "-5", "words")) {
                admin.set("holdfast:token", counter);
                BackendException e = catchThrowableOfType(
                        BackendException.class, () -> backend.acquire(TestAttempt.of("x"), soon()));
                assertThat(e.kind()).isEqualTo(BackendException.Kind.REFUSED);
                assertThat(admin.exists("holdfast:lock:x")).isFalse();
            }
        }
    }

    @Test
    void noLockKeyIsEverWithoutATimeToLive() throws Exception {
        for (int i = 0; i < 50; i++) {
            granted(backend, TestAttempt.of("n" + i));
        }
        try (Jedis admin = server.admin()) {
            assertThat(admin.keys("holdfast:lock:*"))
                    .hasSize(50)
                    .allSatisfy(key -> assertThat(admin.pttl(key)).isPositive());
        }
    }

    @Test
    void somebodyElsesKeyRefusesOrKeepsBusy() throws Exception {
        try (Jedis admin = server.admin()) {
            admin.lpush("holdfast:lock:x", "theirs");
            BackendException e =
                    catchThrowableOfType(BackendException.class, () -> backend.acquire(TestAttempt.of("x"), soon()));
            assertThat(e.kind()).isEqualTo(BackendException.Kind.REFUSED);
            assertThat(e).hasMessageContaining("WRONGTYPE").hasMessageContaining("another namespace");
            assertThat(admin.llen("holdfast:lock:x")).isEqualTo(1);
            admin.set("holdfast:lock:y", "theirs");
            assertThat(busy(backend, TestAttempt.of("y"))).isPositive();
        }
    }

    @Test
    void namesAndSpacesStayApart() throws Exception {
        LockBackend elsewhere = open("?namespace=elsewhere");
        LockBackend database = open("/1");
        List<String> names = List.of(
                "a",
                "A",
                "a ",
                "a\0",
                "\u00e9",
                "e\u0301",
                "a/b",
                "a:b",
                "token",
                "lock:a",
                "x".repeat(1000),
                "x".repeat(1001));
        for (String name : names) {
            granted(backend, TestAttempt.of(name));
            granted(elsewhere, TestAttempt.of(name));
            granted(database, TestAttempt.of(name));
        }
        for (String name : names) {
            busy(other, TestAttempt.of(name));
        }
    }

    @Test
    void aGrantAndAReleaseAreOneRequestEach() throws Exception {
        granted(backend, TestAttempt.of("warm")).release(soon());
        try (Jedis admin = server.admin()) {
            admin.configResetStat();
        }
        granted(backend, TestAttempt.of("x")).release(soon());
        assertThat(server.calls("evalsha")).isEqualTo(2);
        assertThat(server.calls("eval") + server.calls("ping") + server.calls("script|load"))
                .isZero();
    }

    @Test
    void scriptsAreSentAgainWhenTheServerForgotThem() throws Exception {
        Hold hold = granted(backend, TestAttempt.of("x"));
        try (Jedis admin = server.admin()) {
            admin.scriptFlush();
            assertThat(hold.renew(LEASE, soon())).isInstanceOf(HoldState.Held.class);
            admin.scriptFlush();
            assertThat(((RenewTogether) backend).renew(List.of(new Renewal(hold, LEASE)), soon()))
                    .singleElement()
                    .isInstanceOf(HoldState.Held.class);
            admin.scriptFlush();
            assertThat(hold.release(soon())).isEqualTo(ReleaseOutcome.RELEASED);
            admin.scriptFlush();
            granted(backend, TestAttempt.of("x"));
            admin.scriptFlush();
            busy(backend, TestAttempt.of("x"));
        }
    }

    @Test
    void manyAreRenewedTogether() throws Exception {
        List<Renewal> renewals = new ArrayList<>();
        for (int i = 0; i < 1500; i++) {
            renewals.add(new Renewal(granted(backend, TestAttempt.of("n" + i)), Duration.ofSeconds(100)));
        }
        try (Jedis admin = server.admin()) {
            admin.del("holdfast:lock:n7");
            admin.set("holdfast:lock:n1400", "theirs:1", SetParams.setParams().px(50_000));
            long before = Wait.TIME.nanoTime();
            List<HoldState> states = ((RenewTogether) backend).renew(renewals, soon());
            assertThat(states).hasSize(1500);
            for (int i = 0; i < 1500; i++) {
                if (i == 7 || i == 1400) {
                    assertThat(states.get(i)).isInstanceOf(HoldState.Lost.class);
                } else {
                    assertThat(((HoldState.Held) states.get(i)).confirmedAt()).isGreaterThan(before);
                    assertThat(admin.pttl("holdfast:lock:n" + i)).isGreaterThan(80_000);
                }
            }
            assertThat(admin.pttl("holdfast:lock:n1400")).isLessThanOrEqualTo(50_000);
        }
    }

    @Test
    void aLeaseIsRoundedUp() {
        assertThat(backend.effectiveLease(Duration.ofNanos(1), true)).isEqualTo(Duration.ofMillis(100));
        assertThat(backend.effectiveLease(Duration.ofMillis(900).plusNanos(1), true))
                .isEqualTo(Duration.ofMillis(901));
        assertThat(backend.effectiveLease(Duration.ofMillis(1500), false)).isEqualTo(Duration.ofMillis(1500));
    }

    @Test
    void anIdleConnectionThatTheServerClosedIsNotUsed() throws Exception {
        granted(backend, TestAttempt.of("x"));
        try (Jedis admin = server.admin()) {
            Wait.pass(Duration.ofMillis(600));
            admin.clientKill(ClientKillParams.clientKillParams().type(ClientType.NORMAL));
        }
        busy(backend, TestAttempt.of("x"));
    }

    @Test
    void tooFewConnectionsAreUnavailableInTime() throws Exception {
        LockBackend narrow = open("?pool-size=1");
        granted(narrow, TestAttempt.of("warm"));
        server.pause();
        try {
            CompletableFuture<Void> first = new CompletableFuture<>();
            Wait.TIME.execute(() -> {
                try {
                    narrow.acquire(TestAttempt.of("x"), Wait.inMillis(1000));
                    first.completeExceptionally(new AssertionError("granted by a paused server"));
                } catch (BackendException | InterruptedException e) {
                    first.complete(null);
                }
            });
            Wait.pass(Duration.ofMillis(100));
            long from = Wait.TIME.nanoTime();
            BackendException e = catchThrowableOfType(
                    BackendException.class, () -> narrow.acquire(TestAttempt.of("y"), Wait.inMillis(200)));
            assertThat(Wait.since(from)).isBetween(Duration.ofMillis(190), Duration.ofMillis(400));
            assertThat(e.kind()).isEqualTo(BackendException.Kind.UNAVAILABLE);
            assertThat(e).hasMessageContaining("pool-size");
            first.join();
        } finally {
            server.unpause();
        }
    }

    @Test
    void aDeadlineThatHasPassedSendsNothing() throws Exception {
        BackendException e = catchThrowableOfType(
                BackendException.class, () -> backend.acquire(TestAttempt.of("x"), Wait.inMillis(-1)));
        assertThat(e.kind()).isEqualTo(BackendException.Kind.UNAVAILABLE);
        granted(other, TestAttempt.of("x"));
    }

    @Test
    void anInterruptedThreadReleasesAllTheSame() throws Exception {
        Hold hold = granted(backend, TestAttempt.of("x"));
        Thread.currentThread().interrupt();
        assertThat(hold.release(soon())).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aClosedBackendIsUnavailableAndLeavesNothing() throws Exception {
        long before = server.connections();
        LockBackend third = open("");
        granted(third, TestAttempt.of("x"));
        third.close();
        assertThatThrownBy(() -> third.acquire(TestAttempt.of("y"), soon()))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("closed");
        Wait.until("connections are closed", () -> server.connections() == before);
    }

    @Test
    void surplusConnectionsAreClosed() throws Exception {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            String name = "n" + i;
            CompletableFuture<Void> done = new CompletableFuture<>();
            all.add(done);
            Wait.TIME.execute(() -> {
                try {
                    for (int k = 0; k < 100; k++) {
                        granted(backend, TestAttempt.of(name)).release(soon());
                    }
                    done.complete(null);
                } catch (Exception e) {
                    done.completeExceptionally(e);
                }
            });
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new)).join();
        assertThat(server.connections()).isGreaterThan(4);
        Wait.until("one connection for each of two clients is left", () -> server.connections() <= 2);
        granted(backend, TestAttempt.of("x"));
    }
}

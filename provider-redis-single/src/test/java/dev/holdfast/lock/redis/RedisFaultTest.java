package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.ReleaseOutcome;
import dev.holdfast.lock.spi.AcquireResult;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.BackendException.Kind;
import dev.holdfast.lock.spi.Hold;
import dev.holdfast.lock.spi.HoldState;
import dev.holdfast.lock.spi.LockBackend;
import dev.holdfast.lock.spi.RenewTogether;
import dev.holdfast.lock.spi.RenewTogether.Renewal;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** The driver on links and servers that fail. */
class RedisFaultTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration GRACE = Duration.ofMillis(200);

    private final TestServer server = TestServer.shared();
    private final TestLink link = new TestLink(server.port());
    private final List<LockBackend> opened = new ArrayList<>();

    private LockBackend open(String uri) throws BackendException {
        LockBackend b = new RedisLockProvider().open(LockOptions.parse(uri), Wait.TIME);
        opened.add(b);
        return b;
    }

    @AfterEach
    void close() {
        opened.forEach(LockBackend::close);
        link.close();
    }

    private static Hold granted(LockBackend by, TestAttempt attempt) throws Exception {
        return ((AcquireResult.Granted) by.acquire(attempt, Wait.inMillis(2000))).hold();
    }

    private static BackendException fails(Kind kind, ThrowingCallable call) {
        BackendException e = catchThrowableOfType(BackendException.class, call);
        assertThat(e).isNotNull();
        assertThat(e.kind()).as("%s", e.getMessage()).isEqualTo(kind);
        return e;
    }

    /** Each operation ends at its deadline, with this kind. */
    private static void endsInTime(Kind kind, LockBackend backend, Hold hold) {
        List<ThrowingCallable> all = List.of(
                () -> backend.acquire(TestAttempt.of("y"), Wait.inMillis(300)),
                () -> hold.renew(LEASE, Wait.inMillis(300)),
                () -> hold.check(Wait.inMillis(300)),
                () -> hold.release(Wait.inMillis(300)),
                () -> backend.abandon(TestAttempt.of("y"), Wait.inMillis(300)));
        for (ThrowingCallable one : all) {
            long from = Wait.TIME.nanoTime();
            fails(kind, one);
            assertThat(Wait.since(from)).isLessThan(Duration.ofMillis(300).plus(GRACE));
        }
    }

    @Test
    void aSilentServerIsUnclearInTime() throws Exception {
        LockBackend backend = open(link.uri());
        for (int round = 0; round < 2; round++) {
            Hold hold = granted(backend, TestAttempt.of("x" + round));
            link.hold();
            long from = Wait.TIME.nanoTime();
            fails(Kind.UNCLEAR, () -> hold.renew(LEASE, Wait.inMillis(300)));
            assertThat(Wait.since(from)).isBetween(Duration.ofMillis(290), Duration.ofMillis(500));
            // New connections are taken by nobody who answers: nothing was sent.
            endsInTime(Kind.UNAVAILABLE, backend, hold);
            link.mend();
        }
    }

    @Test
    void aServerThatStandsStillIsUnclearInTime() throws Exception {
        LockBackend backend = open(server.uri());
        Hold hold = granted(backend, TestAttempt.of("x"));
        server.pause();
        try {
            long from = Wait.TIME.nanoTime();
            fails(Kind.UNCLEAR, () -> hold.renew(LEASE, Wait.inMillis(300)));
            assertThat(Wait.since(from)).isBetween(Duration.ofMillis(290), Duration.ofMillis(500));
            endsInTime(Kind.UNAVAILABLE, backend, hold);
        } finally {
            server.unpause();
        }
        assertThat(hold.release(Wait.inMillis(2000))).isIn(ReleaseOutcome.RELEASED, ReleaseOutcome.NOT_HELD);
    }

    @Test
    void aRefusedConnectionIsUnavailableAtOnce() throws Exception {
        LockBackend backend = open(link.uri());
        Hold hold = granted(backend, TestAttempt.of("x"));
        link.cut();
        fails(Kind.UNCLEAR, () -> hold.renew(LEASE, Wait.inMillis(2000)));
        link.close();
        Wait.until("nobody listens", () -> {
            try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), link.port())) {
                return false;
            } catch (IOException e) {
                return true;
            }
        });
        long from = Wait.TIME.nanoTime();
        BackendException e = fails(Kind.UNAVAILABLE, () -> hold.renew(LEASE, Wait.inMillis(2000)));
        assertThat(Wait.since(from)).isLessThan(Duration.ofMillis(500));
        assertThat(e).hasMessageContaining("127.0.0.1:").hasMessageContaining("refused");
    }

    @Test
    void openingTellsRefusedSilentAndBlackHoledServersApartFromBusy() throws Exception {
        List<String> uris = new ArrayList<>();
        uris.add("redis://127.0.0.1:" + TestServer.freePort() + "?operation-timeout=300ms");
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            uris.add("redis://127.0.0.1:" + silent.getLocalPort() + "?operation-timeout=300ms");
            uris.add("redis://127.0.0.1:" + full.getLocalPort() + "?operation-timeout=300ms");
            List<Socket> fillers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                // A full queue swallows connection requests without an answer.
                Socket filler = new Socket();
                fillers.add(filler);
                try {
                    filler.connect(full.getLocalSocketAddress(), 50);
                } catch (java.net.SocketTimeoutException e) {
                    break;
                }
            }
            uris.add("redis://no.such.host.invalid?operation-timeout=300ms");
            for (String uri : uris) {
                long from = Wait.TIME.nanoTime();
                BackendException e = catchThrowableOfType(BackendException.class, () -> open(uri));
                assertThat(e.kind()).as(uri).isIn(Kind.UNAVAILABLE, Kind.UNCLEAR);
                assertThat(Wait.since(from)).as(uri).isLessThan(Duration.ofSeconds(1));
            }
            for (Socket filler : fillers) {
                filler.close();
            }
        }
    }

    @Test
    void aLostAnswerIsUnclearAndTheRepeatedAttemptFindsItsMark() throws Exception {
        LockBackend backend = open(link.uri());
        TestAttempt attempt = TestAttempt.of("x");
        link.loseNextAnswer();
        fails(Kind.UNCLEAR, () -> backend.acquire(attempt, Wait.inMillis(2000)));
        try (Jedis admin = server.admin()) {
            assertThat(admin.get("holdfast:lock:x")).startsWith(attempt.id());
        }
        AcquireResult.Granted again = (AcquireResult.Granted) backend.acquire(attempt, Wait.inMillis(2000));
        assertThat(again.hold().token()).hasValue(1);
        assertThat(again.hold().release(Wait.inMillis(2000))).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void abandonFreesWhatALostAnswerLeftBehind() throws Exception {
        LockBackend backend = open(link.uri());
        TestAttempt attempt = TestAttempt.of("x");
        link.loseNextAnswer();
        fails(Kind.UNCLEAR, () -> backend.acquire(attempt, Wait.inMillis(2000)));
        assertThat(backend.abandon(attempt, Wait.inMillis(2000))).isFalse();
        granted(backend, TestAttempt.of("x"));
    }

    @Test
    void aLateAnswerIsNeverTakenForAnother() throws Exception {
        LockBackend backend = open(link.uri() + "?pool-size=1");
        Hold held = granted(backend, TestAttempt.of("held"));
        granted(open(server.uri()), TestAttempt.of("busy"));
        for (int i = 0; i < 10; i++) {
            link.holdAnswers();
            fails(Kind.UNCLEAR, () -> held.check(Wait.inMillis(60)));
            link.mend();
            assertThat(backend.acquire(TestAttempt.of("busy"), Wait.inMillis(2000)))
                    .isInstanceOf(AcquireResult.Busy.class);
            assertThat(held.check(Wait.inMillis(2000))).isInstanceOf(HoldState.Held.class);
        }
    }

    @Test
    void aRequestThatTheCallerGaveUpIsNotSentAfterAll() throws Exception {
        LockBackend backend = open(link.uri());
        granted(backend, TestAttempt.of("warm"));
        link.holdRequests();
        TestAttempt attempt = TestAttempt.of("x", Duration.ofSeconds(1));
        fails(Kind.UNCLEAR, () -> backend.acquire(attempt, Wait.inMillis(100)));
        // This link had read the request already, so it may arrive; then it holds for no longer than its lease.
        link.mend();
        Wait.pass(Duration.ofMillis(100));
        backend.abandon(attempt, Wait.inMillis(2000));
        Wait.until(
                "x is free",
                () -> open(server.uri()).acquire(TestAttempt.of("x"), Wait.inMillis(2000))
                        instanceof AcquireResult.Granted);
    }

    @Test
    void renewalsWithoutAnswerAreUnknownAndTheOthersAreNot() throws Exception {
        LockBackend backend = open(link.uri());
        List<Renewal> renewals = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            renewals.add(new Renewal(granted(backend, TestAttempt.of("n" + i)), LEASE));
        }
        link.holdAnswers();
        long from = Wait.TIME.nanoTime();
        List<HoldState> states = ((RenewTogether) backend).renew(renewals, Wait.inMillis(300));
        assertThat(Wait.since(from)).isLessThan(Duration.ofMillis(300).plus(GRACE));
        assertThat(states).hasSize(300).allSatisfy(s -> assertThat(s).isInstanceOf(HoldState.Unknown.class));
        link.mend();
        assertThat(((RenewTogether) backend).renew(renewals, Wait.inMillis(2000)))
                .hasSize(300)
                .allSatisfy(s -> assertThat(s).isInstanceOf(HoldState.Held.class));
    }

    @Test
    void manyRenewalsEndInTimeAtAServerThatDoesNotRead() throws Exception {
        LockBackend backend = open(server.uri());
        List<Renewal> renewals = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            Hold hold = granted(backend, TestAttempt.of("n" + i));
            for (int k = 0; k < 500; k++) {
                renewals.add(new Renewal(hold, LEASE));
            }
        }
        server.pause();
        try {
            long from = Wait.TIME.nanoTime();
            List<HoldState> states = ((RenewTogether) backend).renew(renewals, Wait.inMillis(500));
            assertThat(Wait.since(from)).isLessThan(Duration.ofMillis(500).plus(GRACE));
            assertThat(states).hasSize(100_000).allSatisfy(s -> assertThat(s).isInstanceOf(HoldState.Unknown.class));
        } finally {
            server.unpause();
        }
    }

    @Test
    void aServerThatDripsItsAnswerIsUnclearInTime() throws Exception {
        try (ServerSocket drip = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread thread = new Thread(() -> {
                try (Socket s = drip.accept()) {
                    byte[] request = new byte[1000];
                    int unused = s.getInputStream().read(request);
                    s.getOutputStream().write("+OK\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
                    unused = s.getInputStream().read(request);
                    s.getOutputStream().write("$100000\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
                    for (int i = 0; i < 500; i++) {
                        s.getOutputStream().write('x');
                        Wait.pass(Duration.ofMillis(20));
                    }
                } catch (IOException | InterruptedException e) {
                    // The client has had enough.
                }
            });
            thread.setDaemon(true);
            thread.start();
            long from = Wait.TIME.nanoTime();
            fails(Kind.UNCLEAR, () -> open("redis://127.0.0.1:" + drip.getLocalPort() + "?operation-timeout=300ms"));
            assertThat(Wait.since(from)).isLessThan(Duration.ofMillis(300).plus(GRACE));
        }
    }

    @Test
    void itWorksAgainAfterARestart() throws Exception {
        try (TestServer own = TestServer.with()) {
            LockBackend backend = open(own.uri());
            Hold hold = granted(backend, TestAttempt.of("x"));
            own.kill();
            BackendException e = catchThrowableOfType(
                    BackendException.class, () -> backend.acquire(TestAttempt.of("y"), Wait.inMillis(300)));
            assertThat(e.kind()).isNotEqualTo(Kind.REFUSED);
            own.start();
            assertThat(hold.check(Wait.inMillis(2000))).isInstanceOf(HoldState.Lost.class);
            granted(backend, TestAttempt.of("y"));
        }
    }
}

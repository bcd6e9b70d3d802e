package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.lock.Fault;
import dev.holdfast.lock.Fencing;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockGuarantees;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.ReleaseOutcome;
import dev.holdfast.lock.Safety;
import dev.holdfast.lock.spi.AcquireResult;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.Hold;
import dev.holdfast.lock.spi.HoldState;
import dev.holdfast.lock.spi.LockBackend;
import dev.holdfast.lock.spi.LockBackend.Observed;
import dev.holdfast.lock.spi.ReleaseSignals;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** What is promised on real servers of different kinds. */
class RedisGuaranteesTest {
    private static final String[] DURABLE = {"--appendonly", "yes", "--appendfsync", "always"};

    private static LockBackend open(LockOptions options) throws BackendException {
        return new RedisLockProvider().open(options, Wait.TIME);
    }

    private static Observed observed(TestServer server, String query) throws BackendException {
        LockBackend backend = open(server.options(query));
        try {
            return backend.observed();
        } finally {
            backend.close();
        }
    }

    @Test
    void aDefaultServerIsForEfficiency() throws Exception {
        Observed o = observed(TestServer.shared(), "");
        LockGuarantees g = o.effective();
        assertThat(g.safety()).isEqualTo(Safety.EFFICIENCY);
        assertThat(g.fencing()).isEqualTo(Fencing.ORDERED);
        assertThat(g.exclusion()).doesNotContain(Fault.SERVER_RESTART, Fault.POWER_LOSS, Fault.CLOCK_JUMP);
        assertThat(g.tokenOrder()).doesNotContain(Fault.SERVER_RESTART, Fault.POWER_LOSS);
        assertThat(g.impossible()).contains(Fault.FAILOVER, Fault.NODE_LOSS, Fault.NODE_PARTITION);
        assertThat(o.reasons()).anyMatch(r -> r.contains("appendonly is no"));
    }

    @Test
    void oneThatSyncsAlwaysIsForCorrectnessAsLongAsItDoes() throws Exception {
        try (TestServer server = TestServer.with(DURABLE)) {
            LockBackend backend = open(server.options());
            assertThat(backend.observed().effective())
                    .isEqualTo(RedisProbe.DECLARED.toBuilder().needs().build());
            assertThat(backend.observed().effective().safety()).isEqualTo(Safety.CORRECTNESS);

            // The same object until something has changed, and looked at again after a restart.
            Observed before = backend.observed();
            server.kill();
            server.start();
            use(backend);
            assertThat(backend.observed()).isSameAs(before);
            try (Jedis admin = server.admin()) {
                admin.configSet("appendfsync", "everysec");
                admin.configRewrite();
            } catch (redis.clients.jedis.exceptions.JedisDataException e) {
                // It runs without a file of settings.
                assertThat(e).hasMessageContaining("config file");
            }
            disturb(server, backend);
            Wait.until(
                    "the change is seen", () -> backend.observed().effective().safety() == Safety.EFFICIENCY);
            assertThat(backend.observed().reasons()).anyMatch(r -> r.contains("appendfsync is everysec"));
            backend.close();
        }
    }

    /** Ends all connections, so that the client looks again. */
    private static void disturb(TestServer server, LockBackend backend) throws Exception {
        try (Jedis admin = server.admin()) {
            admin.clientKill(redis.clients.jedis.params.ClientKillParams.clientKillParams()
                    .type(redis.clients.jedis.args.ClientType.NORMAL));
        }
        use(backend);
    }

    private static void use(LockBackend backend) throws Exception {
        Wait.until("an answer", () -> {
            try {
                return backend.acquire(TestAttempt.of("x" + Wait.TIME.nanoTime()), Wait.inMillis(1000))
                        instanceof AcquireResult.Granted;
            } catch (BackendException e) {
                return false;
            }
        });
    }

    @Test
    void oneThatEvictsSaysSo() throws Exception {
        try (TestServer server = TestServer.with("--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru")) {
            Observed o = observed(server, "?assume=noeviction");
            assertThat(o.effective().exclusion()).doesNotContain(Fault.MEMORY_PRESSURE);
            assertThat(o.effective().tokenOrder()).doesNotContain(Fault.MEMORY_PRESSURE);
            assertThat(o.reasons()).anyMatch(r -> r.contains("set maxmemory-policy noeviction"));
        }
    }

    @Test
    void aReplicaMakesFailoverPossibleAndIsItselfRefused() throws Exception {
        try (TestServer primary = TestServer.with(DURABLE)) {
            try (TestServer replica = TestServer.with("--replicaof", primary.bridgeAddress(), "6379")) {
                Wait.until(
                        "it is connected",
                        () -> "1".equals(primary.info("replication").get("connected_slaves")));
                Observed o = observed(primary, "");
                assertThat(o.effective().safety()).isEqualTo(Safety.EFFICIENCY);
                assertThat(o.effective().impossible()).doesNotContain(Fault.FAILOVER);
                assertThat(o.effective().tokenOrder()).doesNotContain(Fault.FAILOVER);
                assertThat(o.reasons()).anyMatch(r -> r.contains("there is 1 replica"));
                Observed assumed = observed(primary, "?assume=no-failover");
                assertThat(assumed.effective().safety()).isEqualTo(Safety.CORRECTNESS);
                assertThat(assumed.reasons()).anyMatch(r -> r.startsWith("assumed: no replica is ever promoted"));
                assertThatThrownBy(() -> open(replica.options()))
                        .isInstanceOf(LockConfigurationException.class)
                        .hasMessageContaining("it is a replica of " + primary.bridgeAddress() + ":6379");
            }
        }
    }

    @Test
    void aClusterIsRefused() throws Exception {
        try (TestServer server = TestServer.with("--cluster-enabled", "yes")) {
            assertThatThrownBy(() -> open(server.options()))
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("Redis Cluster")
                    .hasMessageContaining("not clustered");
            Wait.until("nothing stays open", () -> server.connections() == 0);
        }
    }

    @Test
    void aUserWhoMayNotLookGetsLessUnlessItIsAssumed() throws Exception {
        try (TestServer server = TestServer.with(DURABLE)) {
            try (Jedis admin = server.admin()) {
                admin.aclSetUser("looker", "on", ">geheim", "~holdfast:*", "&holdfast:*", "+@all", "-config");
                admin.aclSetUser("blind", "on", ">geheim", "~holdfast:*", "&holdfast:*", "+@all", "-@admin", "-info");
            }
            String looker = "redis://looker:geheim@127.0.0.1:" + server.port();
            Observed o = observed(looker);
            assertThat(o.effective().fencing()).isEqualTo(Fencing.ORDERED);
            assertThat(o.reasons()).anyMatch(r -> r.contains("CONFIG GET is refused") && r.contains("NOPERM"));
            Observed assumed = observed(looker + "?assume=appendfsync-always");
            assertThat(assumed.effective().safety()).isEqualTo(Safety.CORRECTNESS);
            assertThat(assumed.reasons()).anyMatch(r -> r.startsWith("assumed: appendonly yes"));

            String blind = "redis://blind:geheim@127.0.0.1:" + server.port();
            assertThat(observed(blind).effective().safety()).isEqualTo(Safety.EFFICIENCY);
            assertThat(observed(blind).effective().impossible()).doesNotContain(Fault.FAILOVER);
            assertThat(observed(blind + "?assume=appendfsync-always,noeviction,no-failover")
                            .effective()
                            .safety())
                    .isEqualTo(Safety.CORRECTNESS);
        }
    }

    @Test
    void theUserOfTheReadmeMayDoAllThatIsNeeded() throws Exception {
        String rule = Files.readAllLines(Path.of("README.md")).stream()
                .filter(line -> line.startsWith("ACL SETUSER locks "))
                .findFirst()
                .orElseThrow();
        try (TestServer server = TestServer.with(DURABLE);
                Jedis admin = server.admin()) {
            String[] words = rule.split(" ", -1);
            admin.aclSetUser(words[2], Arrays.copyOfRange(words, 3, words.length));
            admin.aclLogReset();
            LockBackend backend = open(LockOptions.parse("redis://locks:password@127.0.0.1:" + server.port() + "/1"));
            assertThat(backend.observed().effective().safety()).isEqualTo(Safety.CORRECTNESS);
            CompletableFuture<Void> signal = new CompletableFuture<>();
            ReleaseSignals.Subscription subscription =
                    ((ReleaseSignals) backend).subscribe("x", () -> signal.complete(null), Wait.inMillis(2000));
            Hold hold = ((AcquireResult.Granted) backend.acquire(TestAttempt.of("x"), Wait.inMillis(2000))).hold();
            assertThat(hold.renew(Duration.ofMinutes(1), Wait.inMillis(2000))).isInstanceOf(HoldState.Held.class);
            assertThat(hold.check(Wait.inMillis(2000))).isInstanceOf(HoldState.Held.class);
            assertThat(hold.release(Wait.inMillis(2000))).isEqualTo(ReleaseOutcome.RELEASED);
            signal.join();
            subscription.close();
            Wait.pass(Duration.ofSeconds(4));
            backend.close();
            assertThat(admin.aclLog()).isEmpty();
        }
    }

    @Test
    void whoMayNotSubscribeIsToldAtOnce() throws Exception {
        try (TestServer server = TestServer.with();
                Jedis admin = server.admin()) {
            admin.aclSetUser("deaf", "on", ">geheim", "~*", "&*", "+@all", "-subscribe");
            LockBackend backend = open(LockOptions.parse("redis://deaf:geheim@127.0.0.1:" + server.port()));
            BackendException e = catchThrowableOfType(
                    BackendException.class,
                    () -> ((ReleaseSignals) backend).subscribe("x", () -> {}, Wait.inMillis(2000)));
            assertThat(e.kind()).isEqualTo(BackendException.Kind.REFUSED);
            assertThat(e).hasMessageContaining("NOPERM");
            backend.acquire(TestAttempt.of("x"), Wait.inMillis(2000));
            AcquireResult.Busy busy = (AcquireResult.Busy) backend.acquire(TestAttempt.of("x"), Wait.inMillis(2000));
            assertThat(busy.retryAfter()).isLessThanOrEqualTo(Duration.ofMillis(100));
            backend.close();
        }
    }

    private static Observed observed(String uri) throws BackendException {
        LockBackend backend = open(LockOptions.parse(uri));
        try {
            return backend.observed();
        } finally {
            backend.close();
        }
    }

    @Test
    void whoMayNotComeInIsToldAndNoSecretIs() throws Exception {
        try (TestServer server = TestServer.with("--requirepass", "geheim")) {
            String at = "127.0.0.1:" + server.port();
            refused("redis://" + at, "NOAUTH");
            refused("redis://:falsch-geheim@" + at, "WRONGPASS");
            refused("redis://niemand:falsch-geheim@" + at, "WRONGPASS");
            observed("redis://:geheim@" + at);
            refused("redis://:geheim@" + at + "/99", "out of range");
            try (Jedis admin = server.admin()) {
                admin.auth("geheim");
                admin.aclSetUser("reader", "on", ">falsch-geheim", "~*", "&*", "+@read");
                admin.aclSetUser("mute", "on", ">falsch-geheim", "~*", "+@all");
                admin.aclSetUser("elsewhere", "on", ">falsch-geheim", "~other:*", "&*", "+@all");
            }
            refused("redis://reader:falsch-geheim@" + at, "NOPERM");
            refused("redis://mute:falsch-geheim@" + at, "NOPERM");
            refused("redis://elsewhere:falsch-geheim@" + at, "NOPERM");
        }
    }

    private static void refused(String uri, String why) {
        BackendException e = catchThrowableOfType(BackendException.class, () -> open(LockOptions.parse(uri)));
        assertThat(e).as(uri).isNotNull();
        assertThat(e.kind()).as("%s", e.getMessage()).isEqualTo(BackendException.Kind.REFUSED);
        assertThat(e).hasMessageContaining(why);
        StringWriter all = new StringWriter();
        e.printStackTrace(new PrintWriter(all));
        assertThat(all.toString()).doesNotContain("geheim");
    }
}

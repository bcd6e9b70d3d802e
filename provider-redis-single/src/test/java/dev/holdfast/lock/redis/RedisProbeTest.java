package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Fault;
import dev.holdfast.lock.Fencing;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockGuarantees;
import dev.holdfast.lock.Safety;
import dev.holdfast.lock.redis.RedisSettings.Assumption;
import dev.holdfast.lock.spi.LockBackend.Observed;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RedisProbeTest {
    private final Map<String, String> info = new TreeMap<>(Map.of(
            "redis_version", "8.0.2",
            "redis_mode", "standalone",
            "role", "master",
            "connected_slaves", "0",
            "aof_enabled", "1",
            "aof_last_write_status", "ok",
            "maxmemory", "0",
            "maxmemory_policy", "noeviction"));
    private final Map<String, String> config =
            new TreeMap<>(Map.of("appendfsync", "always", "no-appendfsync-on-rewrite", "no"));
    private final Set<Assumption> assume = EnumSet.noneOf(Assumption.class);

    private Observed observed() {
        return new RedisProbe(new RedisConnector.Facts(info, "I", config, "C"), assume).observed();
    }

    private void isLowered(String reason) {
        Observed o = observed();
        assertThat(o.effective().safety()).isEqualTo(Safety.EFFICIENCY);
        assertThat(o.effective().needs()).isEmpty();
        assertThat(o.reasons()).as("%s", o.reasons()).anyMatch(r -> r.contains(reason));
        LockGuarantees declared = RedisProbe.DECLARED;
        assertThat(declared.exclusion()).containsAll(o.effective().exclusion());
        assertThat(declared.tokenOrder()).containsAll(o.effective().tokenOrder());
    }

    private void forgetsOnRestart() {
        LockGuarantees g = observed().effective();
        assertThat(g.fencing()).isEqualTo(Fencing.ORDERED);
        assertThat(g.exclusion()).doesNotContain(Fault.SERVER_RESTART, Fault.POWER_LOSS);
        assertThat(g.tokenOrder()).doesNotContain(Fault.SERVER_RESTART, Fault.POWER_LOSS);
        assertThat(g.progress()).contains(Fault.SERVER_RESTART);
    }

    @Test
    void declaredIsCorrectUnderItsNeeds() {
        assertThat(RedisProbe.DECLARED.safety()).isEqualTo(Safety.CORRECTNESS);
        assertThat(RedisProbe.DECLARED.exclusion()).doesNotContain(Fault.CLOCK_JUMP);
        assertThat(RedisProbe.DECLARED.tokenOrder()).contains(Fault.CLOCK_JUMP);
        assertThat(RedisProbe.DECLARED.needs()).isNotEmpty();
    }

    @Test
    void allMetIsAllDeclared() {
        assertThat(observed().effective())
                .isEqualTo(RedisProbe.DECLARED.toBuilder().needs().build());
        assertThat(observed().reasons())
                .anyMatch(r -> r.contains("Redis 8.0.2"))
                .anyMatch(r -> r.contains("always"));
    }

    @Test
    void noAppendOnlyFile() {
        info.put("aof_enabled", "0");
        isLowered("set appendonly yes and appendfsync always");
        forgetsOnRestart();
    }

    @Test
    void syncedNowAndThen() {
        for (String sync : new String[] {"everysec", "no"}) {
            config.put("appendfsync", sync);
            isLowered("appendfsync is " + sync);
            forgetsOnRestart();
        }
    }

    @Test
    void failingWrites() {
        info.put("aof_last_write_status", "err");
        isLowered("aof_last_write_status is err");
        forgetsOnRestart();
    }

    @Test
    void unsyncedDuringARewrite() {
        config.put("no-appendfsync-on-rewrite", "yes");
        isLowered("set no-appendfsync-on-rewrite no");
        LockGuarantees g = observed().effective();
        assertThat(g.exclusion()).contains(Fault.SERVER_RESTART).doesNotContain(Fault.POWER_LOSS);
    }

    @Test
    void refusedConfig() {
        config.clear();
        isLowered("assume=appendfsync-always");
        forgetsOnRestart();
        assume.add(Assumption.APPENDFSYNC_ALWAYS);
        assertThat(observed().effective().safety()).isEqualTo(Safety.CORRECTNESS);
        assertThat(observed().reasons()).anyMatch(r -> r.startsWith("assumed: appendonly yes and appendfsync always"));
    }

    @Test
    void whatIsSeenBeatsWhatIsAssumed() {
        assume.addAll(EnumSet.allOf(Assumption.class));
        config.put("appendfsync", "everysec");
        isLowered("appendfsync is everysec");
        config.put("appendfsync", "always");
        info.put("maxmemory", "1000");
        info.put("maxmemory_policy", "allkeys-lru");
        isLowered("maxmemory-policy is allkeys-lru");
    }

    @Test
    void everythingRefused() {
        config.clear();
        info.clear();
        isLowered("INFO is refused");
        isLowered("assume=noeviction");
        isLowered("assume=no-failover");
        forgetsOnRestart();
        assume.addAll(EnumSet.allOf(Assumption.class));
        assertThat(observed().effective().safety()).isEqualTo(Safety.CORRECTNESS);
        assertThat(observed().reasons().stream().filter(r -> r.startsWith("assumed:")))
                .hasSize(3);
    }

    @Test
    void eviction() {
        info.put("maxmemory_policy", "allkeys-lru");
        assertThat(observed().effective().safety()).isEqualTo(Safety.CORRECTNESS);
        info.put("maxmemory", "100");
        isLowered("maxmemory-policy is allkeys-lru: locks and the token counter");
        assertThat(observed().effective().tokenOrder()).doesNotContain(Fault.MEMORY_PRESSURE);
        info.put("maxmemory_policy", "volatile-ttl");
        LockGuarantees g = observed().effective();
        assertThat(g.exclusion()).doesNotContain(Fault.MEMORY_PRESSURE);
        assertThat(g.tokenOrder()).contains(Fault.MEMORY_PRESSURE);
    }

    @Test
    void replicas() {
        info.put("connected_slaves", "2");
        isLowered("there are 2 replicas");
        assertThat(observed().effective().impossible()).doesNotContain(Fault.FAILOVER);
        assume.add(Assumption.NO_FAILOVER);
        assertThat(observed().effective().safety()).isEqualTo(Safety.CORRECTNESS);
    }

    @Test
    void wrongKinds() {
        RedisProbe probe = new RedisProbe(new RedisConnector.Facts(info, "", config, ""), assume);
        probe.requireUsable("h:1");
        info.put("role", "slave");
        refuses(probe, "it is a replica");
        info.put("redis_mode", "cluster");
        refuses(probe, "Redis Cluster");
        info.remove("redis_mode");
        info.put("server_mode", "cluster");
        refuses(probe, "Redis Cluster");
        info.put("redis_mode", "sentinel");
        refuses(probe, "Sentinel");
        info.put("redis_mode", "standalone");
        info.put("role", "master");
        info.put("redis_version", "5.0.14");
        refuses(probe, "needs 6.0 or newer");
    }

    private static void refuses(RedisProbe probe, String why) {
        assertThatThrownBy(() -> probe.requireUsable("h:1"))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("h:1")
                .hasMessageContaining(why);
    }
}

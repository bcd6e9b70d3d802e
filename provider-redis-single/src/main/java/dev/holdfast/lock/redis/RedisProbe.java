package dev.holdfast.lock.redis;

import dev.holdfast.lock.Fairness;
import dev.holdfast.lock.Fault;
import dev.holdfast.lock.Fencing;
import dev.holdfast.lock.HoldModel;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockGuarantees;
import dev.holdfast.lock.Property;
import dev.holdfast.lock.Reentrancy;
import dev.holdfast.lock.Scope;
import dev.holdfast.lock.Waiting;
import dev.holdfast.lock.redis.RedisSettings.Assumption;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.LockBackend.Observed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a live server was seen to be, and what may be promised on it. */
final class RedisProbe {
    private static final int OLDEST = 6;

    private static final List<String> PARAMETERS =
            List.of("appendfsync", "no-appendfsync-on-rewrite", "maxmemory", "maxmemory-policy");

    /** What this provider promises on a server set up for it. */
    static final LockGuarantees DECLARED = LockGuarantees.builder()
            .scope(Scope.SERVER)
            .exclusion(
                    Fault.CLIENT_CRASH,
                    Fault.CLIENT_PAUSE,
                    Fault.CLIENT_PARTITION,
                    Fault.CONNECTION_RESET,
                    Fault.REPLY_LOST,
                    Fault.LATE_REQUEST,
                    Fault.SERVER_RESTART,
                    Fault.POWER_LOSS,
                    Fault.MEMORY_PRESSURE)
            .tokenOrder(
                    Fault.CLIENT_CRASH,
                    Fault.CLIENT_PAUSE,
                    Fault.CLIENT_PARTITION,
                    Fault.CONNECTION_RESET,
                    Fault.REPLY_LOST,
                    Fault.LATE_REQUEST,
                    Fault.SERVER_RESTART,
                    Fault.POWER_LOSS,
                    Fault.CLOCK_JUMP,
                    Fault.MEMORY_PRESSURE)
            .progress(Fault.SERVER_RESTART)
            .impossible(Fault.NODE_LOSS, Fault.NODE_PARTITION, Fault.FAILOVER)
            .fencing(Fencing.DURABLE)
            .hold(HoldModel.LEASE)
            .orphanBound(Duration.ofSeconds(30))
            .reentrancy(Reentrancy.PER_OWNER)
            .fairness(Fairness.NONE)
            .waiting(Waiting.NOTIFIED)
            .toleratedNodeLosses("none")
            .needs(
                    "appendonly yes",
                    "appendfsync always",
                    "no-appendfsync-on-rewrite no",
                    "maxmemory-policy noeviction, or maxmemory 0",
                    "no replica that could be promoted",
                    "a disk that keeps what it has confirmed")
            .build();

    private final Map<String, String> info;
    private final Map<String, String> config;
    private final Set<Assumption> assume;
    private final String infoRefusal;
    private final String configRefusal;

    RedisProbe(RedisConnector.Facts facts, Set<Assumption> assume) {
        this.info = facts.info();
        this.infoRefusal = facts.infoRefusal();
        this.config = facts.config();
        this.configRefusal = facts.configRefusal();
        this.assume = assume;
    }

    /** Asks the server. */
    static RedisProbe ask(RedisConnector connector, Set<Assumption> assume, long deadline)
            throws BackendException, InterruptedException {
        return new RedisProbe(connector.look(PARAMETERS, deadline), assume);
    }

    /**
     * Refuses a server of the wrong kind.
     *
     * @throws LockConfigurationException with all that is wrong
     */
    void requireUsable(String server) {
        List<String> problems = new ArrayList<>();
        String mode = mode();
        if (mode.equals("cluster")) {
            problems.add(
                    "it is a member of a Redis Cluster, where the token counter would live in another slot than the locks; use a server that is not clustered");
        } else if (mode.equals("sentinel")) {
            problems.add("it is a Sentinel, which stores nothing; use the address of the primary");
        } else if (info.getOrDefault("role", "master").equals("slave")) {
            problems.add("it is a replica of " + info.get("master_host") + ":" + info.get("master_port")
                    + " and takes no locks; use the address of its primary");
        }
        String version = info.getOrDefault("redis_version", OLDEST + "");
        if (major(version) < OLDEST) {
            problems.add("it is Redis " + version + "; this provider needs " + OLDEST + ".0 or newer");
        }
        if (!problems.isEmpty()) {
            throw new LockConfigurationException(server + " cannot be used", problems);
        }
    }

    /** Valkey calls it differently. */
    private String mode() {
        return info.getOrDefault("redis_mode", info.getOrDefault("server_mode", "mode unknown"));
    }

    private static int major(String version) {
        String digits = version.split("\\.", 2)[0];
        return digits.matches("\\d{1,4}") ? Integer.parseInt(digits) : 0;
    }

    /** What may be promised, and why not more. */
    Observed observed() {
        LockGuarantees.Builder claims = DECLARED.toBuilder().needs();
        List<String> reasons = new ArrayList<>();
        reasons.add(what());
        durability(claims, reasons);
        eviction(claims, reasons);
        failover(claims, reasons);
        return new Observed(claims.build(), reasons);
    }

    private String what() {
        if (info.isEmpty()) {
            return "INFO is refused, so the kind of server is not known (" + infoRefusal + ")";
        }
        String valkey = info.get("valkey_version");
        return (valkey == null ? "Redis " + info.get("redis_version") : "Valkey " + valkey) + ", " + mode() + ", role "
                + info.getOrDefault("role", "unknown");
    }

    private void durability(LockGuarantees.Builder claims, List<String> reasons) {
        String lost = "locks and tokens may be lost with the server";
        String sync = config.get("appendfsync");
        String onRewrite = config.getOrDefault("no-appendfsync-on-rewrite", "no");
        boolean assumed = assume.contains(Assumption.APPENDFSYNC_ALWAYS);
        if ("0".equals(info.get("aof_enabled"))) {
            forgets(claims);
            reasons.add("appendonly is no: " + lost + "; set appendonly yes and appendfsync always");
        } else if (!info.getOrDefault("aof_last_write_status", "ok").equals("ok")) {
            forgets(claims);
            reasons.add("aof_last_write_status is " + info.get("aof_last_write_status") + ": " + lost
                    + "; see to the server's disk");
        } else if (sync == null || !info.containsKey("aof_enabled")) {
            String unseen =
                    sync == null ? "CONFIG GET is refused (" + configRefusal + ")" : "INFO does not show aof_enabled";
            if (assumed) {
                reasons.add("assumed: appendonly yes and appendfsync always, since " + unseen);
            } else {
                forgets(claims);
                reasons.add("whether appendfsync is always is not known, since " + unseen + ": " + lost
                        + "; allow it, or say assume=" + Assumption.APPENDFSYNC_ALWAYS.text());
            }
        } else if (!sync.equals("always")) {
            forgets(claims);
            reasons.add("appendfsync is " + sync
                    + ": the last locks and tokens may be lost with the server; set appendfsync always");
        } else if (!onRewrite.equals("no")) {
            claims.without(Property.EXCLUSION, Fault.POWER_LOSS).without(Property.TOKEN_ORDER, Fault.POWER_LOSS);
            reasons.add("no-appendfsync-on-rewrite is " + onRewrite
                    + ": a power loss during a rewrite loses locks and tokens; set no-appendfsync-on-rewrite no");
        } else {
            reasons.add("appendfsync is always: locks and tokens survive the server");
        }
    }

    private static void forgets(LockGuarantees.Builder claims) {
        claims.fencing(Fencing.ORDERED)
                .without(Property.EXCLUSION, Fault.SERVER_RESTART, Fault.POWER_LOSS)
                .without(Property.TOKEN_ORDER, Fault.SERVER_RESTART, Fault.POWER_LOSS);
    }

    private void eviction(LockGuarantees.Builder claims, List<String> reasons) {
        String limit = info.getOrDefault("maxmemory", config.get("maxmemory"));
        String policy = info.getOrDefault("maxmemory_policy", config.get("maxmemory-policy"));
        if (policy == null || limit == null) {
            if (assume.contains(Assumption.NOEVICTION)) {
                reasons.add("assumed: maxmemory-policy noeviction, since the server does not show it");
                return;
            }
            claims.without(Property.EXCLUSION, Fault.MEMORY_PRESSURE)
                    .without(Property.TOKEN_ORDER, Fault.MEMORY_PRESSURE);
            reasons.add("maxmemory-policy is not known: locks may be evicted; allow INFO, or say assume="
                    + Assumption.NOEVICTION.text());
        } else if (!policy.equals("noeviction") && !limit.equals("0")) {
            claims.without(Property.EXCLUSION, Fault.MEMORY_PRESSURE);
            boolean counterToo = !policy.startsWith("volatile-");
            if (counterToo) {
                claims.without(Property.TOKEN_ORDER, Fault.MEMORY_PRESSURE);
            }
            reasons.add("maxmemory-policy is " + policy + ": locks " + (counterToo ? "and the token counter " : "")
                    + "may be evicted when memory is short; set maxmemory-policy noeviction");
        }
    }

    private void failover(LockGuarantees.Builder claims, List<String> reasons) {
        String role = info.get("role");
        String replicas = info.get("connected_slaves");
        if ("master".equals(role) && "0".equals(replicas)) {
            return;
        }
        String seen = role == null || replicas == null
                ? "whether there are replicas is not known"
                : role.equals("master")
                        ? "there " + (replicas.equals("1") ? "is 1 replica" : "are " + replicas + " replicas")
                        : "the server is a replica now";
        if (assume.contains(Assumption.NO_FAILOVER)) {
            reasons.add("assumed: no replica is ever promoted; " + seen);
            return;
        }
        EnumSet<Fault> impossible = EnumSet.of(Fault.NODE_LOSS, Fault.NODE_PARTITION);
        claims.impossible(impossible.toArray(Fault[]::new));
        reasons.add(seen + ": a promoted replica may not have the last locks and tokens; use a server without replicas,"
                + " or say assume=" + Assumption.NO_FAILOVER.text() + " if none is ever promoted");
    }
}

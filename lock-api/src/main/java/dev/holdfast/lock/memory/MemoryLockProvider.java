package dev.holdfast.lock.memory;

import static dev.holdfast.lock.Fault.CLIENT_CRASH;
import static dev.holdfast.lock.Fault.CLIENT_PARTITION;
import static dev.holdfast.lock.Fault.CLIENT_PAUSE;
import static dev.holdfast.lock.Fault.CLOCK_JUMP;
import static dev.holdfast.lock.Fault.CONNECTION_RESET;
import static dev.holdfast.lock.Fault.FAILOVER;
import static dev.holdfast.lock.Fault.LATE_REQUEST;
import static dev.holdfast.lock.Fault.MEMORY_PRESSURE;
import static dev.holdfast.lock.Fault.NODE_LOSS;
import static dev.holdfast.lock.Fault.NODE_PARTITION;
import static dev.holdfast.lock.Fault.POWER_LOSS;
import static dev.holdfast.lock.Fault.REPLY_LOST;
import static dev.holdfast.lock.Fault.SERVER_RESTART;

import dev.holdfast.lock.Fairness;
import dev.holdfast.lock.Fencing;
import dev.holdfast.lock.HoldModel;
import dev.holdfast.lock.LockGuarantees;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.Option;
import dev.holdfast.lock.Reentrancy;
import dev.holdfast.lock.Scope;
import dev.holdfast.lock.Waiting;
import dev.holdfast.lock.memory.MemoryServer.Link;
import dev.holdfast.lock.spi.LockBackend;
import dev.holdfast.lock.spi.LockBackend.Observed;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Locks within one process: {@code memory:}, or {@code memory://NAME} for one of several servers. Never chosen unless named. */
public final class MemoryLockProvider implements LockProvider {
    /** Its scheme. */
    public static final String SCHEME = "memory";

    private static final LockGuarantees PLAIN = LockGuarantees.builder()
            .scope(Scope.PROCESS)
            .exclusion(CLIENT_CRASH, CLIENT_PAUSE, CLIENT_PARTITION, CONNECTION_RESET, REPLY_LOST, LATE_REQUEST)
            .tokenOrder(CLIENT_CRASH, CLIENT_PAUSE, CLIENT_PARTITION, CONNECTION_RESET, REPLY_LOST, LATE_REQUEST)
            .progress(SERVER_RESTART)
            .impossible(NODE_LOSS, NODE_PARTITION, FAILOVER, CLOCK_JUMP, MEMORY_PRESSURE)
            .fencing(Fencing.ORDERED)
            .hold(HoldModel.LEASE)
            .orphanBound(Duration.ofSeconds(30))
            .reentrancy(Reentrancy.PER_OWNER)
            .fairness(Fairness.FIFO)
            .waiting(Waiting.NOTIFIED)
            .toleratedNodeLosses("none")
            .needs("fair=true for FIFO")
            .build();

    private static final LockGuarantees DURABLE = PLAIN.toBuilder()
            .exclusion(
                    CLIENT_CRASH,
                    CLIENT_PAUSE,
                    CLIENT_PARTITION,
                    CONNECTION_RESET,
                    REPLY_LOST,
                    LATE_REQUEST,
                    SERVER_RESTART,
                    POWER_LOSS)
            .tokenOrder(
                    CLIENT_CRASH,
                    CLIENT_PAUSE,
                    CLIENT_PARTITION,
                    CONNECTION_RESET,
                    REPLY_LOST,
                    LATE_REQUEST,
                    SERVER_RESTART,
                    POWER_LOSS)
            .fencing(Fencing.DURABLE)
            .build();

    private final @Nullable Link link;

    /** For {@link java.util.ServiceLoader}: opens the servers that all of this process shares. */
    public MemoryLockProvider() {
        this(null);
    }

    private MemoryLockProvider(@Nullable Link link) {
        this.link = link;
    }

    /** A provider over a server and a link of your own, whose faults you control. */
    public static MemoryLockProvider on(Link link) {
        return new MemoryLockProvider(link);
    }

    @Override
    public String scheme() {
        return SCHEME;
    }

    @Override
    public LockGuarantees declared() {
        return link != null && link.server().isDurable() ? DURABLE : PLAIN;
    }

    @Override
    public List<Option<?>> options() {
        return MemorySettings.OPTIONS;
    }

    @Override
    public LockBackend open(LockOptions options, TimeSource time) {
        MemorySettings settings = MemorySettings.of(options);
        Link way = link != null ? link : MemoryServer.named(settings.server()).link();
        LockGuarantees.Builder effective = declared().toBuilder().needs();
        Observed observed = settings.fair()
                ? new Observed(effective.build(), List.of())
                : new Observed(
                        effective.fairness(Fairness.NONE).build(),
                        List.of("fair is false: waiters are served in any order; set fair=true for FIFO"));
        return new MemoryBackend(way, time, settings, observed);
    }
}

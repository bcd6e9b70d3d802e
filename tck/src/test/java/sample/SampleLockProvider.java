package sample;

import dev.holdfast.lock.Fairness;
import dev.holdfast.lock.Fault;
import dev.holdfast.lock.Fencing;
import dev.holdfast.lock.HoldModel;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockGuarantees;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.Option;
import dev.holdfast.lock.Reentrancy;
import dev.holdfast.lock.ReleaseOutcome;
import dev.holdfast.lock.Scope;
import dev.holdfast.lock.Waiting;
import dev.holdfast.lock.spi.AcquireAttempt;
import dev.holdfast.lock.spi.AcquireResult;
import dev.holdfast.lock.spi.Hold;
import dev.holdfast.lock.spi.HoldState;
import dev.holdfast.lock.spi.LockBackend;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/** Locks in a map of this process: no tokens, no nesting, no queue, no signals. */
public final class SampleLockProvider implements LockProvider {
    private static final Duration SHORTEST = Duration.ofMillis(50);
    private static final Duration POLL = Duration.ofMillis(20);

    private static final LockGuarantees GUARANTEES = LockGuarantees.builder()
            .scope(Scope.PROCESS)
            .exclusion(Fault.CLIENT_CRASH, Fault.CLIENT_PAUSE)
            .tokenOrder()
            .progress()
            .impossible(Fault.NODE_LOSS, Fault.NODE_PARTITION, Fault.FAILOVER, Fault.CLOCK_JUMP)
            .fencing(Fencing.NONE)
            .hold(HoldModel.LEASE)
            .orphanBound(Duration.ofSeconds(30))
            .reentrancy(Reentrancy.NONE)
            .fairness(Fairness.NONE)
            .waiting(Waiting.POLLED)
            .toleratedNodeLosses("none")
            .needs()
            .build();

    private record Entry(String id, long expires) {}

    private static final Map<String, Entry> LOCKS = new ConcurrentHashMap<>();

    private final boolean honest;

    /** For {@link java.util.ServiceLoader}. */
    public SampleLockProvider() {
        this(true);
    }

    /** @param honest false to break a promise: a lock then ends at half of its lease */
    SampleLockProvider(boolean honest) {
        this.honest = honest;
    }

    @Override
    public String scheme() {
        return "sample";
    }

    @Override
    public LockGuarantees declared() {
        return GUARANTEES;
    }

    @Override
    public List<Option<?>> options() {
        return List.of();
    }

    @Override
    public LockBackend open(LockOptions options, TimeSource time) {
        LockOptions.Reader reader = options.reader(options());
        String prefix = reader.get(LockOptions.NAMESPACE) + "/";
        for (Option<?> common : LockOptions.COMMON) {
            Object unused = reader.get(common);
        }
        reader.require(options.hosts(0).isEmpty(), "sample has no hosts");
        reader.finish();
        return new Backend(prefix, time);
    }

    private final class Backend implements LockBackend {
        private final String prefix;
        private final TimeSource time;

        Backend(String prefix, TimeSource time) {
            this.prefix = prefix;
            this.time = time;
        }

        @Override
        public Observed observed() {
            return OBSERVED;
        }

        @Override
        public Duration effectiveLease(Duration requested, boolean renewed) {
            return requested.compareTo(SHORTEST) < 0 ? SHORTEST : requested;
        }

        private boolean runs(Entry entry) {
            return entry.expires - time.nanoTime() > 0;
        }

        private long end(Duration lease) {
            return time.nanoTime() + (honest ? lease : lease.dividedBy(2)).toNanos();
        }

        @Override
        public AcquireResult acquire(AcquireAttempt attempt, long deadline) {
            long sent = time.nanoTime();
            String key = prefix + attempt.name();
            String id = attempt.id();
            Entry entry = LOCKS.compute(
                    key, (k, e) -> e != null && runs(e) && !e.id.equals(id) ? e : new Entry(id, end(attempt.lease())));
            return entry.id.equals(id)
                    ? new AcquireResult.Granted(new Held(key, id), sent)
                    : new AcquireResult.Busy(POLL);
        }

        @Override
        public boolean abandon(AcquireAttempt attempt, long deadline) {
            ReleaseOutcome unused = new Held(prefix + attempt.name(), attempt.id()).release(deadline);
            return true;
        }

        @Override
        public void close() {}

        private final class Held implements Hold {
            private final String key;
            private final String id;

            Held(String key, String id) {
                this.key = key;
                this.id = id;
            }

            @Override
            public OptionalLong token() {
                return OptionalLong.empty();
            }

            @Override
            public HoldState renew(Duration lease, long deadline) {
                long sent = time.nanoTime();
                Entry now = LOCKS.computeIfPresent(key, (k, e) -> ours(e) ? new Entry(id, end(lease)) : e);
                return state(now != null && ours(now), sent);
            }

            @Override
            public HoldState check(long deadline) {
                Entry now = LOCKS.get(key);
                return state(now != null && ours(now), time.nanoTime());
            }

            private boolean ours(Entry entry) {
                return entry.id.equals(id) && runs(entry);
            }

            private HoldState state(boolean ours, long sent) {
                return ours
                        ? new HoldState.Held(sent)
                        : new HoldState.Lost(LeaseLoss.Cause.REVOKED, "the map has another entry");
            }

            @Override
            public ReleaseOutcome release(long deadline) {
                boolean[] was = new boolean[1];
                Entry unused = LOCKS.computeIfPresent(key, (k, e) -> {
                    was[0] = ours(e);
                    return was[0] ? null : e;
                });
                return was[0] ? ReleaseOutcome.RELEASED : ReleaseOutcome.NOT_HELD;
            }
        }
    }

    private static final LockBackend.Observed OBSERVED = new LockBackend.Observed(GUARANTEES, List.of());
}

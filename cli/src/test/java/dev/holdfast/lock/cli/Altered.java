package dev.holdfast.lock.cli;

import dev.holdfast.lock.Fencing;
import dev.holdfast.lock.LockGuarantees;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.Option;
import dev.holdfast.lock.ReleaseOutcome;
import dev.holdfast.lock.memory.MemoryLockProvider;
import dev.holdfast.lock.spi.AcquireAttempt;
import dev.holdfast.lock.spi.AcquireResult;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.Hold;
import dev.holdfast.lock.spi.HoldState;
import dev.holdfast.lock.spi.LockBackend;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * The memory backend with other tokens, or with clients that do not share a server.
 *
 * @param server the name of the server, for each client
 * @param tokens what a client makes of the server's tokens, for each client
 * @param fencing what is declared
 */
record Altered(Supplier<String> server, Supplier<LongFunction<OptionalLong>> tokens, Fencing fencing)
        implements LockProvider {
    private static final Duration POLL = Duration.ofMillis(2);

    @Override
    public String scheme() {
        return MemoryLockProvider.SCHEME;
    }

    @Override
    public LockGuarantees declared() {
        LockGuarantees.Builder memory =
                new MemoryLockProvider().declared().toBuilder().fencing(fencing);
        return fencing == Fencing.NONE ? memory.tokenOrder().build() : memory.build();
    }

    @Override
    public List<Option<?>> options() {
        return new MemoryLockProvider().options();
    }

    @Override
    public LockBackend open(LockOptions options, TimeSource time) throws BackendException {
        LockOptions itsServer = LockOptions.builder(MemoryLockProvider.SCHEME)
                .host(server.get(), 0)
                .option("fair", "false")
                .build();
        return new Backend(new MemoryLockProvider().open(itsServer, time), tokens.get());
    }

    private final class Backend implements LockBackend {
        private final LockBackend memory;
        private final LongFunction<OptionalLong> tokens;

        Backend(LockBackend memory, LongFunction<OptionalLong> tokens) {
            this.memory = memory;
            this.tokens = tokens;
        }

        @Override
        public Observed observed() {
            return new Observed(declared().toBuilder().needs().build(), List.of());
        }

        @Override
        public Duration effectiveLease(Duration requested, boolean renewed) {
            return memory.effectiveLease(requested, renewed);
        }

        @Override
        public AcquireResult acquire(AcquireAttempt attempt, long deadline)
                throws BackendException, InterruptedException {
            AcquireResult result = memory.acquire(attempt, deadline);
            return result instanceof AcquireResult.Granted granted
                    ? new AcquireResult.Granted(new OtherToken(granted.hold(), tokens), granted.confirmedAt())
                    : new AcquireResult.Busy(POLL);
        }

        @Override
        public boolean abandon(AcquireAttempt attempt, long deadline) throws BackendException, InterruptedException {
            return memory.abandon(attempt, deadline);
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    private record OtherToken(Hold hold, LongFunction<OptionalLong> tokens) implements Hold {
        @Override
        public OptionalLong token() {
            return tokens.apply(hold.token().orElseThrow());
        }

        @Override
        public HoldState renew(Duration lease, long deadline) throws BackendException, InterruptedException {
            return hold.renew(lease, deadline);
        }

        @Override
        public HoldState check(long deadline) throws BackendException, InterruptedException {
            return hold.check(deadline);
        }

        @Override
        public ReleaseOutcome release(long deadline) throws BackendException, InterruptedException {
            return hold.release(deadline);
        }
    }
}

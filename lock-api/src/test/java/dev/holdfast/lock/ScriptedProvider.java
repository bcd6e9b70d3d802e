package dev.holdfast.lock;

import dev.holdfast.lock.memory.MemoryLockProvider;
import dev.holdfast.lock.memory.MemoryServer;
import dev.holdfast.lock.spi.AcquireAttempt;
import dev.holdfast.lock.spi.AcquireResult;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.Hold;
import dev.holdfast.lock.spi.HoldState;
import dev.holdfast.lock.spi.LockBackend;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.ReleaseSignals;
import dev.holdfast.lock.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The memory backend with single answers changed, as a driver could give them. */
class ScriptedProvider implements LockProvider {
    /** Answers in place of the backend; null to let it answer. */
    interface Acquire {
        @Nullable
        AcquireResult answer(LockBackend memory, AcquireAttempt attempt, long deadline)
                throws BackendException, InterruptedException;
    }

    /** Subscribes in place of the backend. */
    interface Subscribe {
        ReleaseSignals.Subscription to(ReleaseSignals memory, String name, Runnable mayBeFree, long deadline)
                throws BackendException, InterruptedException;
    }

    private final MemoryLockProvider memory;
    volatile Acquire acquire = (backend, attempt, deadline) -> null;
    volatile UnaryOperator<Hold> hold = granted -> granted;
    volatile UnaryOperator<AcquireResult.Place> place = taken -> taken;
    volatile LockBackend.@Nullable Observed observed;
    volatile @Nullable Fencing fencing;
    volatile Runnable onObserved = () -> {};
    volatile Runnable onTokenSeries = () -> {};
    volatile Runnable onClose = () -> {};
    volatile @Nullable Subscribe subscribe;
    volatile int contenders = 1;
    volatile boolean scopeServer;
    final AtomicInteger abandoned = new AtomicInteger();
    final AtomicInteger acquires = new AtomicInteger();

    ScriptedProvider(MemoryServer.Link link) {
        memory = MemoryLockProvider.on(link);
    }

    @Override
    public String scheme() {
        return "memory";
    }

    @Override
    public LockGuarantees declared() {
        LockGuarantees.Builder declared = memory.declared().toBuilder();
        if (scopeServer) {
            declared.scope(Scope.SERVER);
        }
        Fencing changed = fencing;
        if (changed != null) {
            declared.fencing(changed);
            if (changed.compareTo(Fencing.ORDERED) < 0) {
                declared.tokenOrder();
            }
        }
        return declared.build();
    }

    @Override
    public List<Option<?>> options() {
        return memory.options();
    }

    @Override
    public LockBackend open(LockOptions options, TimeSource time) {
        LockBackend backend = memory.open(options, time);
        return subscribe == null ? new Scripted(backend) : new Signalling(backend);
    }

    private class Scripted implements LockBackend {
        final LockBackend backend;

        Scripted(LockBackend backend) {
            this.backend = backend;
        }

        @Override
        public Observed observed() {
            onObserved.run();
            Observed changed = observed;
            return changed != null ? changed : backend.observed();
        }

        @Override
        public Duration effectiveLease(Duration requested, boolean renewed) {
            return backend.effectiveLease(requested, renewed);
        }

        @Override
        public AcquireResult acquire(AcquireAttempt attempt, long deadline)
                throws BackendException, InterruptedException {
            acquires.incrementAndGet();
            AcquireResult answer = acquire.answer(backend, attempt, deadline);
            return scripted(answer != null ? answer : backend.acquire(attempt, deadline));
        }

        private AcquireResult scripted(AcquireResult answer) {
            if (answer instanceof AcquireResult.Granted granted) {
                return new AcquireResult.Granted(hold.apply(granted.hold()), granted.confirmedAt());
            }
            if (answer instanceof AcquireResult.Queued queued && !(queued.place() instanceof ScriptedPlace)) {
                return new AcquireResult.Queued(place.apply(new ScriptedPlace(queued.place())));
            }
            return answer;
        }

        @Override
        public boolean abandon(AcquireAttempt attempt, long deadline) throws BackendException, InterruptedException {
            abandoned.incrementAndGet();
            return backend.abandon(attempt, deadline);
        }

        @Override
        public int contendersPerName() {
            return contenders;
        }

        @Override
        public int tokenSeries(String name) {
            onTokenSeries.run();
            return backend.tokenSeries(name);
        }

        @Override
        public void close() {
            onClose.run();
            backend.close();
        }

        private final class ScriptedPlace implements AcquireResult.Place {
            private final AcquireResult.Place taken;

            ScriptedPlace(AcquireResult.Place taken) {
                this.taken = taken;
            }

            @Override
            public AcquireResult await(long deadline) throws BackendException, InterruptedException {
                AcquireResult answer = taken.await(deadline);
                return answer instanceof AcquireResult.Queued queued && queued.place() == taken
                        ? new AcquireResult.Queued(this)
                        : scripted(answer);
            }

            @Override
            public void leave(long deadline) throws BackendException, InterruptedException {
                taken.leave(deadline);
            }
        }
    }

    private final class Signalling extends Scripted implements ReleaseSignals {
        Signalling(LockBackend backend) {
            super(backend);
        }

        @Override
        public Subscription subscribe(String name, Runnable mayBeFree, long deadline)
                throws BackendException, InterruptedException {
            Subscribe scripted = subscribe;
            ReleaseSignals signals = (ReleaseSignals) backend;
            return scripted == null
                    ? signals.subscribe(name, mayBeFree, deadline)
                    : scripted.to(signals, name, mayBeFree, deadline);
        }
    }

    /** A hold that answers as another does. */
    static class ScriptedHold implements Hold {
        private final Hold granted;

        ScriptedHold(Hold granted) {
            this.granted = granted;
        }

        @Override
        public OptionalLong token() {
            return granted.token();
        }

        @Override
        public HoldState renew(Duration lease, long deadline) throws BackendException, InterruptedException {
            return granted.renew(lease, deadline);
        }

        @Override
        public HoldState check(long deadline) throws BackendException, InterruptedException {
            return granted.check(deadline);
        }

        @Override
        public ReleaseOutcome release(long deadline) throws BackendException, InterruptedException {
            return granted.release(deadline);
        }
    }
}

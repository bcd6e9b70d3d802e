package dev.holdfast.lock.tck.kill;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockGuarantees;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.Option;
import dev.holdfast.lock.ReleaseOutcome;
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
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The memory backend with a method to override for each of its promises; as it stands it keeps all of them. One object serves all clients of a run. */
class Twist {
    /** What every client of the run holds, as far as it knows, by name. */
    final Map<String, Held> current = new ConcurrentHashMap<>();

    final List<Client> clients = new CopyOnWriteArrayList<>();
    private @Nullable MemoryServer server;

    final LockProvider around(LockProvider provider, MemoryServer memory) {
        server = memory;
        return new Provider(provider);
    }

    final MemoryServer server() {
        return Objects.requireNonNull(server);
    }

    // ---- what can be broken

    String scheme(LockProvider provider) {
        return provider.scheme();
    }

    LockGuarantees declared(LockProvider provider) {
        return provider.declared();
    }

    LockBackend open(LockProvider provider, LockOptions options, TimeSource time) throws BackendException {
        return provider.open(options, time);
    }

    LockBackend.Observed observed(Client client) {
        return client.memory.observed();
    }

    Duration effectiveLease(Client client, Duration requested, boolean renewed) {
        return client.memory.effectiveLease(requested, renewed);
    }

    int contendersPerName(Client client) {
        return client.memory.contendersPerName();
    }

    AcquireAttempt attempt(AcquireAttempt attempt) {
        return attempt;
    }

    AcquireResult acquire(Client client, AcquireAttempt attempt, long deadline)
            throws BackendException, InterruptedException {
        return client.memory.acquire(attempt, deadline);
    }

    AcquireResult await(Client client, AcquireAttempt attempt, AcquireResult.Place place, long deadline)
            throws BackendException, InterruptedException {
        return place.await(deadline);
    }

    void leave(Client client, AcquireResult.Place place, long deadline) throws BackendException, InterruptedException {
        place.leave(deadline);
    }

    boolean abandon(Client client, AcquireAttempt attempt, long deadline)
            throws BackendException, InterruptedException {
        return client.memory.abandon(attempt, deadline);
    }

    ReleaseSignals.Subscription subscribe(Client client, String name, Runnable mayBeFree, long deadline)
            throws BackendException, InterruptedException {
        return ((ReleaseSignals) client.memory).subscribe(name, mayBeFree, deadline);
    }

    void close(Client client) {
        client.memory.close();
    }

    OptionalLong token(Held held) {
        return held.memory.token();
    }

    HoldState renew(Held held, Duration lease, long deadline) throws BackendException, InterruptedException {
        return held.memory.renew(lease, deadline);
    }

    HoldState check(Held held, long deadline) throws BackendException, InterruptedException {
        return held.memory.check(deadline);
    }

    ReleaseOutcome release(Held held, long deadline) throws BackendException, InterruptedException {
        return held.memory.release(deadline);
    }

    // ---- tools

    /** Takes the name away from whoever has it, and grants it: a broken exclusion with tokens that are right. */
    final AcquireResult steal(Client client, AcquireAttempt attempt, long deadline)
            throws BackendException, InterruptedException {
        boolean unused = server().revoke(client.namespace, attempt.name());
        return client.memory.acquire(attempt, deadline);
    }

    static boolean isGranted(AcquireResult result) {
        return result instanceof AcquireResult.Granted;
    }

    static void pass(TimeSource time, Duration duration) throws InterruptedException {
        boolean unused = time.await(new CompletableFuture<>(), time.nanoTime() + duration.toNanos());
    }

    static HoldState lost() {
        return new HoldState.Lost(LeaseLoss.Cause.REVOKED, "made up");
    }

    /** A client as the twist sees it. */
    final class Client implements LockBackend, ReleaseSignals {
        final LockBackend memory;
        final TimeSource time;
        final String namespace;
        private final Map<AcquireAttempt, WeakReference<AcquireAttempt>> attempts = new WeakHashMap<>();

        Client(LockBackend memory, TimeSource time, String namespace) {
            this.memory = memory;
            this.time = time;
            this.namespace = namespace;
        }

        private synchronized AcquireAttempt of(AcquireAttempt attempt) {
            WeakReference<AcquireAttempt> known = attempts.get(attempt);
            AcquireAttempt own = known == null ? null : known.get();
            if (own == null) {
                own = attempt(attempt);
                attempts.put(attempt, new WeakReference<>(own));
            }
            return own;
        }

        private AcquireResult wrapped(AcquireAttempt attempt, AcquireResult result) {
            if (result instanceof AcquireResult.Granted granted && !(granted.hold() instanceof Held)) {
                Held held = new Held(this, attempt, granted.hold());
                current.put(namespace + "/" + attempt.name(), held);
                return new AcquireResult.Granted(held, granted.confirmedAt());
            }
            if (result instanceof AcquireResult.Queued queued && !(queued.place() instanceof Place)) {
                return new AcquireResult.Queued(new Place(this, attempt, queued.place()));
            }
            return result;
        }

        @Override
        public Observed observed() {
            return Twist.this.observed(this);
        }

        @Override
        public Duration effectiveLease(Duration requested, boolean renewed) {
            return Twist.this.effectiveLease(this, requested, renewed);
        }

        @Override
        public int contendersPerName() {
            return Twist.this.contendersPerName(this);
        }

        @Override
        public AcquireResult acquire(AcquireAttempt attempt, long deadline)
                throws BackendException, InterruptedException {
            AcquireAttempt own = of(attempt);
            return wrapped(own, Twist.this.acquire(this, own, deadline));
        }

        @Override
        public boolean abandon(AcquireAttempt attempt, long deadline) throws BackendException, InterruptedException {
            return Twist.this.abandon(this, of(attempt), deadline);
        }

        @Override
        public Subscription subscribe(String name, Runnable mayBeFree, long deadline)
                throws BackendException, InterruptedException {
            return Twist.this.subscribe(this, name, mayBeFree, deadline);
        }

        @Override
        public void close() {
            Twist.this.close(this);
        }
    }

    /** A hold as the twist sees it. */
    final class Held implements Hold {
        final Client client;
        final AcquireAttempt attempt;
        final Hold memory;
        final long since;
        private final AtomicInteger renewals = new AtomicInteger();
        volatile boolean released;

        Held(Client client, AcquireAttempt attempt, Hold memory) {
            this.client = client;
            this.attempt = attempt;
            this.memory = memory;
            since = client.time.nanoTime();
        }

        /** How often it was renewed. */
        int renewals() {
            return renewals.get();
        }

        @Override
        public OptionalLong token() {
            return Twist.this.token(this);
        }

        @Override
        public HoldState renew(Duration lease, long deadline) throws BackendException, InterruptedException {
            HoldState state = Twist.this.renew(this, lease, deadline);
            int unused = renewals.incrementAndGet();
            return state;
        }

        @Override
        public HoldState check(long deadline) throws BackendException, InterruptedException {
            return Twist.this.check(this, deadline);
        }

        @Override
        public ReleaseOutcome release(long deadline) throws BackendException, InterruptedException {
            ReleaseOutcome outcome = Twist.this.release(this, deadline);
            released = true;
            boolean unused = current.remove(client.namespace + "/" + attempt.name(), this);
            return outcome;
        }
    }

    private final class Place implements AcquireResult.Place {
        private final Client client;
        private final AcquireAttempt attempt;
        private final AcquireResult.Place memory;

        Place(Client client, AcquireAttempt attempt, AcquireResult.Place memory) {
            this.client = client;
            this.attempt = attempt;
            this.memory = memory;
        }

        @Override
        public AcquireResult await(long deadline) throws BackendException, InterruptedException {
            AcquireResult result = client.wrapped(attempt, Twist.this.await(client, attempt, memory, deadline));
            return result instanceof AcquireResult.Queued ? new AcquireResult.Queued(this) : result;
        }

        @Override
        public void leave(long deadline) throws BackendException, InterruptedException {
            Twist.this.leave(client, memory, deadline);
        }
    }

    private final class Provider implements LockProvider {
        private final LockProvider memory;

        Provider(LockProvider memory) {
            this.memory = memory;
        }

        @Override
        public String scheme() {
            return Twist.this.scheme(memory);
        }

        @Override
        public LockGuarantees declared() {
            return Twist.this.declared(memory);
        }

        @Override
        public List<Option<?>> options() {
            return memory.options();
        }

        @Override
        public LockBackend open(LockOptions options, TimeSource time) throws BackendException {
            LockBackend backend = Twist.this.open(memory, options, time);
            Client client = new Client(backend, time, options.reader(options()).get(LockOptions.NAMESPACE));
            clients.add(client);
            return client;
        }
    }

    /** An attempt that differs in something. */
    static class Changed implements AcquireAttempt {
        private final AcquireAttempt attempt;

        Changed(AcquireAttempt attempt) {
            this.attempt = attempt;
        }

        @Override
        public String name() {
            return attempt.name();
        }

        @Override
        public String id() {
            return attempt.id();
        }

        @Override
        public Duration lease() {
            return attempt.lease();
        }

        @Override
        public boolean mayQueue() {
            return attempt.mayQueue();
        }

        @Override
        public void onCancel(Runnable action) {
            attempt.onCancel(action);
        }

        @Override
        public void lost(LeaseLoss.Cause cause, String detail) {
            attempt.lost(cause, detail);
        }
    }
}

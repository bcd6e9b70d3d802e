package dev.holdfast.lock;

import dev.holdfast.lock.internal.Durations;
import dev.holdfast.lock.internal.Ids;
import dev.holdfast.lock.internal.Lane;
import dev.holdfast.lock.internal.SystemTime;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.LockBackend;
import dev.holdfast.lock.spi.LockBackend.Observed;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.TimeSource;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one application process on one backend. Open one with {@link LockProviders} and keep it for the life of the process; it is safe for
 * use by any number of threads.
 *
 * <p><b>Waiting.</b> A positive limit returns no earlier than it and at most 250 ms later, also when servers hang; a limit of zero makes one attempt,
 * bounded by the {@linkplain LockOptions#OPERATION_TIMEOUT operation time-out}. Callers of one client queue in order of call, so that a name costs
 * the server one contender for each client and not for each thread. An interrupt is honoured within 250 ms while queued and within the operation
 * time-out while a request is on its way.
 *
 * <p><b>Three outcomes.</b> Acquired; busy until the limit; <em>unavailable</em>, when the servers could not decide, which is never reported as busy.
 * After any failure nothing is held, queued or renewed by the call; what an unanswered request may still do at a server is undone in the background.
 *
 * <p>All times are monotonic; the wall clock is never asked.
 */
public final class LockClient implements AutoCloseable {
    static final System.Logger LOG = System.getLogger("dev.holdfast.lock");

    private static final long DEFAULT_WAIT = Duration.ofSeconds(10).toNanos();
    private static final int CLOSING_THREADS = 16;

    private final LockProvider provider;
    private final LockGuarantees declared;
    private final LockBackend backend;
    private final LockOptions options;
    private final TimeSource time;
    private final List<Require> requires;
    private final long operationTimeout;
    private final long closeTimeout;
    private final LocalQueue queue;
    private final Acquirer acquirer;
    private final Keeper keeper;
    private final Janitor janitor;
    private final ReferenceQueue<Lease> garbage = new ReferenceQueue<>();
    private final String clientId = Ids.client();

    private final ReentrantLock reviewing = new ReentrantLock();
    private volatile Observed reviewed;
    /** Why the live servers no longer offer what was required at open; empty if they do. */
    private volatile String shortfall = "";

    private volatile long closeDeadline;

    private LockClient(
            LockProvider provider,
            LockGuarantees declared,
            LockBackend backend,
            Observed observed,
            LockOptions options,
            TimeSource time,
            List<Require> requires,
            long operationTimeout,
            long closeTimeout) {
        this.provider = provider;
        this.declared = declared;
        this.backend = backend;
        this.reviewed = observed;
        this.options = options;
        this.time = time;
        this.requires = requires;
        this.operationTimeout = operationTimeout;
        this.closeTimeout = closeTimeout;
        queue = new LocalQueue(Math.max(1, backend.contendersPerName()));
        keeper = new Keeper(time, backend, operationTimeout, this::housekeeping);
        janitor = new Janitor(time, backend, observed.effective().hold(), operationTimeout);
        acquirer = new Acquirer(
                this, backend, operationTimeout, declared.reentrancy() == Reentrancy.PER_OWNER, queue, keeper, janitor);
    }

    /**
     * Opens a client on a provider at hand; {@link LockProviders} finds one by class path. This is also the way to use a client object of your own,
     * with a provider made for it.
     *
     * @throws LockConfigurationException if options are wrong or a requirement is not met; all problems are listed
     * @throws LockUnavailableException if the servers cannot be reached
     * @throws LockRefusedException if the servers refuse
     */
    public static LockClient open(LockProvider provider, LockOptions options, Require... requires) {
        return open(provider, options, new SystemTime(), requires);
    }

    /** As {@link #open(LockProvider, LockOptions, Require...)}, on a clock of your own, for tests. The clock stays open when the client is closed. */
    public static LockClient open(LockProvider provider, LockOptions options, TimeSource time, Require... requires) {
        LockOptions.Reader reader = options.reader(provider.options());
        long operationTimeout = reader.get(LockOptions.OPERATION_TIMEOUT).toNanos();
        long closeTimeout = reader.get(LockOptions.CLOSE_TIMEOUT).toNanos();
        LockGuarantees declared = provider.declared();
        LockBackend backend = null;
        boolean opened = false;
        try {
            backend = provider.open(options, time);
            // A provider reports these together with its own; this is for one that did not look.
            reader.finish();
            Observed observed = backend.observed();
            List<String> unmet = unmet(requires, observed);
            if (!unmet.isEmpty()) {
                throw new LockConfigurationException(
                        options + " does not offer what is required",
                        Explanations.unmet(unmet, declared, observed, provider.scheme(), requires));
            }
            LockClient client = new LockClient(
                    provider,
                    declared,
                    backend,
                    observed,
                    options,
                    time,
                    List.of(requires),
                    operationTimeout,
                    closeTimeout);
            opened = true;
            return client;
        } catch (BackendException e) {
            throw failure("cannot open " + options, e);
        } finally {
            if (!opened) {
                if (backend != null) {
                    disconnect(backend);
                }
                closeTime(time);
            }
        }
    }

    // ---- acquiring

    /**
     * Acquires if the name is free, or becomes so within the request's wait, which is zero unless it says otherwise.
     *
     * @return the lease, or empty if the name was held by others until the limit
     * @throws IllegalArgumentException if the lease cannot be had from this backend
     * @throws IllegalStateException if the client is closed, also while waiting
     * @throws LockUnavailableException if the servers could not decide
     * @throws LockRefusedException if a server refused
     */
    public Optional<Lease> tryAcquire(LockRequest request) throws InterruptedException {
        return Optional.ofNullable(obtain(request, request.waitNanosOr(0)));
    }

    /**
     * Acquires, waiting for up to 10 s unless the request says otherwise.
     *
     * @throws LockTimeoutException if the name was held by others until the limit
     * @throws IllegalArgumentException if the lease cannot be had from this backend
     * @throws IllegalStateException if the client is closed, also while waiting
     * @throws LockUnavailableException if the servers could not decide
     * @throws LockRefusedException if a server refused
     */
    public Lease acquire(LockRequest request) throws InterruptedException {
        long wait = request.waitNanosOr(DEFAULT_WAIT);
        Lease lease = obtain(request, wait);
        if (lease == null) {
            throw new LockTimeoutException(
                    "\"" + request.name() + "\" was held by others for " + Durations.show(Duration.ofNanos(wait))
                            + (queue.heldByThisThread(request.name())
                                    ? "; this very thread holds it: a lock nests only if both requests say reentrant() or give the same owner"
                                    : ""));
        }
        return lease;
    }

    /** Acquires as {@link #acquire} does, runs the body, and releases. What the body throws is what the caller gets. */
    public <X extends Exception> void run(LockRequest request, Body<X> body) throws InterruptedException, X {
        try (Lease lease = acquire(request)) {
            body.run(lease);
        }
    }

    /** As {@link #run}, with a result. */
    public <T, X extends Exception> T call(LockRequest request, ResultBody<T, X> body) throws InterruptedException, X {
        try (Lease lease = acquire(request)) {
            return body.call(lease);
        }
    }

    /**
     * What is run under a lock.
     *
     * @param <X> what it throws
     */
    @FunctionalInterface
    public interface Body<X extends Exception> {
        /** Does the work; {@link Lease#token()} goes to the resource. */
        void run(Lease lease) throws X;
    }

    /**
     * What is run under a lock, with a result.
     *
     * @param <T> the result
     * @param <X> what it throws
     */
    @FunctionalInterface
    public interface ResultBody<T, X extends Exception> {
        /** Does the work; {@link Lease#token()} goes to the resource. */
        T call(Lease lease) throws X;
    }

    private @Nullable Lease obtain(LockRequest request, long wait) throws InterruptedException {
        if (queue.isClosed()) {
            throw closed();
        }
        requireGuarantees();
        return acquirer.obtain(request, wait);
    }

    // ---- what acquisitions call back

    String clientId() {
        return clientId;
    }

    TimeSource time() {
        return time;
    }

    ReferenceQueue<Lease> garbage() {
        return garbage;
    }

    /** The hold was lost. Frees the name for this client's own waiters, and at the server if it may still be held there. */
    void ended(Acquisition a, LeaseLoss why) {
        keeper.forget(a);
        if (why.cause() != LeaseLoss.Cause.REVOKED || a.mayStillArrive(time.nanoTime())) {
            janitor.release(a);
        }
        queue.leave(a);
    }

    /** The hold was released: frees it at the server, and then the name for this client's own waiters. */
    ReleaseOutcome release(Acquisition a) {
        keeper.forget(a);
        boolean interrupted = Thread.interrupted();
        ReleaseOutcome outcome = ReleaseOutcome.UNKNOWN;
        Exception failure = null;
        try {
            interrupted |= awaitRenewal(a);
            long deadline = releaseDeadline();
            boolean answered = false;
            while (!answered) {
                try {
                    outcome = a.hold().release(deadline);
                    answered = true;
                } catch (InterruptedException e) {
                    interrupted = true;
                    answered = time.nanoTime() - deadline >= 0;
                }
            }
        } catch (BackendException | RuntimeException e) {
            failure = e;
        } finally {
            if (outcome == ReleaseOutcome.UNKNOWN) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "release of " + a + " has no answer; it is repeated until the lease has passed",
                        failure);
            }
            if (outcome == ReleaseOutcome.UNKNOWN || a.mayStillArrive(time.nanoTime())) {
                janitor.release(a);
            }
            queue.leave(a);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return outcome;
    }

    /** A renewal on its way could set the lock again after its release, on backends that may restore it; so the release follows it. */
    private boolean awaitRenewal(Acquisition a) {
        CompletableFuture<Void> renewal = a.renewalInFlight();
        if (renewal == null) {
            return false;
        }
        boolean interrupted = false;
        long deadline = releaseDeadline();
        while (true) {
            try {
                var unused = time.await(renewal, deadline);
                return interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }

    private long releaseDeadline() {
        long deadline = time.nanoTime() + operationTimeout;
        return queue.isClosed() && closeDeadline - deadline < 0 ? closeDeadline : deadline;
    }

    private void housekeeping() {
        review();
        for (Reference<? extends Lease> r; (r = garbage.poll()) != null; ) {
            LeaseHandle handle = (LeaseHandle) r;
            if (!handle.isReleased()) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        () -> "a lease of " + handle.acquisition()
                                + " became garbage without a release; it is released now. Keep a reference to it, or use run()");
                time.execute(handle::release);
            }
        }
    }

    // ---- guarantees

    /** What the live servers were last seen to offer. */
    public LockGuarantees guarantees() {
        return backend.observed().effective();
    }

    /** What the provider declares, under the settings that it needs. */
    public LockGuarantees declared() {
        return declared;
    }

    /** What was observed on the live servers and what follows from it, one sentence each: why {@link #guarantees()} differ from {@link #declared()}. */
    public List<String> observations() {
        return backend.observed().reasons();
    }

    /** Looks whether the servers still offer what was required. Costs one comparison unless a backend has probed again. */
    @SuppressWarnings("ReferenceEquality") // a new object is how a backend says that the result has changed
    private void review() {
        if (backend.observed() == reviewed) {
            return;
        }
        String lowered = "";
        reviewing.lock();
        try {
            Observed now = backend.observed();
            if (now == reviewed) {
                return;
            }
            Require[] required = requires.toArray(Require[]::new);
            List<String> unmet = unmet(required, now);
            if (!unmet.isEmpty()) {
                lowered = String.join("; ", Explanations.unmet(unmet, declared, now, provider.scheme(), required));
            }
            shortfall = lowered;
            reviewed = now;
        } finally {
            reviewing.unlock();
        }
        if (!lowered.isEmpty()) {
            LeaseLoss why = new LeaseLoss(
                    LeaseLoss.Cause.GUARANTEES_LOWERED, "the servers no longer offer what is required: " + lowered);
            queue.holders().forEach(a -> a.lose(why));
        }
    }

    void requireGuarantees() {
        review();
        if (!shortfall.isEmpty()) {
            throw new LockRefusedException(options + " no longer offers what is required: " + shortfall, null);
        }
    }

    private static List<String> unmet(Require[] requires, Observed observed) {
        return Arrays.stream(requires)
                .flatMap(r -> r.unmetBy(observed.effective()).stream().map(reason -> r + ": " + reason))
                .distinct()
                .toList();
    }

    // ---- closing

    /**
     * Ends the waiters of this client at once, stops renewals, releases what it holds, and disconnects. Each release that fails is logged once; such
     * a lock is free when its lease has passed.
     *
     * <p>Blocks for at most the {@linkplain LockOptions#CLOSE_TIMEOUT close time-out} (and what the disconnect takes). Safe to repeat. Afterwards
     * every call is an IllegalStateException; its leases are released.
     */
    @Override
    public void close() {
        if (!queue.isClosed()) {
            closeDeadline = time.nanoTime() + closeTimeout;
        }
        CompletableFuture<Void> emptied = queue.close();
        if (emptied == null) {
            return;
        }
        keeper.stop();
        boolean interrupted = Thread.interrupted();
        try {
            List<Acquisition> held = new ArrayList<>();
            for (Acquisition a : queue.holders()) {
                if (a.endAsReleased()) {
                    held.add(a);
                }
            }
            Lane lane = new Lane(time, CLOSING_THREADS);
            List<CompletableFuture<Void>> releases = new ArrayList<>();
            for (Acquisition a : held) {
                CompletableFuture<Void> done = new CompletableFuture<>();
                releases.add(done);
                lane.execute(() -> {
                    if (time.nanoTime() - closeDeadline >= 0) {
                        return;
                    }
                    try {
                        ReleaseOutcome unused = release(a);
                    } finally {
                        done.complete(null);
                    }
                });
            }
            CompletableFuture<Void> all = CompletableFuture.allOf(
                    emptied, CompletableFuture.allOf(releases.toArray(CompletableFuture<?>[]::new)));
            interrupted |= awaitUntilClosed(all);
            if (all.isDone()) {
                interrupted |= awaitUntilClosed(janitor.finish());
            }
            for (int i = 0; i < held.size(); i++) {
                if (!releases.get(i).isDone()) {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "closing did not release {0} in time; it is free when its lease has passed",
                            held.get(i));
                }
            }
        } finally {
            janitor.stop();
            disconnect(backend);
            closeTime(time);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns whether the thread was interrupted meanwhile. */
    private boolean awaitUntilClosed(CompletableFuture<Void> done) {
        boolean interrupted = false;
        while (!done.isDone() && time.nanoTime() - closeDeadline < 0) {
            try {
                var unused = time.await(done, closeDeadline);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        return interrupted;
    }

    private static void disconnect(LockBackend backend) {
        try {
            backend.close();
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.WARNING, "the driver failed to close", e);
        }
    }

    @Override
    public String toString() {
        return "LockClient[" + options + (queue.isClosed() ? ", closed]" : "]");
    }

    IllegalStateException closed() {
        return new IllegalStateException("the lock client of " + options + " is closed");
    }

    private static void closeTime(TimeSource time) {
        if (time instanceof SystemTime system) {
            system.close();
        }
    }

    static LockException failure(String what, BackendException e) {
        String message = what + ": " + e.getMessage();
        return e.kind() == BackendException.Kind.REFUSED
                ? new LockRefusedException(message, e)
                : new LockUnavailableException(message, e, e.nodes());
    }
}

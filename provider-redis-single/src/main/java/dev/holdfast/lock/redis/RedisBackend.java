package dev.holdfast.lock.redis;

import dev.holdfast.lock.spi.AcquireAttempt;
import dev.holdfast.lock.spi.AcquireResult;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.HoldState;
import dev.holdfast.lock.spi.LockBackend;
import dev.holdfast.lock.spi.ReleaseSignals;
import dev.holdfast.lock.spi.RenewTogether;
import dev.holdfast.lock.spi.TimeSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/** Locks on one server. What the scripts do is told in their headers. */
final class RedisBackend implements LockBackend, ReleaseSignals, RenewTogether {
    private static final System.Logger LOG = System.getLogger(RedisBackend.class.getPackageName());

    private static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

    /** How long a waiter may sleep while release signals do not arrive. */
    private static final long POLL_MILLIS = 100;

    /** How long a waiter may sleep where a key without a time to live, which is not ours, is in the way. */
    private static final long FOREIGN_MILLIS = 1000;

    private static final long PROBE_RETRY = Duration.ofSeconds(1).toNanos();

    /** Whether the server is to be asked again what it offers. */
    private enum Probing {
        IDLE,
        RUNNING,
        RUNNING_AND_AGAIN
    }

    private final RedisConnector connector;
    private final RedisNames names;
    private final RedisSettings settings;
    private final TimeSource time;
    private final AtomicReference<Probing> probing = new AtomicReference<>(Probing.IDLE);
    private volatile Observed observed;
    private volatile boolean closed;

    private RedisBackend(RedisConnector connector, RedisSettings settings, TimeSource time, Observed observed) {
        this.connector = connector;
        this.settings = settings;
        this.time = time;
        this.observed = observed;
        this.names = new RedisNames(settings.namespace());
    }

    /** Looks at the server, and closes the connector if it is not to be used. */
    static RedisBackend open(RedisConnector connector, RedisSettings settings, String server, TimeSource time)
            throws BackendException {
        boolean opened = false;
        try {
            RedisProbe probe =
                    RedisProbe.ask(connector, settings.assume(), time.nanoTime() + settings.operationTimeout());
            probe.requireUsable(server);
            RedisBackend backend = new RedisBackend(connector, settings, time, probe.observed());
            backend.requirePermissions();
            backend.warn();
            connector.onTrouble(backend::probeAgain);
            opened = true;
            return backend;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw RedisErrors.unreachable(server, "opening was interrupted", e);
        } finally {
            if (!opened) {
                connector.close();
            }
        }
    }

    /** Finds out now, not at the first lock, that this user may run no scripts on these keys, or may not publish. */
    private void requirePermissions() throws BackendException, InterruptedException {
        long deadline = time.nanoTime() + settings.operationTimeout();
        byte[] probe = names.probe().getBytes(StandardCharsets.UTF_8);
        var unused = connector.run(RedisScript.CHECK, deadline, probe, probe);
        connector.publish(names.probe(), deadline);
    }

    private void warn() {
        observed.reasons().stream()
                .filter(reason -> reason.contains("evicted"))
                .forEach(reason -> LOG.log(System.Logger.Level.WARNING, settings.server() + ": " + reason));
    }

    // ---- acquiring

    @Override
    public Duration effectiveLease(Duration requested, boolean renewed) {
        Duration whole = Duration.ofMillis(requested.plusNanos(999_999).toMillis());
        return whole.compareTo(SHORTEST_LEASE) < 0 ? SHORTEST_LEASE : whole;
    }

    @Override
    public AcquireResult acquire(AcquireAttempt attempt, long deadline) throws BackendException, InterruptedException {
        byte[] key = key(attempt.name());
        byte[] id = ascii(attempt.id());
        RedisConnector.Reply reply =
                connector.run(RedisScript.ACQUIRE, deadline, key, names.counter(), id, millis(attempt.lease()));
        if (reply.value() instanceof byte[] token) {
            return new AcquireResult.Granted(
                    new RedisHold(connector, key, id, Long.parseLong(new String(token, StandardCharsets.US_ASCII))),
                    reply.sentAt());
        }
        if (reply.value() instanceof Long left) {
            return new AcquireResult.Busy(Duration.ofMillis(retryAfter(left)));
        }
        throw unexpected(reply);
    }

    /** When to ask again: the key has expired one millisecond after its remaining time. */
    private long retryAfter(long left) {
        long expired = left < 0 ? FOREIGN_MILLIS : left + 1;
        return connector.isListening() ? expired : Math.min(expired, POLL_MILLIS);
    }

    @Override
    public boolean abandon(AcquireAttempt attempt, long deadline) throws BackendException, InterruptedException {
        var unused = RedisHold.release(connector, key(attempt.name()), ascii(attempt.id()), deadline);
        // The request may still be on its way.
        return false;
    }

    @Override
    public List<HoldState> renew(List<Renewal> renewals, long deadline) throws InterruptedException {
        List<byte[][]> calls = new ArrayList<>(renewals.size());
        for (Renewal renewal : renewals) {
            calls.add(((RedisHold) renewal.hold()).renewal(renewal.lease()));
        }
        List<HoldState> states = new ArrayList<>(renewals.size());
        for (RedisConnector.Outcome outcome : connector.runEach(RedisScript.RENEW, calls, deadline)) {
            states.add(state(outcome));
        }
        return states;
    }

    private static HoldState state(RedisConnector.Outcome outcome) {
        RedisConnector.Reply reply = outcome.reply();
        if (reply == null) {
            return new HoldState.Unknown(Objects.requireNonNull(outcome.failure()));
        }
        try {
            return RedisHold.state(reply);
        } catch (BackendException e) {
            return new HoldState.Unknown(e);
        }
    }

    @Override
    public Subscription subscribe(String name, Runnable mayBeFree, long deadline)
            throws BackendException, InterruptedException {
        return connector.subscribe(RedisNames.channel(names.key(name)), mayBeFree, deadline);
    }

    private byte[] key(String name) {
        return names.key(name).getBytes(StandardCharsets.UTF_8);
    }

    static byte[] millis(Duration duration) {
        return ascii(Long.toString(duration.toMillis()));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static BackendException unexpected(RedisConnector.Reply reply) {
        return new BackendException(
                BackendException.Kind.UNCLEAR,
                "a script answered with " + reply.value().getClass().getSimpleName() + ", which it never does",
                null);
    }

    // ---- what the server offers

    @Override
    public Observed observed() {
        return observed;
    }

    private void probeAgain() {
        Probing before = probing.getAndUpdate(p -> p == Probing.IDLE ? Probing.RUNNING : Probing.RUNNING_AND_AGAIN);
        if (before == Probing.IDLE) {
            time.execute(this::probe);
        }
    }

    private void probe() {
        while (!closed) {
            probing.set(Probing.RUNNING);
            try {
                Observed now = RedisProbe.ask(
                                connector, settings.assume(), time.nanoTime() + settings.operationTimeout())
                        .observed();
                if (!now.equals(observed)) {
                    observed = now;
                    warn();
                }
            } catch (BackendException | RuntimeException e) {
                var unused = time.schedule(() -> time.execute(this::probe), time.nanoTime() + PROBE_RETRY);
                return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                probing.set(Probing.IDLE);
                return;
            }
            if (probing.compareAndSet(Probing.RUNNING, Probing.IDLE)) {
                return;
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        connector.close();
    }
}

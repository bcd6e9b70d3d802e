package dev.holdfast.lock.memory;

import dev.holdfast.lock.ReleaseOutcome;
import dev.holdfast.lock.memory.MemoryServer.Link;
import dev.holdfast.lock.memory.MemoryServer.Space;
import dev.holdfast.lock.memory.MemoryServer.Ticket;
import dev.holdfast.lock.spi.AcquireAttempt;
import dev.holdfast.lock.spi.AcquireResult;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.LockBackend;
import dev.holdfast.lock.spi.ReleaseSignals;
import dev.holdfast.lock.spi.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The driver of the memory server. */
final class MemoryBackend implements LockBackend, ReleaseSignals {
    private static final Duration SHORTEST_LEASE = Duration.ofMillis(10);

    private final Link link;
    private final Space space;
    private final TimeSource time;
    private final boolean fair;
    private final long operationTimeout;
    private final Observed observed;

    MemoryBackend(Link link, TimeSource time, MemorySettings settings, Observed observed) {
        this.link = link;
        this.space = link.server().space(settings.namespace());
        this.time = time;
        this.fair = settings.fair();
        this.operationTimeout = settings.operationTimeout();
        this.observed = observed;
    }

    @Override
    public Observed observed() {
        return observed;
    }

    @Override
    public Duration effectiveLease(Duration requested, boolean renewed) {
        return requested.compareTo(SHORTEST_LEASE) < 0 ? SHORTEST_LEASE : requested;
    }

    @Override
    public AcquireResult acquire(AcquireAttempt attempt, long deadline) throws BackendException, InterruptedException {
        long sent = time.nanoTime();
        String name = attempt.name();
        long lease = attempt.lease().toNanos();
        boolean queue = fair && attempt.mayQueue();
        Object reply = link.isPlain()
                ? space.acquire(this, name, attempt, lease, queue)
                : link.<@Nullable Object>call(
                        "acquire", name, time, deadline, () -> space.acquire(this, name, attempt, lease, queue));
        if (reply instanceof MemoryHold hold) {
            return new AcquireResult.Granted(hold, sent);
        }
        if (reply instanceof Ticket ticket) {
            return new AcquireResult.Queued(new Place(attempt, ticket));
        }
        return new AcquireResult.Busy(Duration.ofNanos(space.remaining(name)));
    }

    @Override
    public boolean abandon(AcquireAttempt attempt, long deadline) throws BackendException, InterruptedException {
        ReleaseOutcome unused = free(attempt.name(), attempt, deadline);
        return false;
    }

    @Override
    public Subscription subscribe(String name, Runnable mayBeFree, long deadline)
            throws BackendException, InterruptedException {
        Runnable heard = () -> {
            if (!link.isSilent()) {
                mayBeFree.run();
            }
        };
        CompletableFuture<Runnable> listening = new CompletableFuture<>();
        boolean subscribed = false;
        try {
            boolean unused =
                    link.call("subscribe", name, time, deadline, () -> listening.complete(space.listen(name, heard)));
            subscribed = true;
            return () -> listening.join().run();
        } finally {
            if (!subscribed) {
                // Also if the request arrives when nobody waits for it any more.
                var unused = listening.thenAccept(Runnable::run);
            }
        }
    }

    @Override
    public void close() {}

    // ---- what holds call

    long now() {
        return time.nanoTime();
    }

    boolean renew(String name, AcquireAttempt owner, Duration lease, long deadline)
            throws BackendException, InterruptedException {
        return link.call("renew", name, time, deadline, () -> space.renew(name, owner, lease.toNanos()));
    }

    boolean owns(String name, AcquireAttempt owner, long deadline) throws BackendException, InterruptedException {
        return link.call("check", name, time, deadline, () -> space.owns(name, owner));
    }

    ReleaseOutcome free(String name, AcquireAttempt owner, long deadline)
            throws BackendException, InterruptedException {
        return link.isPlain()
                ? space.free(name, owner)
                : link.call("release", name, time, deadline, () -> space.free(name, owner));
    }

    private final class Place implements AcquireResult.Place {
        private final AcquireAttempt attempt;
        private final Ticket ticket;

        Place(AcquireAttempt attempt, Ticket ticket) {
            this.attempt = attempt;
            this.ticket = ticket;
        }

        @Override
        public AcquireResult await(long deadline) throws BackendException, InterruptedException {
            CompletableFuture<Void> cancelled = new CompletableFuture<>();
            attempt.onCancel(() -> cancelled.complete(null));
            if (!time.await(CompletableFuture.anyOf(ticket.served, cancelled), deadline) || !ticket.served.isDone()) {
                return new AcquireResult.Queued(this);
            }
            // The deadline is that of the wait, which may be far away.
            long now = time.nanoTime();
            return acquire(attempt, now + Math.min(operationTimeout, deadline - now));
        }

        @Override
        public void leave(long deadline) throws BackendException, InterruptedException {
            var unused = free(ticket.name, ticket.owner, deadline);
        }
    }
}

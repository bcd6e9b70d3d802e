package dev.holdfast.lock.cli;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A client in this process. */
final class LocalParticipant implements Participant {
    private static final LeaseLoss UNTOLD = new LeaseLoss(LeaseLoss.Cause.EXPIRED, "no reason was given");

    private final String name;
    private final LockClient client;
    private @Nullable Lease lease;

    LocalParticipant(String name, LockClient client) {
        this.name = name;
        this.client = client;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Grant acquire(Ask ask) throws InterruptedException {
        LockRequest request = LockRequest.of(ask.lock()).waitUpTo(ask.patience());
        Lease got = client.acquire(ask.renewed() ? request.lease(ask.lease()) : request.fixedLease(ask.lease()));
        lease = got;
        return new Grant(got.findToken(), got.duration());
    }

    @Override
    public Belief belief() {
        Lease mine = lease();
        Duration remaining = mine.remaining();
        LeaseState state = mine.state();
        if (state != LeaseState.LOST) {
            return new Belief(state, remaining, "");
        }
        CompletableFuture<LeaseLoss> loss = new CompletableFuture<>();
        mine.onLost(loss::complete);
        LeaseLoss told = loss.completeOnTimeout(UNTOLD, 1, TimeUnit.SECONDS).join();
        return new Belief(state, remaining, told.detail());
    }

    @Override
    public Write write(int value) {
        Lease mine = lease();
        return new Write(value, mine.findToken(), mine.id());
    }

    @Override
    public void release() {
        lease().close();
    }

    @Override
    public void count(Counting work) throws InterruptedException {
        work.run(name, client);
    }

    @Override
    public boolean canBePaused() {
        return false;
    }

    @Override
    public String pause() {
        return "its thread stands still";
    }

    @Override
    public String resume() {
        return "goes on";
    }

    @Override
    public void close() {
        client.close();
    }

    @Override
    public void kill() {
        // Ends with this process.
    }

    private Lease lease() {
        if (lease == null) {
            throw new IllegalStateException(name + " holds nothing");
        }
        return lease;
    }
}

package dev.holdfast.lock.memory;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.ReleaseOutcome;
import dev.holdfast.lock.spi.AcquireAttempt;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.Hold;
import dev.holdfast.lock.spi.HoldState;
import java.time.Duration;
import java.util.OptionalLong;

/** A lock, as the server has it and as its holder sees it. */
final class MemoryHold implements Hold {
    private final MemoryBackend backend;
    private final String name;
    private final AcquireAttempt owner;
    private final long token;
    private long expires;

    MemoryHold(MemoryBackend backend, String name, AcquireAttempt owner, long token, long expires) {
        this.backend = backend;
        this.name = name;
        this.owner = owner;
        this.token = token;
        this.expires = expires;
    }

    // ---- at the server, under its lock

    String name() {
        return name;
    }

    boolean isOf(AcquireAttempt attempt) {
        return owner == attempt;
    }

    long expires() {
        return expires;
    }

    /** Never shortens. */
    void extend(long until) {
        if (until - expires > 0) {
            expires = until;
        }
    }

    // ---- at the client

    @Override
    public OptionalLong token() {
        return OptionalLong.of(token);
    }

    @Override
    public HoldState renew(Duration lease, long deadline) throws BackendException, InterruptedException {
        long sent = backend.now();
        return state(sent, backend.renew(name, owner, lease, deadline));
    }

    @Override
    public HoldState check(long deadline) throws BackendException, InterruptedException {
        long sent = backend.now();
        return state(sent, backend.owns(name, owner, deadline));
    }

    private static HoldState state(long sent, boolean ours) {
        return ours
                ? new HoldState.Held(sent)
                : new HoldState.Lost(LeaseLoss.Cause.REVOKED, "the memory server says that it is not ours any more");
    }

    @Override
    public ReleaseOutcome release(long deadline) throws BackendException, InterruptedException {
        return backend.free(name, owner, deadline);
    }
}

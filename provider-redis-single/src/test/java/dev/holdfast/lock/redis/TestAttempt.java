package dev.holdfast.lock.redis;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.spi.AcquireAttempt;
import java.time.Duration;
import java.util.UUID;

/** An attempt as the core makes it. */
record TestAttempt(String name, String id, Duration lease) implements AcquireAttempt {
    static TestAttempt of(String name) {
        return of(name, Duration.ofSeconds(30));
    }

    static TestAttempt of(String name, Duration lease) {
        return new TestAttempt(name, UUID.randomUUID().toString(), lease);
    }

    @Override
    public boolean mayQueue() {
        return true;
    }

    @Override
    public void onCancel(Runnable action) {}

    @Override
    public void lost(LeaseLoss.Cause cause, String detail) {
        throw new AssertionError("Redis tells nobody of a loss");
    }
}

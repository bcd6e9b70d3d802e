package dev.holdfast.lock.redis;

import dev.holdfast.lock.tck.Harness;
import dev.holdfast.lock.tck.LockProviderTck;

/** A server as it comes: its data is gone when it is. */
class RedisDefaultTckTest extends LockProviderTck {
    @Override
    protected Harness harness() {
        return new RedisHarness("default");
    }
}

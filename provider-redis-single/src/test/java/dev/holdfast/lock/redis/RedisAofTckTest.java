package dev.holdfast.lock.redis;

import dev.holdfast.lock.tck.Harness;
import dev.holdfast.lock.tck.LockProviderTck;

/** A server that confirms nothing before it is on disk. */
class RedisAofTckTest extends LockProviderTck {
    @Override
    protected Harness harness() {
        return new RedisHarness("aof-always", "--appendonly", "yes", "--appendfsync", "always");
    }
}

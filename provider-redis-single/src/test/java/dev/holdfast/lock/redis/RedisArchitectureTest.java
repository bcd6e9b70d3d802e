package dev.holdfast.lock.redis;

import dev.holdfast.lock.tck.arch.ApiListing;
import dev.holdfast.lock.tck.arch.HoldfastRules;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RedisArchitectureTest {
    @Test
    void rules() {
        // Jedis shows the pool that it is built on.
        HoldfastRules.provider(RedisLockProvider.class, "redis.clients..", "org.apache.commons.pool2..")
                .withVendorTypesIn(Set.of("RedisLockProvider.on"), "redis.clients..", "org.apache.commons.pool2..")
                .check(10);
    }

    @Test
    void publicApi() {
        ApiListing.verify(RedisLockProvider.class, Path.of("api.txt"));
    }
}

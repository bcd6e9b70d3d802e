package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.LockRequest;
import java.time.Duration;
import redis.clients.jedis.Jedis;

/** Returns from main with a lease held, a waiter blocked and nothing closed. */
final class ExitMain {
    private ExitMain() {}

    public static void main(String[] args) throws Exception {
        LockOptions options = LockOptions.parse("redis://127.0.0.1:" + args[0]);
        LockClient holder = LockClient.open(new RedisLockProvider(), options);
        LockClient waiter = LockClient.open(new RedisLockProvider(), options);
        LockRequest name = LockRequest.of(args[1]).lease(Duration.ofSeconds(2));
        holder.acquire(name);
        Thread thread = new Thread(() -> {
            try {
                waiter.acquire(name.waitForever()).release();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        try (Jedis admin = new Jedis("127.0.0.1", Integer.parseInt(args[0]))) {
            Wait.until(
                    "it waits",
                    () -> admin.pubsubChannels("holdfast:lock:" + args[1]).size() == 1);
        }
        System.out.println("returning");
    }
}

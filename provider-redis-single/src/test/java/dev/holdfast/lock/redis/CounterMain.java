package dev.holdfast.lock.redis;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.LockRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import redis.clients.jedis.Jedis;

/** Raises a counter by reading and writing it, in many threads, under the lock or without it. */
final class CounterMain {
    private static final Duration PAUSE = Duration.ofMillis(10);

    private CounterMain() {}

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        int processes = Integer.parseInt(args[1]);
        int threads = Integer.parseInt(args[2]);
        Duration time = Duration.parse(args[3]);
        boolean locked = Boolean.parseBoolean(args[4]);
        List<CompletableFuture<Long>> counts = new ArrayList<>();
        try (LockClient locks =
                        LockClient.open(new RedisLockProvider(), LockOptions.parse("redis://127.0.0.1:" + port));
                Jedis start = new Jedis("127.0.0.1", port)) {
            start.incr("ready");
            while (Integer.parseInt(start.get("ready")) < processes) {
                Wait.pass(PAUSE);
            }
            long end = Wait.in(time);
            for (int i = 0; i < threads; i++) {
                CompletableFuture<Long> count = new CompletableFuture<>();
                counts.add(count);
                new Thread(() -> {
                            try (Jedis redis = new Jedis("127.0.0.1", port)) {
                                count.complete(raise(locks, redis, end, locked));
                            } catch (Exception e) {
                                count.completeExceptionally(e);
                            }
                        })
                        .start();
            }
            long sum = 0;
            for (CompletableFuture<Long> count : counts) {
                sum += count.join();
            }
            System.out.println("increments " + sum);
        }
    }

    private static long raise(LockClient locks, Jedis redis, long end, boolean locked) throws Exception {
        LockRequest request = LockRequest.of("counter").waitUpTo(Duration.ofMinutes(1));
        long count = 0;
        while (Wait.TIME.nanoTime() - end < 0) {
            if (locked) {
                try (Lease lease = locks.acquire(request)) {
                    raise(redis);
                    redis.rpush("tokens", Long.toString(lease.token()));
                }
            } else {
                raise(redis);
            }
            count++;
        }
        return count;
    }

    private static void raise(Jedis redis) {
        String before = redis.get("counter");
        redis.set("counter", Long.toString(before == null ? 1 : Long.parseLong(before) + 1));
    }
}

package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.LockRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Locks many names once, and says how much is live after the first fifth of them and after all. */
final class MemoryMain {
    private static final int THREADS = 8;

    private MemoryMain() {}

    public static void main(String[] args) throws Exception {
        int names = Integer.parseInt(args[1]);
        try (LockClient locks =
                LockClient.open(new RedisLockProvider(), LockOptions.parse("redis://127.0.0.1:" + args[0]))) {
            AtomicInteger next = new AtomicInteger();
            lock(locks, next, names / 5);
            long fifth = live();
            lock(locks, next, names);
            long all = live();
            System.out.println("growth " + (all - fifth));
        }
    }

    private static void lock(LockClient locks, AtomicInteger next, int until) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            CompletableFuture<Void> done = new CompletableFuture<>();
            all.add(done);
            new Thread(() -> {
                        try {
                            while (next.get() < until) {
                                locks.acquire(LockRequest.of("name number " + next.getAndIncrement()))
                                        .release();
                            }
                            done.complete(null);
                        } catch (Exception e) {
                            done.completeExceptionally(e);
                        }
                    })
                    .start();
        }
        all.forEach(CompletableFuture::join);
    }

    @SuppressWarnings("SystemGC") // what is live is what is asked
    private static long live() throws InterruptedException {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            Wait.pass(Duration.ofMillis(50));
            least = Math.min(
                    least,
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return least;
    }
}

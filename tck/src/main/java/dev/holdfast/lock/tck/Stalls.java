package dev.holdfast.lock.tck;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Notices when this process did not get to run: garbage collection, a busy machine. The limits of the rules are about the library and not about the
 * machine, so that what was stalled is added to them.
 */
final class Stalls {
    private static final long STEP = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long WORTH_NOTING = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long KEPT = TimeUnit.MINUTES.toNanos(2);

    private record Stall(long from, long to) {}

    private final ConcurrentLinkedDeque<Stall> stalls = new ConcurrentLinkedDeque<>();

    Stalls() {
        Thread thread = new Thread(this::watch, "tck-stalls");
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
        CompletableFuture<Void> never = new CompletableFuture<>();
        try {
            while (true) {
                long due = System.nanoTime() + STEP;
                try {
                    never.get(STEP, TimeUnit.NANOSECONDS);
                } catch (TimeoutException e) {
                    long now = System.nanoTime();
                    if (now - due > WORTH_NOTING) {
                        stalls.add(new Stall(due, now));
                    }
                    stalls.removeIf(s -> now - s.to > KEPT);
                }
            }
        } catch (InterruptedException | ExecutionException e) {
            Thread.currentThread().interrupt();
        }
    }

    Duration between(long from, long to) {
        long sum = 0;
        for (Stall stall : stalls) {
            if (stall.to - from > 0 && to - stall.from > 0) {
                sum += stall.to - stall.from;
            }
        }
        return Duration.ofNanos(sum);
    }
}

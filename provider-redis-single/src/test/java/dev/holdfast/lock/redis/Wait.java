package dev.holdfast.lock.redis;

import dev.holdfast.lock.internal.SystemTime;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** The tests' clock, and waiting by it. */
final class Wait {
    static final SystemTime TIME = new SystemTime();
    private static final Duration LONG = Duration.ofSeconds(20);

    private Wait() {}

    static long in(Duration duration) {
        return TIME.nanoTime() + duration.toNanos();
    }

    static long inMillis(long millis) {
        return in(Duration.ofMillis(millis));
    }

    static Duration since(long from) {
        return Duration.ofNanos(TIME.nanoTime() - from);
    }

    /** Lets time pass where that is what is tested. */
    static void pass(Duration duration) throws InterruptedException {
        boolean unused = TIME.await(new CompletableFuture<>(), in(duration));
    }

    /** Waits until something is so; fails with what it is. */
    static void until(String what, Callable<Boolean> isSo) throws Exception {
        long end = in(LONG);
        while (!isSo.call()) {
            if (TIME.nanoTime() - end > 0) {
                throw new AssertionError("not within " + LONG + ": " + what);
            }
            pass(Duration.ofMillis(5));
        }
    }
}

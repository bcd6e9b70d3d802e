package dev.holdfast.lock.tck.process;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Lets time pass. */
final class Pause {
    private Pause() {}

    static void of(Duration duration) {
        long end = System.nanoTime() + duration.toNanos();
        for (long left; (left = end - System.nanoTime()) > 0; ) {
            LockSupport.parkNanos(left);
        }
    }
}

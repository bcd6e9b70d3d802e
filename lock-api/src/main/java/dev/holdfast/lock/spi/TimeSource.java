package dev.holdfast.lock.spi;

import java.util.concurrent.CompletableFuture;

/**
 * The only clock of the library: monotonic time, timers, waiting and background work, so that all of it can run on virtual time. The wall clock
 * is never asked. {@code nanoTime} may stand still while a machine is suspended; then only a fencing token helps.
 */
public interface TimeSource {
    /** Nanoseconds since some origin, as {@link System#nanoTime()}: compare by difference only. */
    long nanoTime();

    /** Runs a short task that does not block, once, at a moment of this clock. */
    Timer schedule(Runnable task, long atNanos);

    /** Runs a task that may block, soon, on a daemon thread. */
    void execute(Runnable task);

    /**
     * Waits until the signal is completed, in whatever way, or the deadline of this clock has passed.
     *
     * @return whether the signal is completed
     * @throws InterruptedException if the thread is, or gets, interrupted; its flag is cleared
     */
    boolean await(CompletableFuture<?> signal, long deadlineNanos) throws InterruptedException;

    /** A scheduled task. */
    interface Timer {
        /** Keeps the task from running, unless it has begun. */
        void cancel();
    }
}

package dev.holdfast.lock.internal;

import dev.holdfast.lock.spi.TimeSource;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** The machine's monotonic clock. Its threads are daemons, are made when needed, and end when idle or closed. */
public final class SystemTime implements TimeSource, AutoCloseable {
    private final ScheduledThreadPoolExecutor timer;
    private final ThreadPoolExecutor workers;

    public SystemTime() {
        timer = new ScheduledThreadPoolExecutor(1, daemons("holdfast-timer"));
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        timer.setKeepAliveTime(10, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        workers = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), daemons("holdfast-worker"));
    }

    private static ThreadFactory daemons(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Timer schedule(Runnable task, long atNanos) {
        try {
            Future<?> scheduled = timer.schedule(task, atNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
            return () -> scheduled.cancel(false);
        } catch (RejectedExecutionException closed) {
            return () -> {};
        }
    }

    @Override
    public void execute(Runnable task) {
        try {
            workers.execute(task);
        } catch (RejectedExecutionException closed) {
            // The client is closed: what was left to do in the background is not done any more.
        }
    }

    @Override
    public boolean await(CompletableFuture<?> signal, long deadlineNanos) throws InterruptedException {
        try {
            signal.get(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException | CompletionException | CancellationException e) {
            return true;
        }
    }

    /** Ends the timer at once; lets running background work end by itself. */
    @Override
    public void close() {
        timer.shutdownNow();
        workers.shutdown();
    }
}

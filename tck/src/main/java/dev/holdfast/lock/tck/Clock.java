package dev.holdfast.lock.tck;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.Require;
import dev.holdfast.lock.memory.VirtualTime;
import dev.holdfast.lock.spi.LockProvider;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The time in which checks run, so that one text of a check serves virtual and real time. */
public abstract sealed class Clock {
    private Clock() {}

    /** The machine's monotonic clock; every client has its own threads. */
    public static Clock real() {
        return new Real();
    }

    /** A virtual clock for providers whose servers run on the time source that they are opened with. */
    public static Clock virtual() {
        return virtual(new VirtualTime());
    }

    /** A clock that jumps whenever everybody waits; the servers must run on it too. */
    public static Clock virtual(VirtualTime time) {
        return new Virtual(time);
    }

    abstract boolean isVirtual();

    abstract long now();

    abstract <T> T run(Callable<T> body) throws Exception;

    abstract Thread start(String name, Runnable task);

    abstract boolean await(CompletableFuture<?> signal, Duration limit) throws InterruptedException;

    abstract void interrupt(Thread thread);

    abstract LockClient open(LockProvider provider, LockOptions options, Require... requires);

    /** By how much a moment between these two may have been noticed late through no fault of what is tested. */
    abstract Duration stalls(long from, long to);

    void sleep(Duration duration) throws InterruptedException {
        boolean unused = await(new CompletableFuture<>(), duration);
    }

    private static final class Virtual extends Clock {
        private final VirtualTime time;

        Virtual(VirtualTime time) {
            this.time = time;
        }

        @Override
        boolean isVirtual() {
            return true;
        }

        @Override
        long now() {
            return time.nanoTime();
        }

        @Override
        <T> T run(Callable<T> body) throws Exception {
            return time.run(body);
        }

        @Override
        Thread start(String name, Runnable task) {
            return time.start(task);
        }

        @Override
        boolean await(CompletableFuture<?> signal, Duration limit) throws InterruptedException {
            return time.await(signal, time.nanoTime() + limit.toNanos());
        }

        @Override
        void interrupt(Thread thread) {
            time.interrupt(thread);
        }

        @Override
        LockClient open(LockProvider provider, LockOptions options, Require... requires) {
            return LockClient.open(provider, options, time, requires);
        }

        @Override
        Duration stalls(long from, long to) {
            return Duration.ZERO;
        }
    }

    private static final class Real extends Clock {
        private static final Duration LEAST = Duration.ofMillis(25);

        private static final Stalls STALLS = new Stalls();

        @Override
        boolean isVirtual() {
            return false;
        }

        @Override
        long now() {
            return System.nanoTime();
        }

        @Override
        <T> T run(Callable<T> body) throws Exception {
            return body.call();
        }

        @Override
        Thread start(String name, Runnable task) {
            Thread thread = new Thread(task, "tck-" + name);
            thread.setDaemon(true);
            thread.start();
            return thread;
        }

        @Override
        boolean await(CompletableFuture<?> signal, Duration limit) throws InterruptedException {
            try {
                signal.get(Math.max(0, limit.toNanos()), TimeUnit.NANOSECONDS);
                return true;
            } catch (TimeoutException e) {
                return false;
            } catch (ExecutionException | CancellationException e) {
                return true;
            }
        }

        @Override
        void interrupt(Thread thread) {
            thread.interrupt();
        }

        @Override
        LockClient open(LockProvider provider, LockOptions options, Require... requires) {
            return LockClient.open(provider, options, requires);
        }

        @Override
        Duration stalls(long from, long to) {
            return LEAST.plus(STALLS.between(from, to));
        }
    }
}

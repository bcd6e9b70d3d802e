package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.TimeSource;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A clock that moves only when told, or when everybody waits: tests of hours take milliseconds and come out the same each time.
 *
 * <p>Either move it by {@link #advance}, from a thread that does not itself wait on this clock. Or do the work inside {@link #run}, in the calling
 * thread and in threads begun with {@link #start}: time then jumps to the next event whenever all of them, and all background work, wait on this
 * clock. A participant that blocks on anything else holds the time.
 */
public final class VirtualTime implements TimeSource {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition idle = lock.newCondition();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Map<Thread, Wait> waits = new HashMap<>();
    private final Set<Thread> participants = Collections.newSetFromMap(new ConcurrentHashMap<>());
    private volatile long now;
    private long sequence;
    private int running;
    private int automatic;

    /** A clock that stands at zero. */
    public VirtualTime() {}

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public Timer schedule(Runnable task, long atNanos) {
        Event event = add(atNanos, task);
        return () -> remove(event);
    }

    @Override
    public void execute(Runnable task) {
        Thread unused = start(task);
    }

    /** Starts a participant on a daemon thread of its own. */
    public Thread start(Runnable task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } finally {
                leave(Thread.currentThread());
            }
        });
        thread.setDaemon(true);
        enter(thread);
        boolean started = false;
        try {
            thread.start();
            started = true;
        } finally {
            if (!started) {
                leave(thread);
            }
        }
        return thread;
    }

    /** Runs a body as a participant; until it ends, time moves by itself whenever all participants wait. */
    public <T> T run(Callable<T> body) throws Exception {
        locked(() -> automatic++);
        enter(Thread.currentThread());
        try {
            return body.call();
        } finally {
            locked(() -> automatic--);
            leave(Thread.currentThread());
        }
    }

    /** Moves the clock, step by step from event to event; background work that an event begins is waited for, until it ends or waits on this clock. */
    public void advance(Duration by) {
        lock.lock();
        try {
            long target = now + by.toNanos();
            awaitIdle();
            for (Event e; (e = events.peek()) != null && e.at - target <= 0; ) {
                happen(events.remove());
                awaitIdle();
            }
            now = target;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for some time to pass on this clock. */
    public void sleep(Duration duration) throws InterruptedException {
        boolean unused = await(new CompletableFuture<>(), now + duration.toNanos());
    }

    /** Interrupts a thread; no time passes before it notices. */
    public void interrupt(Thread thread) {
        locked(() -> {
            Wait wait = waits.get(thread);
            if (wait != null) {
                wait.counted();
            }
            // With the lock held: a thread that is about to wait sees the interrupt before it counts as waiting.
            thread.interrupt();
        });
    }

    @Override
    public boolean await(CompletableFuture<?> signal, long deadlineNanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (signal.isDone() || deadlineNanos - now <= 0) {
            return signal.isDone();
        }
        Wait wait = new Wait(participants.contains(Thread.currentThread()));
        Event timeout = add(deadlineNanos, wait::wake);
        var unused = signal.whenComplete((value, failure) -> wait.wake());
        locked(() -> {
            if (Thread.currentThread().isInterrupted()) {
                // Before it was known to wait; it will notice now, and time must not pass until then.
                wait.counted();
            }
            waits.put(Thread.currentThread(), wait);
            wait.block();
        });
        try {
            wait.woken.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } finally {
            wait.wake();
            locked(() -> waits.remove(Thread.currentThread()));
            remove(timeout);
        }
        return signal.isDone();
    }

    private void enter(Thread thread) {
        participants.add(thread);
        locked(() -> running++);
    }

    private void leave(Thread thread) {
        participants.remove(thread);
        locked(() -> {
            running--;
            move();
        });
    }

    private void locked(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    private Event add(long at, Runnable action) {
        lock.lock();
        try {
            Event event = new Event(at, sequence++, action);
            events.add(event);
            return event;
        } finally {
            lock.unlock();
        }
    }

    private void remove(Event event) {
        locked(() -> events.remove(event));
    }

    /** Lets events happen as long as nobody runs. Called with the lock held. */
    private void move() {
        while (automatic > 0 && running == 0 && !events.isEmpty()) {
            happen(events.remove());
        }
        if (running == 0) {
            idle.signalAll();
        }
    }

    /** Called with the lock held; gives it up meanwhile, since an action may take locks whose holders schedule events here. */
    private void happen(Event event) {
        if (event.at - now > 0) {
            now = event.at;
        }
        running++;
        lock.unlock();
        try {
            event.action.run();
        } catch (RuntimeException | Error e) {
            // It is not the fault of the thread that happens to move the time.
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
        } finally {
            lock.lock();
            running--;
        }
    }

    private void awaitIdle() {
        while (running > 0) {
            idle.awaitUninterruptibly();
        }
    }

    private record Event(long at, long sequence, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at == other.at ? Long.compare(sequence, other.sequence) : Long.compare(at - other.at, 0);
        }
    }

    /** A thread that waits. A participant counts as running again from the moment it is woken, not from when it gets a processor. */
    private final class Wait {
        final CompletableFuture<Void> woken = new CompletableFuture<>();
        private final boolean participant;
        private boolean blocked;
        private boolean awake;

        Wait(boolean participant) {
            this.participant = participant;
        }

        void block() {
            if (!awake && participant) {
                blocked = true;
                running--;
                move();
            }
        }

        void wake() {
            counted();
            woken.complete(null);
        }

        void counted() {
            locked(() -> {
                if (!awake) {
                    awake = true;
                    if (blocked) {
                        running++;
                    }
                }
            });
        }
    }
}

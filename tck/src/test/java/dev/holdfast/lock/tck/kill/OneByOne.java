package dev.holdfast.lock.tck.kill;

import dev.holdfast.lock.spi.TimeSource;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.WeakHashMap;
import java.util.concurrent.Executor;

/** What a mutant of lock-api uses to run listeners one after the other. */
public final class OneByOne implements Executor {
    private static final Map<TimeSource, OneByOne> ALL = new WeakHashMap<>();

    private final TimeSource time;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean running;

    private OneByOne(TimeSource time) {
        this.time = time;
    }

    /** The only one on a time source. */
    public static synchronized Executor on(TimeSource time) {
        return ALL.computeIfAbsent(time, OneByOne::new);
    }

    @Override
    public void execute(Runnable task) {
        synchronized (this) {
            waiting.add(task);
            if (running) {
                return;
            }
            running = true;
        }
        time.execute(this::work);
    }

    private void work() {
        while (true) {
            Runnable next;
            synchronized (this) {
                next = waiting.poll();
                if (next == null) {
                    running = false;
                    return;
                }
            }
            next.run();
        }
    }
}

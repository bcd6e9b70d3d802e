package dev.holdfast.lock.internal;

import dev.holdfast.lock.spi.TimeSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Background work that runs on a bounded number of threads, in order of arrival. */
public final class Lane {
    private static final System.Logger LOG = System.getLogger("dev.holdfast.lock");

    private final TimeSource time;
    private final int width;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Runnable> queue = new ArrayDeque<>();
    private int running;

    /** @param width how many tasks run at a time */
    public Lane(TimeSource time, int width) {
        this.time = time;
        this.width = width;
    }

    /** Runs a task that may block, soon. */
    public void execute(Runnable task) {
        lock.lock();
        try {
            queue.add(task);
            if (running == width) {
                return;
            }
            running++;
        } finally {
            lock.unlock();
        }
        boolean begun = false;
        try {
            time.execute(this::work);
            begun = true;
        } finally {
            if (!begun) {
                ended();
            }
        }
    }

    private void ended() {
        lock.lock();
        try {
            running--;
        } finally {
            lock.unlock();
        }
    }

    private void work() {
        for (Runnable task; (task = next()) != null; ) {
            try {
                task.run();
            } catch (Throwable e) {
                LOG.log(System.Logger.Level.WARNING, "background work failed", e);
            } finally {
                // An interrupt was meant for this task at most.
                boolean unused = Thread.interrupted();
            }
        }
    }

    private @Nullable Runnable next() {
        lock.lock();
        try {
            Runnable task = queue.poll();
            if (task == null) {
                running--;
            }
            return task;
        } finally {
            lock.unlock();
        }
    }
}

package dev.holdfast.lock;

import dev.holdfast.lock.internal.Lane;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.LockBackend;
import dev.holdfast.lock.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Cleans up in the background after outcomes that are not known: a release is repeated until it is confirmed, and an attempt is abandoned again and
 * again until one lease has passed since its last request was sent, because one answered release proves nothing while the acquire may still be on
 * its way. Every step checks the owner at the server, so repeating one never touches another's hold.
 */
final class Janitor {
    private static final int THREADS = 4;
    private static final long FIRST_PAUSE = Duration.ofMillis(50).toNanos();
    private static final long LONGEST_PAUSE = Duration.ofMillis(500).toNanos();

    private final TimeSource time;
    private final LockBackend backend;
    private final long operationTimeout;
    private final HoldModel holdModel;
    private final Lane lane;
    private final Set<Task> tasks = ConcurrentHashMap.newKeySet();
    private volatile boolean finishing;
    private volatile boolean stopped;

    Janitor(TimeSource time, LockBackend backend, HoldModel holdModel, long operationTimeout) {
        this.time = time;
        this.backend = backend;
        this.holdModel = holdModel;
        this.operationTimeout = operationTimeout;
        lane = new Lane(time, THREADS);
    }

    /** Releases a hold in the background, until the server confirms it or has let it run out. */
    void release(Acquisition a) {
        begin(new Task(a, true));
    }

    /** Undoes an attempt in the background. */
    void abandon(Acquisition a) {
        begin(new Task(a, false));
    }

    /** Tries what is not done yet once more, and repeats nothing from now on. Returns what completes when that was tried. */
    CompletableFuture<Void> finish() {
        finishing = true;
        List<CompletableFuture<Void>> tries = new ArrayList<>();
        for (Task task : tasks) {
            CompletableFuture<Void> tried = new CompletableFuture<>();
            tries.add(tried);
            lane.execute(() -> {
                boolean unused = !stopped && isDone(task);
                tried.complete(null);
            });
        }
        return CompletableFuture.allOf(tries.toArray(CompletableFuture<?>[]::new));
    }

    /** Leaves what is not done yet to the servers. */
    void stop() {
        finishing = true;
        stopped = true;
    }

    private void begin(Task task) {
        tasks.add(task);
        lane.execute(() -> step(task, FIRST_PAUSE));
    }

    private static final class Task {
        final Acquisition acquisition;
        final boolean holds;

        Task(Acquisition acquisition, boolean holds) {
            this.acquisition = acquisition;
            this.holds = holds;
        }
    }

    private void step(Task task, long pause) {
        if (finishing) {
            return;
        }
        if (isDone(task) || ranOut(task.acquisition)) {
            tasks.remove(task);
            return;
        }
        var unused = time.schedule(
                () -> lane.execute(() -> step(task, Math.min(2 * pause, LONGEST_PAUSE))), time.nanoTime() + pause);
    }

    private boolean isDone(Task task) {
        Acquisition a = task.acquisition;
        try {
            return task.holds ? released(a) : abandoned(a);
        } catch (Throwable e) {
            // Whatever a driver throws, also by mistake, is no answer.
            LockClient.LOG.log(System.Logger.Level.DEBUG, () -> "cleaning up " + a + ": no answer yet", e);
            return false;
        }
    }

    private boolean released(Acquisition a) throws BackendException, InterruptedException {
        CompletableFuture<Void> renewal = a.renewalInFlight();
        if (renewal != null) {
            // As with any release: on some backends the renewal could set the lock again.
            var unused = time.await(renewal, time.nanoTime() + operationTimeout);
        }
        boolean confirmed = a.hold().release(time.nanoTime() + operationTimeout) != ReleaseOutcome.UNKNOWN;
        return confirmed && !a.mayStillArrive(time.nanoTime());
    }

    private boolean abandoned(Acquisition a) throws BackendException, InterruptedException {
        return backend.abandon(a, time.nanoTime() + operationTimeout);
    }

    /** A lease that a server counts down needs nobody once its time is over; a session's or a connection's hold does. */
    private boolean ranOut(Acquisition a) {
        return holdModel == HoldModel.LEASE && time.nanoTime() - a.serverEnd() >= 0;
    }
}

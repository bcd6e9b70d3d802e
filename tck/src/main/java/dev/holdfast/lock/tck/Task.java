package dev.holdfast.lock.tck;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Something that a check does on another thread.
 *
 * @param <T> its result
 */
final class Task<T> {
    private final Scene scene;
    private final String what;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final Thread thread;
    private volatile long endedAt;

    Task(Scene scene, String what, Callable<T> body) {
        this.scene = scene;
        this.what = what;
        thread = scene.clock().start(what, () -> {
            T value = null;
            Throwable failure = null;
            try {
                value = body.call();
            } catch (Throwable e) {
                failure = e;
            }
            endedAt = scene.clock().now();
            if (failure == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(failure);
            }
        });
    }

    boolean isDone() {
        return result.isDone();
    }

    /** Whether it ended by throwing. */
    boolean failed() {
        return result.isCompletedExceptionally();
    }

    CompletableFuture<?> ended() {
        return result;
    }

    /** When it ended. */
    long endedAt() {
        return endedAt;
    }

    void interrupt() {
        scene.log("interrupts " + what);
        scene.clock().interrupt(thread);
    }

    /** Waits for its end, and fails if that takes longer. */
    Task<T> ends(Duration limit) throws InterruptedException {
        if (!scene.clock().await(result, limit)) {
            throw scene.failure("%s should have ended within %s, and it still runs", what, Scene.text(limit));
        }
        return this;
    }

    /** Its result within a limit; what it threw is thrown. */
    T get(Duration limit) throws Exception {
        ends(limit);
        try {
            return result.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            if (e.getCause() instanceof Error cause) {
                throw cause;
            }
            throw e;
        }
    }

    /** What it threw, within a limit; fails if it ended otherwise. */
    Throwable thrown(Duration limit) throws InterruptedException {
        ends(limit);
        try {
            throw scene.failure("%s should have thrown, and it returned %s", what, result.join());
        } catch (CompletionException e) {
            return e.getCause() == null ? e : e.getCause();
        }
    }
}

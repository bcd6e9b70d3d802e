package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.memory.MemoryLockProvider;
import dev.holdfast.lock.memory.MemoryServer;
import dev.holdfast.lock.memory.VirtualTime;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A scripted client and plain ones, on one server and virtual time. */
abstract class VirtualTimeTestBase {
    static final LockRequest X = LockRequest.of("x");

    private static final Logger LOGGER = Logger.getLogger("dev.holdfast.lock");

    /** What is expected to fail is expected to be logged. */
    @BeforeAll
    static void expectWarnings() {
        LOGGER.setLevel(Level.OFF);
    }

    @AfterAll
    static void logAgain() {
        LOGGER.setLevel(null);
    }

    final VirtualTime time = new VirtualTime();
    final MemoryServer server = MemoryServer.durable(time);
    final MemoryServer.Link link = server.link();
    final ScriptedProvider driver = new ScriptedProvider(link);

    LockClient open(String... options) {
        return LockClient.open(driver, options(options), time);
    }

    LockClient plain(MemoryServer.Link link, String... options) {
        return LockClient.open(MemoryLockProvider.on(link), options(options), time);
    }

    LockClient other() {
        return plain(server.link());
    }

    private static LockOptions options(String... options) {
        LockOptions.Builder b = LockOptions.builder("memory");
        for (int i = 0; i < options.length; i += 2) {
            b.option(options[i], options[i + 1]);
        }
        return b.build();
    }

    <T> CompletableFuture<T> start(Callable<T> body) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread unused = time.start(() -> {
            try {
                result.complete(body.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    <T> T join(CompletableFuture<T> future) throws InterruptedException {
        assertThat(time.await(future, time.nanoTime() + Duration.ofMinutes(5).toNanos()))
                .isTrue();
        return future.join();
    }

    static Duration ms(long millis) {
        return Duration.ofMillis(millis);
    }

    static Duration s(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    /** Runs a body in the time that moves by itself. */
    void timed(Body body) throws Exception {
        time.run(() -> {
            body.run();
            return true;
        });
    }

    interface Body {
        void run() throws Exception;
    }
}

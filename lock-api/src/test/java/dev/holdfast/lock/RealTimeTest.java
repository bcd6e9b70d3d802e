package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What needs real threads, real time, a real heap or a process of its own. */
class RealTimeTest {
    private static final LockRequest X = LockRequest.of("x");

    /** Clients, threads, short waits, interrupts and closes, all at once: no lost update, rising tokens, nothing left. */
    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void noUpdateIsLostUnderContention(String fair) throws Exception {
        long seed = new Random().nextLong();
        String uri = "memory://contention-" + fair + "?fair=" + fair;
        int clients = 4;
        int threads = 8;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger violations = new AtomicInteger();
        AtomicLong highest = new AtomicLong();
        AtomicLong grants = new AtomicLong();
        long[] counter = new long[1];
        List<LockClient> all = new ArrayList<>();
        List<Thread> running = new ArrayList<>();
        for (int c = 0; c < clients; c++) {
            LockClient client = LockProviders.open(uri);
            all.add(client);
            for (int t = 0; t < threads; t++) {
                Random random = new Random(seed + running.size());
                Thread thread = new Thread(() -> {
                    while (System.nanoTime() - end < 0) {
                        if (random.nextInt(50) == 0) {
                            Thread.currentThread().interrupt();
                        }
                        try {
                            Optional<Lease> lease = client.tryAcquire(
                                    random.nextInt(10) == 0
                                            ? X
                                            : X.waitUpTo(Duration.ofNanos(random.nextInt(3_000_000))));
                            if (lease.isPresent()) {
                                if (inside.incrementAndGet() != 1
                                        || lease.get().token()
                                                <= highest.getAndSet(lease.get().token())) {
                                    violations.incrementAndGet();
                                }
                                counter[0]++;
                                grants.incrementAndGet();
                                inside.decrementAndGet();
                                lease.get().close();
                            }
                        } catch (InterruptedException e) {
                            // as asked for above
                        }
                    }
                });
                running.add(thread);
            }
        }
        running.forEach(Thread::start);
        for (Thread thread : running) {
            thread.join();
        }
        assertThat(violations).as("seed %d", seed).hasValue(0);
        assertThat(counter[0]).isEqualTo(grants.get()).isGreaterThan(1000);
        try (Lease lease = all.get(0).acquire(X)) {
            assertThat(lease.isHeld()).isTrue();
        }
        all.forEach(LockClient::close);
    }

    @Test
    void namesThatAreNotInUseCostNoMemory() throws Exception {
        int names = 500_000;
        try (LockClient client = LockProviders.open("memory://names")) {
            long fifth = 0;
            for (int i = 1; i <= names; i++) {
                client.acquire(LockRequest.of("name-" + i)).close();
                if (i == names / 5) {
                    fifth = liveHeap();
                }
            }
            assertThat(liveHeap() - fifth).isLessThan(2_000_000);
        }
    }

    static long liveHeap() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            least = Math.min(
                    least,
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return least;
    }

    @Test
    void aForgottenLeaseIsReleasedAndLogged() throws Exception {
        Logger logger = Logger.getLogger("dev.holdfast.lock");
        CompletableFuture<String> logged = new CompletableFuture<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
                    logged.complete(entry.getMessage());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        try (LockClient client = LockProviders.open("memory://forgotten");
                LockClient other = LockProviders.open("memory://forgotten")) {
            assertThat(client.tryAcquire(X.lease(Duration.ofMillis(300)))).isPresent();
            CompletableFuture<Lease> next = new CompletableFuture<>();
            Thread waiter = new Thread(() -> {
                try {
                    next.complete(other.acquire(X));
                } catch (InterruptedException | RuntimeException e) {
                    next.completeExceptionally(e);
                }
            });
            waiter.start();
            while (!next.isDone()) {
                System.gc();
                waiter.join(20);
            }
            assertThat(next.join().isHeld()).isTrue();
            assertThat(logged.get(10, TimeUnit.SECONDS)).contains("\"x\"", "became garbage without a release");
        } finally {
            logger.removeHandler(handler);
        }
    }

    @Test
    void theProcessEndsWithMain() throws Exception {
        for (int i = 0; i < 10; i++) {
            Process child = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Child.class.getName())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (BufferedReader out =
                    new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
                assertThat(out.readLine()).isEqualTo("main returns");
            }
            assertThat(child.waitFor(2, TimeUnit.SECONDS)).as("run %d", i).isTrue();
            assertThat(child.exitValue()).isZero();
        }
    }

    /** Holds a lease, has a waiter blocked on a daemon thread, and returns. */
    static final class Child {
        public static void main(String[] args) throws InterruptedException, IOException {
            LockClient client = LockProviders.open("memory:");
            Lease held = client.acquire(X);
            CompletableFuture<Void> waits = new CompletableFuture<>();
            Thread waiter = new Thread(() -> {
                waits.complete(null);
                try {
                    client.acquire(X.waitForever()).close();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            waiter.setDaemon(true);
            waiter.start();
            waits.join();
            while (waiter.getState() == Thread.State.RUNNABLE) {
                Thread.onSpinWait();
            }
            System.out.println(held.isHeld() ? "main returns" : "not held");
        }
    }
}

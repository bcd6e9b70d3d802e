package dev.holdfast.lock.cli;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that increment a number in a file by reading it, thinking, and writing it back. Nothing but the lock keeps them from overwriting each other.
 *
 * @param lock the name of the lock that guards the file, or empty to do without
 * @param threads how many
 * @param rounds increments of each
 * @param counter the file with the number
 * @param log the file to which each grant appends a line: client, thread, token or "-"
 */
record Counting(String lock, int threads, int rounds, Path counter, Path log) {
    private static final Duration WAIT = Duration.ofMinutes(1);
    private static final long THINKING_NANOS = 500_000;

    /** One grant, from a line of the log. */
    record Entry(String who, String token) {
        static Entry parse(String line) {
            int space = line.indexOf(' ');
            return new Entry(line.substring(0, space), line.substring(space + 1));
        }
    }

    /** Counts with threads of this process. */
    void run(String who, LockClient client) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 1; i <= threads; i++) {
                String name = who + i;
                all.add(pool.submit(() -> {
                    work(name, client);
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new DemoException("counting failed: " + e.getCause());
        } finally {
            pool.shutdownNow();
        }
    }

    private void work(String who, LockClient client) throws InterruptedException, IOException {
        try (FileChannel number = FileChannel.open(counter, StandardOpenOption.READ, StandardOpenOption.WRITE);
                FileChannel grants = FileChannel.open(log, StandardOpenOption.APPEND)) {
            for (int i = 0; i < rounds; i++) {
                if (lock.isEmpty()) {
                    increment(number);
                    continue;
                }
                try (Lease lease = client.acquire(LockRequest.of(lock).waitUpTo(WAIT))) {
                    String token = lease.findToken().isPresent() ? Long.toString(lease.token()) : "-";
                    // One write, so that lines of several processes do not mix.
                    grants.write(StandardCharsets.UTF_8.encode(who + " " + token + "\n"));
                    increment(number);
                }
            }
        }
    }

    private static void increment(FileChannel file) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES);
        file.read(bytes, 0);
        long value = bytes.getLong(0);
        LockSupport.parkNanos(THINKING_NANOS);
        file.write(ByteBuffer.allocate(Long.BYTES).putLong(0, value + 1), 0);
    }

    /** Sets a counter to zero. */
    static void reset(Path counter) {
        try (FileChannel file = FileChannel.open(counter, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(Long.BYTES), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads a counter. */
    static long value(Path counter) {
        try (FileChannel file = FileChannel.open(counter, StandardOpenOption.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES);
            file.read(bytes, 0);
            return bytes.getLong(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

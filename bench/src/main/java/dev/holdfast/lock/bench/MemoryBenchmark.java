package dev.holdfast.lock.bench;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockProviders;
import dev.holdfast.lock.LockRequest;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** What lock-api adds to a driver that costs next to nothing: time and bytes for each acquire and release on the memory backend. */
@SuppressWarnings("NullAway.Init") // JMH calls open() first
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class MemoryBenchmark {
    /** Whether waiters are served in order. */
    @Param({"true", "false"})
    public String fair = "true";

    private final LockRequest[] requests = new LockRequest[16];
    private LockClient client;
    private int next;

    /** Opens the client. */
    @Setup
    public void open() {
        client = LockProviders.open("memory://bench?fair=" + fair);
        for (int i = 0; i < requests.length; i++) {
            requests[i] = LockRequest.of("name-" + i);
        }
    }

    /** Closes it. */
    @TearDown
    public void close() {
        client.close();
    }

    /** One thread, sixteen names in turn. */
    @Benchmark
    public long acquireAndRelease() throws InterruptedException {
        try (Lease lease = client.acquire(requests[next++ & 15])) {
            return lease.token();
        }
    }

    /** Runs this benchmark with allocation figures. */
    public static void main(String[] args) throws RunnerException {
        new Runner(new OptionsBuilder()
                        .include(MemoryBenchmark.class.getName())
                        .addProfiler(GCProfiler.class)
                        .build())
                .run();
    }
}

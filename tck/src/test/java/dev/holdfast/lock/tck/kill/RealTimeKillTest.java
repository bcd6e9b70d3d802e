package dev.holdfast.lock.tck.kill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedMethod;

import dev.holdfast.lock.LockGuarantees;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.Scope;
import dev.holdfast.lock.internal.SystemTime;
import dev.holdfast.lock.memory.MemoryLockProvider;
import dev.holdfast.lock.memory.MemoryServer;
import dev.holdfast.lock.spi.AcquireAttempt;
import dev.holdfast.lock.spi.AcquireResult;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.LockBackend;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.TimeSource;
import dev.holdfast.lock.tck.Harness;
import dev.holdfast.lock.tck.LockProviderTck;
import dev.holdfast.lock.tck.Route;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;

/** The saboteurs of the checks that need real threads, connections and processes. */
class RealTimeKillTest {
    private static final AtomicReference<Twist> CURRENT = new AtomicReference<>();

    static class Sabotaged extends LockProviderTck {
        @Override
        protected Harness harness() {
            Twist twist = Objects.requireNonNull(CURRENT.get());
            MemoryServer server = MemoryServer.create(new SystemTime());
            return new Harness() {
                @Override
                public Route route() {
                    LockProvider provider = twist.around(MemoryLockProvider.on(server.link()), server);
                    return new Route() {
                        @Override
                        public LockProvider provider() {
                            return provider;
                        }

                        @Override
                        public LockOptions.Builder options() {
                            return LockOptions.builder("memory");
                        }

                        @Override
                        public int connections() {
                            return 1;
                        }
                    };
                }

                @Override
                public Duration lease() {
                    return Duration.ofMillis(400);
                }

                @Override
                public String uri() {
                    return "memory:";
                }
            };
        }
    }

    @TempDir
    Path reports = Path.of("");

    private void convicts(Twist twist, String check, String message) throws Exception {
        CURRENT.set(twist);
        List<String> said = EngineTestKit.engine("junit-jupiter")
                .selectors(select(check))
                .configurationParameter("holdfast.report.dir", reports.toString())
                .execute()
                .testEvents()
                .failed()
                .map(e -> e.getRequiredPayload(TestExecutionResult.class)
                        .getThrowable()
                        .orElseThrow())
                .map(e -> String.valueOf(e.getMessage()))
                .toList();
        assertThat(said)
                .singleElement()
                .satisfies(text -> assertThat(text).contains(" is broken: ").contains(message));
    }

    private static DiscoverySelector select(String check) {
        for (Class<?> family : LockProviderTck.class.getDeclaredClasses()) {
            for (Method method : family.getSuperclass().getDeclaredMethods()) {
                if (method.getName().equals("required_" + check)) {
                    return selectNestedMethod(List.of(Sabotaged.class), family, method);
                }
            }
        }
        throw new IllegalArgumentException("there is no check " + check);
    }

    /** Starts a thread with each client. */
    private static Twist threads(boolean daemon, CountDownLatch end) {
        return new Twist() {
            @Override
            LockBackend open(LockProvider provider, LockOptions options, TimeSource time) throws BackendException {
                Thread thread = new Thread(
                        () -> {
                            try {
                                end.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        },
                        "vendor-pool");
                thread.setDaemon(daemon);
                thread.start();
                return provider.open(options, time);
            }
        };
    }

    @Test
    void leavesAThreadBehind() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try {
            convicts(threads(true, end), "C5_noThreadIsLeft", "vendor-pool");
        } finally {
            end.countDown();
        }
    }

    @Test
    void keepsTheJvmFromEnding() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try {
            convicts(threads(false, end), "C7_libraryThreadsAreDaemons", "vendor-pool");
        } finally {
            end.countDown();
        }
    }

    @Test
    void leavesAConnectionBehind() throws Exception {
        convicts(new Twist(), "C5_noConnectionIsLeft", "the connections of a closed client are closed");
    }

    /** Claims to exclude other processes, with a lock table for each: the go-to mistake. */
    private static class OneTableForEachProcess extends Twist {
        @Override
        LockGuarantees declared(LockProvider provider) {
            return wider(provider.declared());
        }

        @Override
        LockBackend.Observed observed(Client client) {
            return new LockBackend.Observed(wider(client.memory.observed().effective()), List.of("none"));
        }

        LockGuarantees wider(LockGuarantees g) {
            return g.toBuilder().scope(Scope.SERVER).build();
        }
    }

    @Test
    void excludesNoOtherProcess() throws Exception {
        convicts(new OneTableForEachProcess(), "E1_processesExcludeEachOther", "another process holds it");
        convicts(new OneTableForEachProcess(), "E5_contendingProcessesNeverOverlap", "two hold at once");
        convicts(
                new OneTableForEachProcess(),
                "S4_pausedHolderIsLateAndItsWriteIsRefused",
                "the token after the pause is 1");
    }

    @Test
    void keepsWhatADeadProcessHeld() throws Exception {
        convicts(
                new OneTableForEachProcess() {
                    @Override
                    AcquireResult acquire(Client client, AcquireAttempt attempt, long deadline) {
                        return new AcquireResult.Busy(Duration.ofMillis(20));
                    }
                },
                "L8_killedHolderBlocksForItsLeaseOnly",
                "its holder was killed");
    }
}

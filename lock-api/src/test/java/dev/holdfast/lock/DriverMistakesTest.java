package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spi.AcquireResult;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.HoldState;
import dev.holdfast.lock.spi.LockBackend.Observed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A driver that throws what it should not costs what it was asked for, and nothing else. */
@Timeout(20)
class DriverMistakesTest extends VirtualTimeTestBase {
    private static Error mistake() {
        return new AssertionError("a mistake");
    }

    @Test
    void errorsOfRenewalsDoNotEndTheRenewalOfOthers() throws Exception {
        AtomicBoolean broken = new AtomicBoolean(true);
        driver.hold = granted -> new ScriptedProvider.ScriptedHold(granted) {
            @Override
            public HoldState renew(Duration lease, long deadline) throws BackendException, InterruptedException {
                if (broken.get()) {
                    throw mistake();
                }
                return super.renew(lease, deadline);
            }
        };
        timed(() -> {
            try (LockClient client = open()) {
                List<Lease> leases = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    leases.add(client.acquire(LockRequest.of("n" + i)));
                }
                time.sleep(s(15));
                broken.set(false);
                time.sleep(s(60));
                assertThat(leases).allMatch(Lease::isHeld);
            }
        });
    }

    @Test
    void errorsOfCleaningUpDoNotEndIt() throws Exception {
        timed(() -> {
            try (LockClient client = open();
                    LockClient other = other()) {
                AtomicInteger times = new AtomicInteger();
                driver.hold = granted -> new ScriptedProvider.ScriptedHold(granted) {
                    @Override
                    public ReleaseOutcome release(long deadline) throws BackendException, InterruptedException {
                        if (times.incrementAndGet() <= 2) {
                            throw mistake();
                        }
                        return super.release(deadline);
                    }
                };
                for (int i = 0; i < 10; i++) {
                    times.set(0);
                    Lease lease = client.acquire(X);
                    assertThatThrownBy(lease::release).isInstanceOf(AssertionError.class);
                    assertThat(other.tryAcquire(X.waitUpTo(s(5))))
                            .as("round %d", i)
                            .isPresent()
                            .get()
                            .satisfies(Lease::close);
                }
            }
        });
    }

    @Test
    void anErrorOfAcquireLeavesNothing() throws Exception {
        timed(() -> {
            try (LockClient client = open();
                    LockClient other = other()) {
                driver.acquire = (b, a, d) -> {
                    AcquireResult unused = b.acquire(a, d);
                    throw mistake();
                };
                assertThatThrownBy(() -> client.acquire(X)).isInstanceOf(AssertionError.class);
                assertThat(other.tryAcquire(X.waitUpTo(s(1)))).isPresent();
            }
        });
    }

    @Test
    void aGrantWhoseTokenCannotBeReadLeavesNothing() throws Exception {
        driver.hold = granted -> new ScriptedProvider.ScriptedHold(granted) {
            @Override
            public OptionalLong token() {
                throw new IllegalStateException("a mistake");
            }
        };
        timed(() -> {
            try (LockClient client = open();
                    LockClient other = other()) {
                assertThatThrownBy(() -> client.acquire(X)).isInstanceOf(IllegalStateException.class);
                assertThat(other.tryAcquire(X.waitUpTo(s(1)))).isPresent();
            }
        });
    }

    @Test
    void aSeriesThatCannotBeToldLeavesTheNameUsable() throws Exception {
        timed(() -> {
            try (LockClient client = open()) {
                driver.onTokenSeries = () -> {
                    throw new IllegalStateException("a mistake");
                };
                assertThatThrownBy(() -> client.acquire(X)).isInstanceOf(IllegalStateException.class);
                driver.onTokenSeries = () -> {};
                assertThat(client.tryAcquire(X.waitUpTo(s(1)))).isPresent();
            }
        });
    }

    @Test
    void anErrorOfObservedDoesNotEndRenewals() throws Exception {
        timed(() -> {
            try (LockClient client = open()) {
                Lease lease = client.acquire(X);
                driver.onObserved = () -> {
                    throw new IllegalStateException("a mistake");
                };
                time.sleep(s(15));
                driver.onObserved = () -> {};
                time.sleep(s(60));
                assertThat(lease.isHeld()).isTrue();
            }
        });
    }

    @Test
    void aSubscriptionThatCannotBeClosedHarmsNobody() throws Exception {
        AtomicBoolean broken = new AtomicBoolean(true);
        driver.subscribe = (m, name, mayBeFree, deadline) -> {
            var subscription = m.subscribe(name, mayBeFree, deadline);
            return () -> {
                subscription.close();
                if (broken.get()) {
                    throw new IllegalStateException("a mistake");
                }
            };
        };
        timed(() -> {
            try (LockClient client = open("fair", "false");
                    LockClient other = other()) {
                Lease held = other.acquire(X);
                CompletableFuture<Lease> next =
                        start(() -> client.acquire(X.fixedLease(s(20)).waitForever()));
                time.sleep(s(1));
                held.close();
                Lease lease = join(next);
                List<LeaseLoss> losses = new CopyOnWriteArrayList<>();
                lease.onLost(losses::add);
                time.sleep(s(30));
                assertThat(losses).hasSize(1);
                held = other.acquire(X);
                next = start(() -> client.acquire(X.waitForever()));
                time.sleep(s(1));
                held.close();
                assertThatCode(join(next)::close).doesNotThrowAnyException();
                assertThat(other.tryAcquire(X)).isPresent();
            }
        });
    }

    @Test
    void closingGoesOnWhenADriverThrows() throws Exception {
        driver.subscribe = (m, name, mayBeFree, deadline) -> {
            var unused = m.subscribe(name, mayBeFree, deadline);
            return () -> {
                throw new IllegalStateException("a mistake");
            };
        };
        driver.onClose = () -> {
            throw new IllegalStateException("a mistake");
        };
        timed(() -> {
            LockClient client = open("fair", "false");
            try (LockClient other = other()) {
                Lease busy = other.acquire(LockRequest.of("y"));
                Lease lease = client.acquire(X);
                driver.acquire = (b, a, d) -> {
                    a.onCancel(() -> {
                        throw new IllegalStateException("a mistake");
                    });
                    return null;
                };
                CompletableFuture<Lease> waiting =
                        start(() -> client.acquire(LockRequest.of("y").waitForever()));
                time.sleep(s(1));
                assertThatCode(client::close).doesNotThrowAnyException();
                assertThat(lease.isHeld()).isFalse();
                assertThat(server.isHeld("holdfast", "x")).isFalse();
                assertThatThrownBy(() -> join(waiting)).hasCauseInstanceOf(IllegalStateException.class);
                busy.close();
            }
        });
    }

    @Test
    void anInterruptThatADriverMadeUpDoesNotSpread() throws Exception {
        AtomicInteger times = new AtomicInteger();
        driver.hold = granted -> new ScriptedProvider.ScriptedHold(granted) {
            @Override
            public ReleaseOutcome release(long deadline) throws BackendException, InterruptedException {
                if (times.incrementAndGet() == 2) {
                    throw new InterruptedException();
                }
                if (times.get() == 1) {
                    throw new BackendException(BackendException.Kind.UNCLEAR, "silence", null);
                }
                return super.release(deadline);
            }
        };
        timed(() -> {
            try (LockClient client = open();
                    LockClient other = other()) {
                assertThat(client.acquire(X).release()).isEqualTo(ReleaseOutcome.UNKNOWN);
                assertThat(other.tryAcquire(X.waitUpTo(s(5)))).isPresent();
            }
        });
    }

    @Test
    void whatAListenerThrowsIsLoggedAlsoAnError() throws Exception {
        timed(() -> {
            try (LockClient client = open()) {
                Lease lease = client.acquire(X.fixedLease(s(1)));
                List<String> told = new CopyOnWriteArrayList<>();
                lease.onLost(why -> {
                    throw mistake();
                });
                lease.onLost(why -> told.add("second"));
                time.sleep(s(2));
                assertThat(told).containsExactly("second");
            }
        });
    }

    @Test
    void uniqueTokensNeedNotRise() throws Exception {
        driver.fencing = Fencing.UNIQUE;
        driver.observed = new Observed(driver.declared().toBuilder().needs().build(), List.of());
        AtomicInteger next = new AtomicInteger(100);
        driver.hold = granted -> {
            int token = next.getAndDecrement();
            return new ScriptedProvider.ScriptedHold(granted) {
                @Override
                public OptionalLong token() {
                    return OptionalLong.of(token);
                }
            };
        };
        timed(() -> {
            try (LockClient client = open()) {
                client.acquire(X).close();
                client.acquire(X).close();
            }
        });
    }
}

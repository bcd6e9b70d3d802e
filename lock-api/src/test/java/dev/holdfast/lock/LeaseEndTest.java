package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.HoldState;
import dev.holdfast.lock.spi.LockBackend.Observed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Renewals, releases and losses in awkward orders. */
@Timeout(20)
class LeaseEndTest extends VirtualTimeTestBase {
    /** N5: eight renewals hang; the ninth lease is released while its renewal waits for a thread. */
    @Test
    void noRenewalIsSentAfterARelease() throws Exception {
        List<String> calls = new CopyOnWriteArrayList<>();
        AtomicInteger number = new AtomicInteger();
        driver.hold = granted -> {
            int n = number.incrementAndGet();
            return new ScriptedProvider.ScriptedHold(granted) {
                @Override
                public HoldState renew(Duration lease, long deadline) throws BackendException, InterruptedException {
                    calls.add("renew " + n);
                    boolean unused = time.await(new CompletableFuture<>(), deadline);
                    throw new BackendException(BackendException.Kind.UNCLEAR, "silence", null);
                }

                @Override
                public ReleaseOutcome release(long deadline) throws BackendException, InterruptedException {
                    calls.add("release " + n);
                    return super.release(deadline);
                }
            };
        };
        timed(() -> {
            try (LockClient client = open("operation-timeout", "2s")) {
                List<Lease> leases = new ArrayList<>();
                for (int i = 0; i < 30; i++) {
                    leases.add(client.acquire(LockRequest.of("n" + i)));
                }
                time.sleep(ms(10_100));
                int late = 30;
                while (calls.contains("renew " + late)) {
                    late--;
                }
                long from = time.nanoTime();
                assertThat(leases.get(late - 1).release()).isEqualTo(ReleaseOutcome.RELEASED);
                assertThat(time.nanoTime() - from).isLessThanOrEqualTo(s(4).toNanos());
                time.sleep(s(10));
                assertThat(calls).contains("release " + late).doesNotContain("renew " + late);
            }
        });
    }

    /** N3: one lost answer costs no lease, also if the lease is short against the operation time-out. */
    @Test
    void aRenewalWhoseAnswerIsLostIsTriedAgainWithinAShortLease() throws Exception {
        timed(() -> {
            try (LockClient client = open()) {
                Lease lease = client.acquire(X.lease(s(2)));
                link.dropNextReply();
                time.sleep(s(10));
                assertThat(lease.isHeld()).isTrue();
            }
        });
    }

    /** What frees a lost lease follows a renewal that is on its way: some backends would restore the lock by it. */
    @Test
    void theReleaseOfALostLeaseFollowsItsRenewal() throws Exception {
        List<String> calls = new CopyOnWriteArrayList<>();
        driver.hold = granted -> new ScriptedProvider.ScriptedHold(granted) {
            @Override
            public HoldState renew(Duration lease, long deadline) throws BackendException, InterruptedException {
                time.sleep(ms(500));
                calls.add("renewed");
                return super.renew(lease, deadline);
            }

            @Override
            public ReleaseOutcome release(long deadline) throws BackendException, InterruptedException {
                calls.add("release");
                return super.release(deadline);
            }
        };
        timed(() -> {
            try (LockClient client = open()) {
                Lease lease = client.acquire(X.lease(s(3)).maxHold(ms(1200)));
                time.sleep(ms(1250));
                assertThat(lease.isHeld()).isFalse();
                time.sleep(s(2));
                assertThat(calls).containsExactly("renewed", "release");
            }
        });
    }

    /** S2, for a share that was given up before the other one was lost. */
    @Test
    void aReleasedShareIsNotTold() throws Exception {
        timed(() -> {
            try (LockClient client = open()) {
                Lease outer = client.acquire(X.owner("o"));
                Lease nested = client.acquire(X.owner("o"));
                List<String> told = new CopyOnWriteArrayList<>();
                outer.onLost(why -> told.add("outer"));
                nested.onLost(why -> told.add("nested"));
                assertThat(outer.release()).isEqualTo(ReleaseOutcome.RELEASED);
                outer.onLost(why -> told.add("outer, late"));
                assertThat(server.revoke("holdfast", "x")).isTrue();
                time.sleep(s(15));
                assertThat(told).containsExactly("nested");
            }
        });
    }

    /** S1 and S7, for a lease that is closed after its loss and before its listeners could run. */
    @Test
    void aLostShareIsToldAlsoIfItIsClosedSoonAfter() throws Exception {
        timed(() -> {
            try (LockClient client = open()) {
                Lease lease = client.acquire(X.fixedLease(s(1)));
                List<String> told = new CopyOnWriteArrayList<>();
                lease.onLost(why -> told.add("one"));
                time.sleep(s(1));
                lease.close();
                lease.onLost(why -> told.add("two"));
                time.sleep(s(1));
                assertThat(told).containsExactlyInAnyOrder("one", "two");
            }
        });
    }

    /** O2 and O5: whoever nests holds, also against a release of the outer lease at the same moment. */
    @Test
    void aNestedLeaseIsHeldFromTheStart() throws Exception {
        AtomicBoolean dead = new AtomicBoolean();
        try (LockClient client = LockProviders.open("memory://nesting")) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                Thread thread = new Thread(() -> {
                    while (System.nanoTime() - end < 0 && !dead.get()) {
                        try {
                            Optional<Lease> lease = client.tryAcquire(X.owner("o"));
                            if (lease.isPresent()) {
                                if (!lease.get().isHeld()) {
                                    dead.set(true);
                                }
                                lease.get().close();
                            }
                        } catch (InterruptedException e) {
                            return;
                        }
                    }
                });
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        assertThat(dead).isFalse();
    }

    private void lower() {
        driver.observed = new Observed(
                driver.declared().toBuilder().needs().fencing(Fencing.ORDERED).build(), List.of("sync is off"));
    }

    private LockClient openStrict() {
        driver.scopeServer = true;
        driver.observed = new Observed(driver.declared().toBuilder().needs().build(), List.of());
        return LockClient.open(driver, LockOptions.builder("memory").build(), time, Require.correctness());
    }

    @Test
    void aWaiterIsRefusedIfTheGuaranteesWereLoweredMeanwhile() throws Exception {
        timed(() -> {
            try (LockClient client = openStrict();
                    LockClient other = other()) {
                Lease held = other.acquire(X);
                CompletableFuture<Lease> waiter = start(() -> client.acquire(X.waitForever()));
                time.sleep(s(1));
                lower();
                assertThatThrownBy(() -> client.tryAcquire(X)).isInstanceOf(LockRefusedException.class);
                held.close();
                assertThatThrownBy(() -> join(waiter)).hasCauseInstanceOf(LockRefusedException.class);
                assertThat(other.tryAcquire(X.waitUpTo(s(1)))).isPresent();
            }
        });
    }

    @Test
    void aClosedClientSaysSoAlsoIfGuaranteesWereLowered() throws Exception {
        timed(() -> {
            LockClient client = openStrict();
            lower();
            assertThatThrownBy(() -> client.tryAcquire(X)).isInstanceOf(LockRefusedException.class);
            client.close();
            assertThatThrownBy(() -> client.tryAcquire(X)).isInstanceOf(IllegalStateException.class);
        });
    }

    /** Two threads see two changes at once; what counts in the end is the later one. */
    @Test
    void reviewsDoNotOvertakeEachOther() throws Exception {
        driver.scopeServer = true;
        Observed good = new Observed(driver.declared().toBuilder().needs().build(), List.of());
        driver.observed = good;
        try (LockClient client = LockClient.open(
                driver,
                LockOptions.builder("memory").build(),
                new dev.holdfast.lock.internal.SystemTime(),
                Require.correctness())) {
            for (int i = 0; i < 300; i++) {
                CountDownLatch go = new CountDownLatch(1);
                Runnable call = () -> {
                    try {
                        go.await();
                        client.tryAcquire(LockRequest.of(
                                        "n" + Thread.currentThread().getId()))
                                .ifPresent(Lease::close);
                    } catch (InterruptedException | LockRefusedException e) {
                        // one of the two changes
                    }
                };
                Thread one = new Thread(call);
                Thread two = new Thread(call);
                one.start();
                two.start();
                go.countDown();
                lower();
                for (int spin = 0; spin < i * 50; spin++) {
                    Thread.onSpinWait();
                }
                driver.observed = new Observed(good.effective(), List.of("round " + i));
                one.join();
                two.join();
                int round = i;
                assertThat(client.tryAcquire(X))
                        .as("round %d", round)
                        .isPresent()
                        .get()
                        .satisfies(Lease::close);
            }
        }
    }
}

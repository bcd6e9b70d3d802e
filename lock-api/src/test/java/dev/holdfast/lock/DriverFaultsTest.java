package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.memory.MemoryLockProvider;
import dev.holdfast.lock.memory.MemoryServer;
import dev.holdfast.lock.memory.VirtualTime;
import dev.holdfast.lock.spi.AcquireResult;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.BackendException.Kind;
import dev.holdfast.lock.spi.LockBackend.Observed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What lock-api makes of answers that a good server rarely gives. */
class DriverFaultsTest {
    private static final LockRequest X = LockRequest.of("x");

    private final VirtualTime time = new VirtualTime();
    private final MemoryServer server = MemoryServer.durable(time);
    private final ScriptedProvider driver = new ScriptedProvider(server.link());

    private LockClient open(Require... requires) {
        return LockClient.open(driver, LockOptions.builder("memory").build(), time, requires);
    }

    private LockClient other() {
        return LockClient.open(
                MemoryLockProvider.on(server.link()),
                LockOptions.builder("memory").build(),
                time);
    }

    private <T> CompletableFuture<T> start(Callable<T> body) {
        CompletableFuture<T> result = new CompletableFuture<>();
        time.start(() -> {
            try {
                result.complete(body.call());
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    private <T> T join(CompletableFuture<T> future) throws InterruptedException {
        assertThat(time.await(future, time.nanoTime() + Duration.ofMinutes(5).toNanos()))
                .isTrue();
        return future.join();
    }

    @Test
    void unavailableIsTriedAgainUntilTheLimitAndNeverReportedAsBusy() throws Exception {
        time.run(() -> {
            try (LockClient client = open()) {
                driver.acquire = (b, a, d) -> {
                    throw new BackendException(Kind.UNAVAILABLE, "nobody there", null, Map.of("n1:1", "refused"));
                };
                long from = time.nanoTime();
                assertThatThrownBy(() -> client.tryAcquire(X.waitUpTo(Duration.ofSeconds(3))))
                        .isInstanceOf(LockUnavailableException.class)
                        .hasMessageContaining("nobody there")
                        .satisfies(e -> assertThat(((LockUnavailableException) e).nodes())
                                .containsEntry("n1:1", "refused"));
                assertThat(time.nanoTime() - from)
                        .isBetween(
                                Duration.ofSeconds(3).toNanos(),
                                Duration.ofMillis(3250).toNanos());
                assertThat(driver.acquires.get()).isGreaterThan(5);
                driver.acquire = (b, a, d) -> null;
                client.acquire(X).close();
            }
            return null;
        });
    }

    @Test
    void aLocalWaiterBehindAFailingOneIsToldTheSame() throws Exception {
        time.run(() -> {
            try (LockClient client = open()) {
                driver.acquire = (b, a, d) -> {
                    boolean unused = time.await(new CompletableFuture<>(), d);
                    throw new BackendException(Kind.UNCLEAR, "silence", null);
                };
                CompletableFuture<Object> first = start(() -> client.tryAcquire(X.waitUpTo(Duration.ofSeconds(20))));
                time.sleep(Duration.ofMillis(1));
                CompletableFuture<Object> early = start(() -> client.tryAcquire(X.waitUpTo(Duration.ofMillis(500))));
                CompletableFuture<Object> late = start(() -> client.tryAcquire(X.waitUpTo(Duration.ofSeconds(8))));
                assertThatThrownBy(() -> join(early))
                        .hasCauseInstanceOf(LockUnavailableException.class)
                        .hasMessageContaining("no answer");
                assertThatThrownBy(() -> join(late))
                        .hasCauseInstanceOf(LockUnavailableException.class)
                        .hasMessageContaining("silence");
                assertThatThrownBy(() -> join(first)).hasCauseInstanceOf(LockUnavailableException.class);
            }
            return null;
        });
    }

    @Test
    void aRefusalEndsTheWaitAtOnce() throws Exception {
        time.run(() -> {
            try (LockClient client = open()) {
                driver.acquire = (b, a, d) -> {
                    throw new BackendException(Kind.REFUSED, "NOPERM", null);
                };
                long from = time.nanoTime();
                assertThatThrownBy(() -> client.acquire(X))
                        .isInstanceOf(LockRefusedException.class)
                        .hasMessageContaining("NOPERM");
                assertThat(time.nanoTime()).isEqualTo(from);
            }
            return null;
        });
    }

    @Test
    void aDriversMistakeLeavesNothing() throws Exception {
        time.run(() -> {
            try (LockClient client = open();
                    LockClient other = other()) {
                driver.acquire = (b, a, d) -> {
                    AcquireResult unused = b.acquire(a, d);
                    throw new IllegalStateException("a bug");
                };
                assertThatThrownBy(() -> client.acquire(X)).isInstanceOf(IllegalStateException.class);
                assertThat(other.tryAcquire(X.waitUpTo(Duration.ofSeconds(1)))).isPresent();
                driver.acquire = (b, a, d) -> null;
                assertThat(client.tryAcquire(X)).isEmpty();
            }
            return null;
        });
    }

    @Test
    void aGrantThatOutlivedItsLeaseIsGivenBackAndTriedAgain() throws Exception {
        time.run(() -> {
            try (LockClient client = open()) {
                driver.acquire = (b, a, d) -> {
                    driver.acquire = (b2, a2, d2) -> null;
                    AcquireResult granted = b.acquire(a, d);
                    time.sleep(Duration.ofMillis(1500));
                    return granted;
                };
                Lease lease = client.acquire(X.lease(Duration.ofSeconds(1)));
                assertThat(lease.isHeld()).isTrue();
                assertThat(lease.token()).isEqualTo(2);
            }
            return null;
        });
    }

    @Test
    void aTokenThatWentBackIsRefusedAndNothingIsHeld() throws Exception {
        time.run(() -> {
            try (LockClient client = open();
                    LockClient other = other()) {
                for (int i = 0; i < 3; i++) {
                    client.acquire(X).close();
                }
                server.wipe();
                assertThatThrownBy(() -> client.acquire(LockRequest.of("y")))
                        .isInstanceOf(LockRefusedException.class)
                        .hasMessageContaining(
                                "granted with token 1, and this client has seen 3 before: the server lost data");
                time.sleep(Duration.ofMillis(10));
                assertThat(other.tryAcquire(LockRequest.of("y"))).isPresent();
            }
            return null;
        });
    }

    @Test
    void aServerThatWasKnownToForgetIsRefusedOnce() throws Exception {
        MemoryServer forgetful = MemoryServer.create(time);
        time.run(() -> {
            try (LockClient client = LockClient.open(
                    MemoryLockProvider.on(forgetful.link()),
                    LockOptions.builder("memory").build(),
                    time)) {
                for (int i = 0; i < 3; i++) {
                    client.acquire(X).close();
                }
                forgetful.kill();
                forgetful.start();
                assertThatThrownBy(() -> client.acquire(X))
                        .isInstanceOf(LockRefusedException.class)
                        .hasMessageContaining(
                                "granted with token 1, and this client has seen 3 before: the server lost data");
                time.sleep(Duration.ofMillis(10));
                try (Lease lease = client.acquire(X)) {
                    assertThat(lease.token()).isEqualTo(2);
                }
            }
            return null;
        });
    }

    @Test
    void aPlaceInTheServersQueueIsInherited() throws Exception {
        time.run(() -> {
            try (LockClient client = open();
                    LockClient other = other()) {
                Lease held = other.acquire(X);
                List<String> order = new CopyOnWriteArrayList<>();
                CompletableFuture<Object> first = start(() -> client.tryAcquire(X.waitUpTo(Duration.ofSeconds(5))));
                time.sleep(Duration.ofSeconds(1));
                CompletableFuture<Object> heir = start(() -> {
                    try (Lease lease = client.acquire(X.waitForever())) {
                        order.add("heir");
                        return lease.isHeld();
                    }
                });
                time.sleep(Duration.ofSeconds(1));
                try (LockClient third = other()) {
                    CompletableFuture<Object> last = start(() -> {
                        try (Lease lease = third.acquire(X.waitForever())) {
                            order.add("third");
                            return lease.isHeld();
                        }
                    });
                    assertThat(join(first)).isEqualTo(java.util.Optional.empty());
                    time.sleep(Duration.ofSeconds(1));
                    held.close();
                    assertThat(join(heir)).isEqualTo(true);
                    assertThat(join(last)).isEqualTo(true);
                    assertThat(order).containsExactly("heir", "third");
                }
            }
            return null;
        });
    }

    @Test
    void anInheritedLeaseNestsForItsNewOwnerOnly() throws Exception {
        time.run(() -> {
            try (LockClient client = open();
                    LockClient other = other()) {
                Lease held = other.acquire(X);
                CompletableFuture<Object> first =
                        start(() -> client.tryAcquire(X.owner("one").waitUpTo(Duration.ofSeconds(2))));
                time.sleep(Duration.ofSeconds(1));
                CompletableFuture<Lease> heir =
                        start(() -> client.acquire(X.owner("two").waitForever()));
                join(first);
                held.close();
                Lease lease = join(heir);
                assertThat(client.tryAcquire(X.owner("one"))).isEmpty();
                Lease nested = client.tryAcquire(X.owner("two")).orElseThrow();
                assertThat(nested.id()).isEqualTo(lease.id());
                lease.close();
                assertThat(nested.isHeld()).isTrue();
                nested.close();
                assertThat(server.isHeld("holdfast", "x")).isFalse();
            }
            return null;
        });
    }

    @Test
    void loweredGuaranteesEndHoldsAndRefuseGrantsUntilTheyAreBack() throws Exception {
        driver.scopeServer = true;
        Observed good = new Observed(driver.declared().toBuilder().needs().build(), List.of());
        driver.observed = good;
        time.run(() -> {
            try (LockClient client = open(Require.correctness())) {
                Lease lease = client.acquire(X);
                List<LeaseLoss> losses = new CopyOnWriteArrayList<>();
                lease.onLost(losses::add);
                driver.observed = new Observed(
                        good.effective().toBuilder().fencing(Fencing.ORDERED).build(),
                        List.of("sync is off: set sync on"));
                time.sleep(Duration.ofSeconds(11));
                assertThat(lease.isHeld()).isFalse();
                assertThat(losses).extracting(LeaseLoss::cause).containsExactly(LeaseLoss.Cause.GUARANTEES_LOWERED);
                assertThatThrownBy(() -> client.acquire(X))
                        .isInstanceOf(LockRefusedException.class)
                        .hasMessageContaining("correctness: fencing is ORDERED, needed DURABLE")
                        .hasMessageContaining("sync is off");
                driver.observed = good;
                client.acquire(X).close();
            }
            return null;
        });
    }

    @Test
    void unmetRequirementsAreRefusedAtOpen() {
        assertThatThrownBy(() -> open(Require.correctness(), Require.fencing(Fencing.ORDERED)))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("correctness: scope is PROCESS, needed SERVER or CLUSTER")
                .hasMessageContaining("no other provider on the class path offers it");
    }

    @Test
    void theEndOfASessionCountsAlsoBeforeTheGrantIsRead() throws Exception {
        time.run(() -> {
            try (LockClient client = open();
                    LockClient other = other()) {
                driver.acquire = (b, a, d) -> {
                    AcquireResult granted = b.acquire(a, d);
                    a.lost(LeaseLoss.Cause.SESSION_ENDED, "gone");
                    return granted;
                };
                Lease lease = client.acquire(X);
                List<LeaseLoss> losses = new ArrayList<>();
                lease.onLost(losses::add);
                assertThat(lease.state()).isEqualTo(LeaseState.LOST);
                time.sleep(Duration.ofMillis(1));
                assertThat(losses).extracting(LeaseLoss::detail).containsExactly("gone");
                assertThat(other.tryAcquire(X)).isPresent();
            }
            return null;
        });
    }

    @Test
    void twoContendersForANameStayInOrder() throws Exception {
        driver.contenders = 2;
        time.run(() -> {
            try (LockClient client = open()) {
                List<Integer> order = new CopyOnWriteArrayList<>();
                Lease held = client.acquire(X);
                List<CompletableFuture<Boolean>> all = new ArrayList<>();
                for (int i = 0; i < 5; i++) {
                    int number = i;
                    all.add(start(() -> {
                        try (Lease lease = client.acquire(X.waitForever())) {
                            order.add(number);
                            return lease.isHeld();
                        }
                    }));
                    time.sleep(Duration.ofMillis(1));
                }
                held.close();
                for (CompletableFuture<Boolean> each : all) {
                    assertThat(join(each)).isTrue();
                }
                assertThat(order).containsExactly(0, 1, 2, 3, 4);
            }
            return null;
        });
    }

    @Test
    void closingReleasesInTimeWhenTheServerIsSilent() throws Exception {
        time.run(() -> {
            MemoryServer.Link link = server.link();
            LockClient client = LockClient.open(
                    MemoryLockProvider.on(link), LockOptions.builder("memory").build(), time);
            for (int i = 0; i < 50; i++) {
                assertThat(client.tryAcquire(LockRequest.of("n" + i))).isPresent();
            }
            try (LockClient other = other()) {
                Lease held = other.acquire(X);
                List<CompletableFuture<Object>> waiting = new ArrayList<>();
                for (int i = 0; i < 10; i++) {
                    waiting.add(start(() -> client.acquire(X.waitForever())));
                }
                time.sleep(Duration.ofSeconds(1));
                link.hold();
                long from = time.nanoTime();
                client.close();
                assertThat(time.nanoTime() - from)
                        .isLessThanOrEqualTo(Duration.ofMillis(5200).toNanos());
                for (CompletableFuture<Object> each : waiting) {
                    assertThatThrownBy(() -> join(each)).hasCauseInstanceOf(IllegalStateException.class);
                }
                client.close();
                assertThatThrownBy(() -> client.tryAcquire(X)).isInstanceOf(IllegalStateException.class);
                held.close();
            }
            return null;
        });
    }
}

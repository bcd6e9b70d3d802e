package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spi.AcquireResult;
import dev.holdfast.lock.spi.BackendException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiters of one client among themselves, and what they are told. */
@Timeout(20)
class WaitingTest extends VirtualTimeTestBase {
    /** The holder of this client is releasing, over a slow way: that is busy, and no failure of the server. */
    @Test
    void aWaitThatEndsDuringALocalReleaseIsBusy() throws Exception {
        timed(() -> {
            try (LockClient client = open()) {
                link.delay(ms(30));
                Lease held = client.acquire(X);
                CompletableFuture<Lease> next = start(() -> client.acquire(X));
                time.sleep(ms(1));
                CompletableFuture<Optional<Lease>> brief = start(() -> client.tryAcquire(X.waitUpTo(ms(100))));
                CompletableFuture<Optional<Lease>> later = start(() -> client.tryAcquire(X.waitUpTo(ms(150))));
                time.sleep(ms(69));
                CompletableFuture<Optional<Lease>> briefest = start(() -> client.tryAcquire(X.waitUpTo(ms(20))));
                assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
                assertThat(join(briefest)).isEmpty();
                assertThat(join(brief)).isEmpty();
                // By now the next one has the turn, and its first request has no answer yet.
                assertThat(join(later)).isEmpty();
                assertThat(join(next).isHeld()).isTrue();
            }
        });
    }

    /** The limit is shorter than one request takes, and somebody of this client is asking already. */
    @Test
    void aTinyWaitBehindTheFirstRequestIsBusy() throws Exception {
        timed(() -> {
            try (LockClient client = open();
                    LockClient other = other()) {
                Lease held = other.acquire(X);
                link.delay(ms(10));
                CompletableFuture<Lease> first = start(() -> client.acquire(X));
                time.sleep(ms(1));
                CompletableFuture<Optional<Lease>> tiny = start(() -> client.tryAcquire(X.waitUpTo(ms(1))));
                assertThat(join(tiny)).isEmpty();
                assertThat(time.nanoTime()).isLessThanOrEqualTo(ms(50).toNanos());
                held.close();
                join(first).close();
            }
        });
    }

    /** Callers that may not wait come all the time, and at each moment one of their requests is on its way. */
    @Test
    void attemptsThatMayNotWaitDoNotKeepWaitersOut() throws Exception {
        timed(() -> {
            try (LockClient client = open();
                    LockClient other = other()) {
                Lease held = other.acquire(X);
                link.delay(ms(10));
                AtomicBoolean end = new AtomicBoolean();
                List<CompletableFuture<Boolean>> pollers = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    pollers.add(start(() -> {
                        while (!end.get()) {
                            client.tryAcquire(X).ifPresent(Lease::close);
                            time.sleep(ms(1));
                        }
                        return true;
                    }));
                    time.sleep(ms(7));
                }
                CompletableFuture<Lease> waiter = start(() -> client.acquire(X.waitUpTo(s(5))));
                time.sleep(s(1));
                held.close();
                time.sleep(s(1));
                assertThat(waiter).isCompleted();
                end.set(true);
                join(waiter).close();
                for (CompletableFuture<Boolean> poller : pollers) {
                    join(poller);
                }
            }
        });
    }

    /** W9 with two contenders: the first gives up, and its place is ahead of the second's. */
    @Test
    void anInheritedPlaceDoesNotOvertakeAnEarlierContender() throws Exception {
        driver.contenders = 2;
        timed(() -> {
            try (LockClient client = open();
                    LockClient other = other()) {
                Lease held = other.acquire(X);
                List<Integer> order = new CopyOnWriteArrayList<>();
                List<CompletableFuture<Boolean>> all = new ArrayList<>();
                for (int i = 1; i <= 3; i++) {
                    int number = i;
                    all.add(start(() -> {
                        Optional<Lease> lease = client.tryAcquire(number == 1 ? X.waitUpTo(s(1)) : X.waitForever());
                        if (lease.isPresent()) {
                            order.add(number);
                            lease.get().close();
                        }
                        return true;
                    }));
                    time.sleep(ms(10));
                }
                time.sleep(s(2));
                held.close();
                for (CompletableFuture<Boolean> each : all) {
                    join(each);
                }
                assertThat(order).containsExactly(2, 3);
            }
        });
    }

    /** W5 with two contenders: one is subscribing, which fails, and the other must not rely on it. */
    @Test
    void aContenderDoesNotRelyOnASubscriptionThatFails() throws Exception {
        driver.contenders = 2;
        driver.subscribe = (memory, name, mayBeFree, deadline) -> {
            time.sleep(ms(50));
            throw new BackendException(BackendException.Kind.UNAVAILABLE, "no signals", null);
        };
        timed(() -> {
            try (LockClient client = open("fair", "false");
                    LockClient other = other()) {
                Lease held = other.acquire(X.lease(Duration.ofHours(1)));
                CompletableFuture<Optional<Lease>> first = start(() -> client.tryAcquire(X.waitUpTo(s(1))));
                time.sleep(ms(10));
                CompletableFuture<Lease> second = start(() -> client.acquire(X.waitForever()));
                time.sleep(s(3));
                assertThat(join(first)).isEmpty();
                held.close();
                time.sleep(s(1));
                assertThat(second).isCompleted();
                join(second).close();
            }
        });
    }

    /** W5 with two contenders: one is interrupted while it subscribes, and the other must not rely on it. */
    @Test
    void aContenderDoesNotRelyOnASubscriptionThatIsInterrupted() throws Exception {
        driver.contenders = 2;
        driver.subscribe = (memory, name, mayBeFree, deadline) -> {
            time.sleep(ms(100));
            return memory.subscribe(name, mayBeFree, deadline);
        };
        timed(() -> {
            try (LockClient client = open("fair", "false");
                    LockClient other = other()) {
                Lease held = other.acquire(X.lease(Duration.ofHours(1)));
                CompletableFuture<Thread> thread = new CompletableFuture<>();
                CompletableFuture<Lease> first = start(() -> {
                    thread.complete(Thread.currentThread());
                    return client.acquire(X.waitForever());
                });
                time.sleep(ms(10));
                CompletableFuture<Lease> second = start(() -> client.acquire(X.waitForever()));
                time.sleep(ms(10));
                time.interrupt(thread.join());
                assertThatThrownBy(() -> join(first)).hasCauseInstanceOf(InterruptedException.class);
                time.sleep(s(1));
                held.close();
                time.sleep(s(1));
                assertThat(second).isCompleted();
                join(second).close();
            }
        });
    }

    /** W2, with a driver that returns as late as it may (P1). */
    @Test
    void aWaitEndsInTimeAlsoIfTheDriverIsAsLateAsItMay() throws Exception {
        driver.acquire = (backend, attempt, deadline) -> {
            AcquireResult answer = backend.acquire(attempt, deadline);
            time.sleep(Duration.ofNanos(deadline - time.nanoTime()).plus(ms(199)));
            return answer;
        };
        driver.subscribe = (memory, name, mayBeFree, deadline) -> {
            var subscription = memory.subscribe(name, mayBeFree, deadline);
            time.sleep(Duration.ofNanos(deadline - time.nanoTime()).plus(ms(199)));
            return subscription;
        };
        driver.place = taken -> new AcquireResult.Place() {
            @Override
            public AcquireResult await(long deadline) throws BackendException, InterruptedException {
                AcquireResult answer = taken.await(deadline);
                time.sleep(ms(199));
                return answer instanceof AcquireResult.Queued ? new AcquireResult.Queued(this) : answer;
            }

            @Override
            public void leave(long deadline) throws BackendException, InterruptedException {
                taken.leave(deadline);
                time.sleep(Duration.ofNanos(deadline - time.nanoTime()).plus(ms(199)));
            }
        };
        timed(() -> {
            for (String fair : List.of("true", "false")) {
                try (LockClient client = open("fair", fair);
                        LockClient other = other()) {
                    Lease held = other.acquire(X);
                    for (Duration wait : List.of(Duration.ofNanos(1), ms(50), ms(500), s(1), s(3), ms(2250))) {
                        long from = time.nanoTime();
                        assertThat(client.tryAcquire(X.waitUpTo(wait))).isEmpty();
                        assertThat(Duration.ofNanos(time.nanoTime() - from))
                                .as("fair %s, wait %s", fair, wait)
                                .isBetween(wait, wait.plusMillis(250));
                    }
                    held.close();
                    time.sleep(s(1));
                }
            }
        });
    }

    /** X3: a queued waiter is interrupted while its grant is being asked for, and that request arrives late. */
    @Test
    void aGrantThatIsAskedForDuringAnInterruptLeavesNothing() throws Exception {
        timed(() -> {
            try (LockClient client = plain(link);
                    LockClient other = other()) {
                Lease held = other.acquire(X);
                CompletableFuture<Thread> thread = new CompletableFuture<>();
                CompletableFuture<Lease> waiter = start(() -> {
                    thread.complete(Thread.currentThread());
                    return client.acquire(X.waitForever());
                });
                time.sleep(s(1));
                link.delayNextRequest();
                held.close();
                time.sleep(ms(10));
                time.interrupt(thread.join());
                assertThatThrownBy(() -> join(waiter)).hasCauseInstanceOf(InterruptedException.class);
                time.sleep(ms(10));
                assertThat(server.isHeld("holdfast", "x")).isFalse();
                link.deliver();
                assertThat(other.tryAcquire(X.waitUpTo(s(2)))).isPresent();
            }
        });
    }

    /** Each waiter of a contended name is served, whatever the number of contenders and the kind of waiting. */
    @Test
    void everybodyIsServed() throws Exception {
        for (int contenders = 1; contenders <= 3; contenders++) {
            for (String fair : List.of("true", "false")) {
                driver.contenders = contenders;
                driver.subscribe = (memory, name, mayBeFree, deadline) -> memory.subscribe(name, mayBeFree, deadline);
                AtomicInteger served = new AtomicInteger();
                timed(() -> {
                    try (LockClient client = open("fair", fair);
                            LockClient other = open("fair", fair)) {
                        link.delay(ms(3));
                        List<CompletableFuture<Boolean>> all = new ArrayList<>();
                        for (int i = 0; i < 40; i++) {
                            LockClient one = i % 2 == 0 ? client : other;
                            all.add(start(() -> {
                                try (Lease lease = one.acquire(X.waitForever())) {
                                    time.sleep(ms(1));
                                    served.incrementAndGet();
                                    return lease.isHeld();
                                }
                            }));
                        }
                        for (CompletableFuture<Boolean> each : all) {
                            assertThat(join(each)).isTrue();
                        }
                        link.mend();
                    }
                });
                assertThat(served).hasValue(40);
                assertThat(server.size()).isZero();
            }
        }
    }
}

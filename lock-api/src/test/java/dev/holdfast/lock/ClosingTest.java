package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.memory.MemoryServer;
import dev.holdfast.lock.spi.AcquireResult;
import dev.holdfast.lock.spi.BackendException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is left when a client is closed at an awkward moment. */
@Timeout(20)
class ClosingTest extends VirtualTimeTestBase {
    /** More leases than can be released in time, at a silent server. */
    @Test
    void noLeaseIsHeldAfterClosing() throws Exception {
        timed(() -> {
            LockClient client = plain(link);
            List<Lease> leases = new ArrayList<>();
            List<LeaseLoss> losses = new CopyOnWriteArrayList<>();
            for (int i = 0; i < 100; i++) {
                Lease lease = client.acquire(LockRequest.of("n" + i));
                lease.onLost(losses::add);
                leases.add(lease);
            }
            link.hold();
            client.close();
            assertThat(leases).allMatch(l -> l.state() == LeaseState.RELEASED);
            time.sleep(s(60));
            assertThat(losses).isEmpty();
        });
    }

    /** P5 asks the driver to be quiet after its close; so must be who calls it. */
    @Test
    void theDriverIsNotCalledAfterItsClose() throws Exception {
        AtomicBoolean closed = new AtomicBoolean();
        AtomicInteger late = new AtomicInteger();
        driver.onClose = () -> closed.set(true);
        driver.acquire = (backend, attempt, deadline) -> {
            late.addAndGet(closed.get() ? 1 : 0);
            return null;
        };
        driver.hold = granted -> new ScriptedProvider.ScriptedHold(granted) {
            @Override
            public ReleaseOutcome release(long deadline) throws BackendException, InterruptedException {
                late.addAndGet(closed.get() ? 1 : 0);
                return super.release(deadline);
            }
        };
        timed(() -> {
            LockClient client = open("close-timeout", "3s");
            for (int i = 0; i < 100; i++) {
                Lease unused = client.acquire(LockRequest.of("n" + i));
            }
            link.hold();
            int abandoned = driver.abandoned.get();
            for (int i = 0; i < 5; i++) {
                assertThatThrownBy(() -> client.acquire(X.waitUpTo(ms(100))))
                        .isInstanceOf(LockUnavailableException.class);
            }
            client.close();
            time.sleep(ms(200));
            int then = driver.abandoned.get();
            time.sleep(s(60));
            assertThat(late).hasValue(0);
            assertThat(driver.abandoned.get()).isEqualTo(then).isGreaterThanOrEqualTo(abandoned);
        });
    }

    /** C2: what another thread is about to be granted, or is releasing, is seen to before the driver is closed. */
    @Test
    void requestsUnderWayAreAwaited() throws Exception {
        timed(() -> {
            for (int round = 0; round < 2; round++) {
                boolean releasing = round == 1;
                MemoryServer.Link slow = server.link();
                AtomicBoolean closed = new AtomicBoolean();
                AtomicInteger late = new AtomicInteger();
                ScriptedProvider provider = new ScriptedProvider(slow);
                provider.onClose = () -> closed.set(true);
                provider.hold = granted -> new ScriptedProvider.ScriptedHold(granted) {
                    @Override
                    public ReleaseOutcome release(long deadline) throws BackendException, InterruptedException {
                        late.addAndGet(closed.get() ? 1 : 0);
                        ReleaseOutcome outcome = super.release(deadline);
                        late.addAndGet(closed.get() ? 1 : 0);
                        return outcome;
                    }
                };
                LockClient client =
                        LockClient.open(provider, LockOptions.builder("memory").build(), time);
                Lease held = releasing ? client.acquire(X) : null;
                slow.delay(ms(100));
                CompletableFuture<Object> call = start(() -> held != null ? held.release() : client.acquire(X));
                time.sleep(ms(50));
                client.close();
                assertThat(server.isHeld("holdfast", "x")).isFalse();
                if (!releasing) {
                    assertThatThrownBy(() -> join(call)).hasCauseInstanceOf(IllegalStateException.class);
                }
                assertThat(late).hasValue(0);
            }
        });
    }

    /** X3: what could not be undone yet is tried once more. */
    @Test
    void anUnclearAttemptIsUndone() throws Exception {
        driver.acquire = (backend, attempt, deadline) -> {
            AcquireResult unused = backend.acquire(attempt, deadline);
            link.cut();
            throw new BackendException(BackendException.Kind.UNCLEAR, "silence", null);
        };
        timed(() -> {
            LockClient client = open();
            assertThatThrownBy(() -> client.tryAcquire(X)).isInstanceOf(LockUnavailableException.class);
            time.sleep(ms(10));
            link.mend();
            assertThat(server.isHeld("holdfast", "x")).isTrue();
            client.close();
            assertThat(server.isHeld("holdfast", "x")).isFalse();
        });
    }

    @Test
    void everyCallAfterClosingIsRefused() throws Exception {
        timed(() -> {
            LockClient client = open();
            Lease lease = client.acquire(X.reentrant());
            client.close();
            client.close();
            assertThatThrownBy(() -> client.tryAcquire(X.reentrant())).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> client.acquire(X)).isInstanceOf(IllegalStateException.class);
            assertThat(lease.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
            assertThat(server.size()).isZero();
        });
    }
}

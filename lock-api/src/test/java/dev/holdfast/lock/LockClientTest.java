package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.memory.MemoryLockProvider;
import dev.holdfast.lock.memory.MemoryServer;
import dev.holdfast.lock.memory.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class LockClientTest {
    private final VirtualTime time = new VirtualTime();
    private final MemoryServer server = MemoryServer.durable(time);

    private LockClient client(MemoryServer.Link link, String... options) {
        LockOptions.Builder b = LockOptions.builder("memory");
        for (String o : options) {
            b.option(o.substring(0, o.indexOf('=')), o.substring(o.indexOf('=') + 1));
        }
        return LockClient.open(MemoryLockProvider.on(link), b.build(), time);
    }

    private LockClient client() {
        return client(server.link());
    }

    private static final LockRequest X = LockRequest.of("x");

    @Test
    void excludesAndWaitsUntilTheLimit() throws Exception {
        time.run(() -> {
            try (LockClient a = client();
                    LockClient b = client()) {
                Lease held = a.acquire(X);
                assertThat(b.tryAcquire(X)).isEmpty();
                long from = time.nanoTime();
                assertThatThrownBy(() -> b.acquire(X)).isInstanceOf(LockTimeoutException.class);
                assertThat(Duration.ofNanos(time.nanoTime() - from)).isEqualTo(Duration.ofSeconds(10));
                time.sleep(Duration.ofHours(2));
                assertThat(held.isHeld()).isTrue();
                assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
                try (Lease next = b.acquire(X)) {
                    assertThat(next.token()).isGreaterThan(held.token());
                }
            }
            return null;
        });
    }

    @Test
    void waiterIsServedOnRelease() throws Exception {
        for (String fair : List.of("fair=true", "fair=false")) {
            time.run(() -> {
                try (LockClient a = client();
                        LockClient b = client(server.link(), fair)) {
                    Lease held = a.acquire(X);
                    CompletableFuture<Long> got = new CompletableFuture<>();
                    for (int i = 0; i < 3; i++) {
                        time.start(() -> {
                            try (Lease l = b.acquire(X)) {
                                got.complete(time.nanoTime());
                            } catch (InterruptedException e) {
                                got.completeExceptionally(e);
                            }
                        });
                    }
                    time.sleep(Duration.ofSeconds(3));
                    assertThat(got).isNotDone();
                    held.close();
                    long at = time.nanoTime();
                    assertThat(time.await(got, at + Duration.ofSeconds(20).toNanos()))
                            .isTrue();
                    assertThat(got.join() - at).isZero();
                    time.sleep(Duration.ofSeconds(1));
                    assertThat(server.isHeld("holdfast", "x")).isFalse();
                }
                return null;
            });
        }
    }

    @Test
    void lossIsToldOnceAndBeforeTheNextGrant() throws Exception {
        time.run(() -> {
            MemoryServer.Link link = server.link();
            try (LockClient a = client(link);
                    LockClient b = client()) {
                Lease held = a.acquire(X);
                List<LeaseLoss> losses = new ArrayList<>();
                held.onLost(losses::add);
                link.hold();
                Lease next = b.acquire(X.waitUpTo(Duration.ofMinutes(1)));
                assertThat(held.isHeld()).isFalse();
                assertThat(losses).hasSize(1);
                assertThat(next.token()).isGreaterThan(held.token());
                link.mend();
                time.sleep(Duration.ofMinutes(1));
                assertThat(next.isHeld()).isTrue();
                assertThat(held.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
                assertThat(losses).hasSize(1);
            }
            return null;
        });
    }
}

package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.memory.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class VirtualTimeTest extends VirtualTimeTestBase {
    /** The interrupt comes when its thread is about to wait; no time may pass before it is noticed. */
    @Test
    void anInterruptIsNoticedBeforeTimePasses() throws Exception {
        for (int i = 0; i < 3_000; i++) {
            VirtualTime clock = new VirtualTime();
            AtomicBoolean late = new AtomicBoolean();
            clock.run(() -> {
                CompletableFuture<Void> ready = new CompletableFuture<>();
                Thread thread = clock.start(() -> {
                    ready.complete(null);
                    try {
                        clock.sleep(s(1));
                        late.set(true);
                    } catch (InterruptedException e) {
                        late.set(clock.nanoTime() != 0);
                    }
                });
                ready.join();
                clock.interrupt(thread);
                clock.sleep(s(2));
                return true;
            });
            assertThat(late).as("run %d", i).isFalse();
        }
    }

    @Test
    void anEventThatThrowsHarmsNobodyWhoWaits() throws Exception {
        timed(() -> {
            var unused = time.schedule(
                    () -> {
                        throw new IllegalStateException("as a mistaken timer task would");
                    },
                    ms(10).toNanos());
            Thread.UncaughtExceptionHandler before = Thread.currentThread().getUncaughtExceptionHandler();
            List<Throwable> seen = new ArrayList<>();
            Thread.currentThread().setUncaughtExceptionHandler((t, e) -> seen.add(e));
            try {
                time.sleep(ms(20));
            } finally {
                Thread.currentThread().setUncaughtExceptionHandler(before);
            }
            assertThat(seen).hasSize(1);
            assertThat(time.nanoTime()).isEqualTo(ms(20).toNanos());
        });
    }
}

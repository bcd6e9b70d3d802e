package dev.holdfast.sample;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockProviders;
import dev.holdfast.lock.LockRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Returns from main with a lease held and renewed, and with waiters blocked, in the same client and in another. */
public final class Leaver {
    private static final List<Object> KEPT = new ArrayList<>();

    private Leaver() {}

    public static void main(String[] args) throws Exception {
        LockClient holder = LockProviders.open("memory:");
        LockClient other = LockProviders.open("memory:");
        Lease lease = holder.acquire(LockRequest.of("job").lease(Duration.ofMillis(900)));
        List<Thread> waiters = List.of(waiter(holder), waiter(other));
        long first = System.nanoTime();
        // Long enough for the first renewal.
        while (!waiters.stream().allMatch(Leaver::isBlocked) || System.nanoTime() - first < 400_000_000) {
            if (!lease.isHeld()) {
                throw new IllegalStateException("the lease was not renewed");
            }
            Thread.onSpinWait();
        }
        KEPT.addAll(List.of(holder, other, lease));
        System.out.println("main returns");
    }

    private static Thread waiter(LockClient client) {
        Thread thread = new Thread(() -> {
            try {
                KEPT.add(client.acquire(LockRequest.of("job").waitForever()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static boolean isBlocked(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }
}

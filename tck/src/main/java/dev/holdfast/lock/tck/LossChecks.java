package dev.holdfast.lock.tck;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How a hold ends without its holder's will, and who is told when. */
abstract class LossChecks {
    LossChecks() {}

    private static Duration noticed(Scene s) {
        return s.lease().dividedBy(3).plus(s.operationTimeout()).plus(Scene.SLACK);
    }

    @Test
    @Rule("S1")
    final void required_S1_eachListenerIsToldOnceAndMayBlock(Scene s) throws Exception {
        Actor a = s.client();
        String x = s.name();
        Lease held = a.granted(s.ask(x).fixedLease(s.lease().dividedBy(2)));
        AtomicInteger first = new AtomicInteger();
        AtomicInteger second = new AtomicInteger();
        CompletableFuture<Lease> blocked = new CompletableFuture<>();
        held.onLost(loss -> first.incrementAndGet());
        held.onLost(loss -> {
            second.incrementAndGet();
            try {
                s.sleep(Duration.ofMillis(50));
                Lease other = a.acquire(s.ask(s.name()));
                a.releases(other);
                blocked.complete(other);
            } catch (Exception | AssertionError e) {
                blocked.completeExceptionally(e);
            }
        });
        s.until(
                "both listeners are told",
                s.lease().dividedBy(2).plus(Scene.SLACK),
                () -> first.get() > 0 && second.get() > 0);
        s.until("a listener that acquires and releases ends", Duration.ofSeconds(5), blocked::isDone);
        Lease unused = blocked.get();
        s.sleep(s.lease());
        a.release(held);
        s.sleep(Duration.ofMillis(50));
        s.same("how often the first listener was told", 1, first.get());
        s.same("how often the second listener was told", 1, second.get());
    }

    @Test
    @Rule("S2")
    final void required_S2_nobodyIsToldOfARelease(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        List<LeaseLoss> told = new CopyOnWriteArrayList<>();
        Lease held = a.granted(s.ask(s.name()));
        held.onLost(told::add);
        Lease kept = b.granted(s.ask(s.name()));
        kept.onLost(told::add);
        s.sleep(s.lease().dividedBy(2));
        a.releases(held);
        held.onLost(told::add);
        b.close();
        s.sleep(s.lease().plus(Scene.SLACK));
        s.check(told.isEmpty(), "a normal release was told as a loss: %s", told);
        s.same("the state after the release", LeaseState.RELEASED, held.state());
        s.same("the state after closing the client", LeaseState.RELEASED, kept.state());
    }

    @Test
    @Rule("S3")
    final void required_S3_revokedHoldIsLostInTime(Scene s) throws Exception {
        Actor a = s.client();
        List<Lease> leases = new ArrayList<>();
        List<Lease> fixed = new ArrayList<>();
        List<LeaseLoss> told = new CopyOnWriteArrayList<>();
        for (String x : s.names(4)) {
            leases.add(a.granted(s.ask(x)));
        }
        for (String x : s.names(2)) {
            fixed.add(a.granted(s.ask(x).fixedLease(s.lease().multipliedBy(3))));
        }
        leases.forEach(l -> l.onLost(told::add));
        Lease untouched = leases.remove(0);
        long from = s.now();
        for (Lease lease : leases) {
            s.revoke(lease.name());
        }
        for (Lease lease : fixed) {
            s.revoke(lease.name());
        }
        for (Lease lease : leases) {
            s.until(
                    "A notices that " + lease.name() + " was revoked",
                    noticed(s).minus(s.since(from)),
                    () -> !lease.isHeld());
            s.same("the state of a revoked lease", LeaseState.LOST, lease.state());
        }
        s.until("A is told of each of " + leases.size() + " losses", noticed(s), () -> told.size() >= leases.size());
        for (LeaseLoss loss : told) {
            s.check(
                    loss.cause() == LeaseLoss.Cause.REVOKED || loss.cause() == LeaseLoss.Cause.SESSION_ENDED,
                    "the cause of a revocation is told as %s",
                    loss);
        }
        // A lease that is not renewed is checked as often.
        for (Lease lease : fixed) {
            s.until(
                    "A notices that " + lease.name() + ", a fixed lease, was revoked",
                    s.lease().plus(s.operationTimeout()).plus(Scene.SLACK).minus(s.since(from)),
                    () -> !lease.isHeld());
        }
        s.check(untouched.isHeld(), "another name was revoked, and A lost this: %s", Scene.show(untouched));
        s.same("how many were told", leases.size(), told.size());
    }

    @Test
    @Rule({"S4", "L3"})
    final void required_S4_cutOffHolderKnowsBeforeAnotherIsGranted(Scene s) throws Exception {
        Actor a = s.client().warm();
        Actor b = s.client();
        List<Task<Lease>> waiters = new ArrayList<>();
        for (String x : s.names(s.rounds(8, 50))) {
            Lease held = a.granted(s.ask(x));
            waiters.add(s.start("B waits for " + x, () -> {
                Lease next = b.grantedWithin(
                        s.lease().multipliedBy(5), s.ask(x), "its holder was cut off for longer than its lease");
                s.check(
                        !held.isHeld(),
                        "B was granted %s (%s), and A, who is cut off, believes that it holds it: %s",
                        x,
                        next,
                        Scene.show(held));
                return next;
            }));
        }
        s.sleep(s.lease().dividedBy(2));
        a.hold();
        for (Task<Lease> waiter : waiters) {
            waiter.get(s.lease().multipliedBy(6));
        }
    }

    @Test
    @Rule("S5")
    final void required_S5_lossIsToldWhenThePromiseEnds(Scene s) throws Exception {
        Actor a = s.client().warm();
        List<AtomicLong> told = new ArrayList<>();
        List<Long> ends = new ArrayList<>();
        for (String x : s.names(10)) {
            Lease held = a.granted(s.ask(x).fixedLease(s.lease().dividedBy(2)));
            AtomicLong at = new AtomicLong(Long.MIN_VALUE);
            held.onLost(loss -> at.set(s.now()));
            ends.add(s.now() + held.remaining().toNanos());
            told.add(at);
        }
        s.sleep(s.lease().dividedBy(2));
        for (int i = 0; i < ends.size(); i++) {
            AtomicLong at = told.get(i);
            s.until("A is told of a loss", Scene.SLACK, () -> at.get() != Long.MIN_VALUE);
            s.within("telling A of its loss", ends.get(i), at.get(), Scene.SLACK);
            s.check(
                    at.get() - ends.get(i) >= -2_000_000,
                    "A was told of its loss %s before its promise ended",
                    Scene.text(Duration.ofNanos(ends.get(i) - at.get())));
        }
    }

    @Test
    @Rule("S6")
    final void required_S6_slowAndFailingListenersDelayNothing(Scene s) throws Exception {
        Actor a = s.client();
        AtomicBoolean end = new AtomicBoolean();
        for (String x : s.names(12)) {
            Lease slow = a.granted(s.ask(x).fixedLease(s.lease().dividedBy(4)));
            slow.onLost(loss -> {
                try {
                    while (!end.get()) {
                        s.sleep(Duration.ofMillis(20));
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            slow.onLost(loss -> {
                throw new IllegalStateException("a listener that fails");
            });
        }
        try {
            Lease renewed = a.granted(s.ask(s.name()));
            s.sleep(s.lease().dividedBy(2));
            Lease other = a.granted(s.ask(s.name()).fixedLease(s.lease().dividedBy(4)));
            AtomicBoolean told = new AtomicBoolean();
            other.onLost(loss -> told.set(true));
            s.until(
                    "a loss is told while other listeners are slow",
                    s.lease().dividedBy(4).plus(Scene.SLACK),
                    told::get);
            s.sleep(s.lease());
            s.check(renewed.isHeld(), "while listeners were slow this was not renewed: %s", Scene.show(renewed));
        } finally {
            end.set(true);
        }
    }

    @Test
    @Rule("S7")
    final void required_S7_lateListenerIsToldToo(Scene s) throws Exception {
        Actor a = s.client();
        Lease held = a.granted(s.ask(s.name()).fixedLease(s.lease().dividedBy(4)));
        s.until("a fixed lease is over", s.lease(), () -> !held.isHeld());
        s.sleep(Scene.SLACK);
        for (int i = 0; i < 2; i++) {
            AtomicInteger told = new AtomicInteger();
            held.onLost(loss -> told.incrementAndGet());
            s.until("a listener that came after the loss is told", Scene.SLACK, () -> told.get() > 0);
            s.sleep(Duration.ofMillis(20));
            s.same("how often it was told", 1, told.get());
        }
    }
}

package dev.holdfast.lock.tck;

import dev.holdfast.lock.HoldModel;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockRequest;
import dev.holdfast.lock.ReleaseOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** How long a hold lasts, at the server and by its holder's own clock. */
abstract class LeaseChecks {
    /** Servers count in whole milliseconds. */
    private static final Duration GRAIN = Duration.ofMillis(2);

    LeaseChecks() {}

    /** What is taken off a lease before it is promised. */
    private static Duration promise(Duration lease) {
        return lease.minus(lease.dividedBy(100)).minusMillis(2);
    }

    @Test
    @Rule("L1")
    final void required_L1_serverHoldsForTheWholeLease(Scene s) throws Exception {
        s.applies(
                s.effective().hold() == HoldModel.LEASE,
                "a fixed lease is ended by the client where a session or a connection carries the hold");
        Actor a = s.client().warm();
        Actor b = s.client().warm();
        String x = s.name();
        long asked = s.now();
        Lease held = a.granted(s.ask(x).fixedLease(s.lease()));
        a.hold();
        Optional<Lease> next = Optional.empty();
        while (next.isEmpty() && s.since(asked).compareTo(s.lease().multipliedBy(3)) < 0) {
            next = b.tryAcquire(s.ask(x));
            s.sleep(Duration.ofMillis(5));
        }
        long granted = s.now();
        s.check(
                next.isPresent(),
                "the lease of %s was over, and nobody could have %s after %s",
                Scene.text(s.lease()),
                x,
                Scene.text(s.since(asked)));
        s.notBefore("B was granted " + x, asked, granted, held.duration().minus(GRAIN));
    }

    @Test
    @Rule({"L1", "N1"})
    final void required_L1_serverHoldsForTheWholeLeaseAfterARenewal(Scene s) throws Exception {
        Actor a = s.client().warm();
        Actor b = s.client().warm();
        String x = s.name();
        Lease held = a.granted(s.ask(x));
        s.sleep(s.lease().multipliedBy(3).dividedBy(2));
        a.hold();
        long end = s.now() + held.remaining().toNanos();
        s.log("A's promise has " + Scene.text(held.remaining()) + " left");
        while (s.now() - end < 0) {
            Optional<Lease> next = b.tryAcquire(s.ask(x));
            s.check(
                    next.isEmpty() || s.now() - end >= 0,
                    "B was granted %s (%s) %s before the end of A's promise, which was confirmed by a renewal",
                    x,
                    next.map(Scene::show).orElse(""),
                    Scene.text(Duration.ofNanos(end - s.now())));
            s.sleep(Duration.ofMillis(5));
        }
    }

    @Test
    @Rule("L2")
    final void required_L2_remainingFallsToZero(Scene s) throws Exception {
        Actor a = s.client();
        Lease held = a.granted(s.ask(s.name()).fixedLease(s.lease()));
        long from = s.now();
        Duration first = held.remaining();
        Duration before = first;
        while (held.isHeld()) {
            Duration now = held.remaining();
            s.check(
                    now.compareTo(before) <= 0,
                    "what is left rose from %s to %s without a renewal",
                    Scene.text(before),
                    Scene.text(now));
            before = now;
            s.check(
                    s.since(from).compareTo(s.lease().multipliedBy(2)) < 0,
                    "a fixed lease of %s is held after %s",
                    Scene.text(s.lease()),
                    Scene.text(s.since(from)));
            s.sleep(Duration.ofMillis(5));
        }
        s.same("what is left of a lease that is not held", Duration.ZERO, held.remaining());
        s.within("the promise", from, s.now(), first.plusMillis(10));
        s.notBefore("isHeld() turned false", from, s.now(), first.minusMillis(1));
    }

    @Test
    @Rule({"L2", "N2"})
    final void required_L2_heldEndsInTimeWithoutServers(Scene s) throws Exception {
        Actor a = s.client().warm();
        List<Lease> leases = new ArrayList<>();
        for (String x : s.names(5)) {
            leases.add(a.granted(s.ask(x)));
        }
        a.hold();
        for (Lease lease : leases) {
            long from = s.now();
            Duration left = lease.remaining();
            s.until("isHeld() is false although no server answers", left.plusMillis(5), () -> !lease.isHeld());
            s.notBefore("isHeld() turned false", from, s.now(), left.minusMillis(1));
            s.same("what is left", Duration.ZERO, lease.remaining());
        }
    }

    @Test
    @Rule({"L3", "P2"})
    final void required_L3_promiseCountsFromBeforeTheRequest(Scene s) throws Exception {
        Actor a = s.client().warm();
        Duration each = s.lease().dividedBy(10);
        a.delay(each);
        long asked = s.now();
        Lease held = a.acquire(s.ask(s.name()));
        Duration left = held.remaining();
        Duration most = promise(held.duration())
                .minus(each.multipliedBy(2))
                .plus(s.clock().stalls(asked, s.now()));
        s.check(
                left.compareTo(most) <= 0,
                "a lease of %s that was asked for over a link with %s each way is promised for %s from its answer on; it may be %s",
                Scene.text(held.duration()),
                Scene.text(each),
                Scene.text(left),
                Scene.text(most));
        a.mend();
    }

    @Test
    @Rule({"L3", "P2"})
    final void required_L3_renewedPromiseCountsFromBeforeTheRenewal(Scene s) throws Exception {
        Actor a = s.client().warm();
        Lease held = a.granted(s.ask(s.name()));
        Duration each = s.lease().dividedBy(10);
        a.delay(each);
        long from = s.now();
        Duration most = promise(held.duration())
                .minus(each.multipliedBy(2))
                .plus(s.clock().stalls(from, from));
        Duration before = held.remaining();
        int renewals = 0;
        while (s.since(from).compareTo(s.lease().multipliedBy(2)) < 0) {
            s.sleep(Duration.ofMillis(3));
            Duration left = held.remaining();
            if (left.compareTo(before) > 0) {
                renewals++;
                s.check(
                        left.compareTo(most) <= 0,
                        "a renewal over a link with %s each way prolonged a lease of %s to %s from its answer on; it may be %s",
                        Scene.text(each),
                        Scene.text(held.duration()),
                        Scene.text(left),
                        Scene.text(most));
            }
            before = left;
        }
        s.check(renewals > 0, "no renewal was seen in twice the lease: %s", Scene.show(held));
        a.mend();
    }

    @Test
    @Rule("L3")
    final void required_L3_driftIsTakenOff(Scene s) throws Exception {
        Actor a = s.client().warm();
        for (long factor : new long[] {1, 10, 100}) {
            long asked = s.now();
            Lease held = a.granted(s.ask(s.name()).fixedLease(s.lease().multipliedBy(factor)));
            Duration end = s.since(asked).plus(held.remaining());
            Duration most = promise(held.duration()).plus(s.since(asked));
            s.check(
                    end.compareTo(most) <= 0,
                    "a lease of %s is promised for %s; a hundredth of it and 2 ms are to be taken off for clocks that drift",
                    Scene.text(held.duration()),
                    Scene.text(end));
            a.releases(held);
        }
    }

    @Test
    @Rule("L4")
    final void required_L4_tooShortALeaseIsRoundedUp(Scene s) throws Exception {
        Actor a = s.client().warm();
        Actor b = s.client().warm();
        for (Duration lease : List.of(Duration.ofNanos(1), Duration.ofMillis(1), Duration.ofNanos(1_500_001))) {
            String x = s.name();
            Lease held = a.granted(LockRequest.of(x).fixedLease(lease));
            s.check(
                    held.duration().compareTo(lease) >= 0,
                    "a lease of %s was asked for, and %s given",
                    Scene.text(lease),
                    Scene.text(held.duration()));
            Optional<Lease> other = b.tryAcquire(s.ask(x));
            s.check(
                    other.isEmpty() || !held.isHeld(),
                    "B was granted %s while A's lease, rounded up to %s, is held",
                    x,
                    Scene.text(held.duration()));
            s.check(
                    held.duration().compareTo(Duration.ofMillis(2)) > 0,
                    "a lease of %s leaves nothing to promise; it has to be rounded up",
                    Scene.text(held.duration()));
        }
    }

    @Test
    @Rule({"L1", "L4"})
    final void required_L4_leasesAreNeverShortened(Scene s) throws Exception {
        Actor a = s.client().warm();
        Duration odd = s.lease().plus(Duration.ofNanos(1));
        for (Duration lease : List.of(odd, s.lease().multipliedBy(2).plusMillis(1), Duration.ofSeconds(29))) {
            Lease held = a.granted(LockRequest.of(s.name()).fixedLease(lease));
            s.check(
                    held.duration().compareTo(lease) >= 0,
                    "a lease of %s was asked for, and %s given",
                    Scene.text(lease),
                    Scene.text(held.duration()));
            a.releases(held);
        }
    }

    @Test
    @Rule("L5")
    final void required_L5_leaseOfNothingIsRefused(Scene s) throws Exception {
        LockRequest request = LockRequest.of(s.name());
        for (Duration none : List.of(Duration.ZERO, Duration.ofNanos(-1), Duration.ofDays(-1))) {
            for (UnaryOperator<LockRequest> form : List.<UnaryOperator<LockRequest>>of(
                    r -> r.lease(none), r -> r.fixedLease(none), r -> r.maxHold(none))) {
                try {
                    throw s.failure("a lease of %s was accepted: %s", none, form.apply(request));
                } catch (IllegalArgumentException e) {
                    s.log(none + " is refused: " + e.getMessage());
                }
            }
        }
    }

    @Test
    @Rule("L6")
    final void required_L6_fixedLeaseIsLostAtItsEnd(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        String x = s.name();
        long asked = s.now();
        Lease held = a.granted(s.ask(x).fixedLease(s.lease()));
        CompletableFuture<LeaseLoss> loss = new CompletableFuture<>();
        held.onLost(loss::complete);
        b.refusedFor(
                s.lease().multipliedBy(3).dividedBy(4), s.ask(x), "A's fixed lease is not over: " + Scene.show(held));
        b.grantedWithin(s.lease().dividedBy(4).plus(s.handOff()), s.ask(x), "A's fixed lease is over");
        s.within("the end of a fixed lease", asked, s.now(), s.lease().plus(s.handOff()));
        s.same("the state of a fixed lease after its end", LeaseState.LOST, held.state());
        s.until("A is told of the loss", Scene.SLACK, loss::isDone);
        s.same("the cause of the loss", LeaseLoss.Cause.EXPIRED, loss.join().cause());
        s.same("a release after the end", ReleaseOutcome.NOT_HELD, a.release(held));
    }

    @Test
    @Rule("L7")
    final void required_L7_maxHoldEndsARenewedLease(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        String x = s.name();
        Duration most = s.lease().multipliedBy(2);
        Lease held = a.granted(s.ask(x).maxHold(most));
        long from = s.now();
        CompletableFuture<LeaseLoss> loss = new CompletableFuture<>();
        held.onLost(loss::complete);
        b.refusedFor(s.lease().multipliedBy(3).dividedBy(2), s.ask(x), "A's lease is renewed: " + Scene.show(held));
        s.check(held.isHeld(), "A lost its lease before maxHold: %s", Scene.show(held));
        s.until("A's lease is lost by maxHold", s.lease(), () -> !held.isHeld());
        s.within("maxHold", from, s.now(), most.plusMillis(10));
        s.same("its state", LeaseState.LOST, held.state());
        s.until("A is told of the loss", Scene.SLACK, loss::isDone);
        s.same("the cause of the loss", LeaseLoss.Cause.MAX_HOLD, loss.join().cause());
        b.releases(b.grantedWithin(s.handOff(), s.ask(x), "A's maxHold is over"));
    }

    @Test
    @Rule("L8")
    final void required_L8_deadHolderBlocksForItsLeaseOnly(Scene s) throws Exception {
        boolean patient = s.clock().isVirtual() || s.rounds(0, 1) == 1;
        Actor a = s.client().warm();
        Actor b = s.client();
        String x = s.name();
        Lease held = a.granted(patient ? LockRequest.of(x) : s.ask(x));
        Duration bound = patient ? s.effective().orphanBound() : held.duration();
        s.log("A dies holding " + Scene.show(held));
        a.hold();
        b.grantedWithin(bound.plus(s.handOff()), s.ask(x), "its holder died longer than " + bound + " ago");
    }

    @Test
    @Rule("L9")
    final void required_L9_expiredHoldIsReleasedInTheBackground(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        String x = s.name();
        Lease held = a.granted(s.askLong(x).maxHold(Duration.ofMillis(200)));
        s.sleep(Duration.ofMillis(210));
        s.check(!held.isHeld(), "held after maxHold: %s", Scene.show(held));
        b.grantedWithin(
                s.handOff(),
                s.ask(x),
                "A lost it by its own deadline; it should not be kept at the server for the rest of its "
                        + Scene.text(held.duration()));
    }

    @Test
    @Rule({"L9", "R1", "R2"})
    final void required_L9_lateReleaseOfAnExpiredHoldChecksTheOwner(Scene s) throws Exception {
        Actor a = s.client().warm();
        Actor b = s.client();
        Actor c = s.client();
        String x = s.name();
        Lease held = a.granted(s.ask(x));
        a.hold();
        Lease next = b.grantedWithin(
                s.lease().multipliedBy(2).plus(s.handOff()), s.ask(x), "A was cut off for longer than its lease");
        a.mend();
        s.same("A's release of what it has lost", ReleaseOutcome.NOT_HELD, a.release(held));
        s.sleep(s.lease().multipliedBy(2).dividedBy(3));
        s.check(next.isHeld(), "B lost its lease when A came back: %s", Scene.show(next));
        c.refused(s.ask(x), "B holds it, and A's late release is A's own: " + Scene.show(next));
    }
}

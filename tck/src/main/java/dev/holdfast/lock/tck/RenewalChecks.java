package dev.holdfast.lock.tck;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Keeping a hold alive, and stopping to. */
abstract class RenewalChecks {
    RenewalChecks() {}

    @Test
    @Rule({"N1", "E1"})
    final void required_N1_renewedLeaseIsKept(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        List<Lease> leases = new ArrayList<>();
        for (String x : s.names(s.rounds(10, 50))) {
            leases.add(a.granted(s.ask(x)));
        }
        List<LeaseLoss> losses = new CopyOnWriteArrayList<>();
        leases.forEach(l -> l.onLost(losses::add));
        long from = s.now();
        while (s.since(from).compareTo(s.lease().multipliedBy(3)) < 0) {
            for (Lease lease : leases) {
                b.refused(s.ask(lease.name()), "A holds and renews it: " + Scene.show(lease));
            }
            s.sleep(s.lease().dividedBy(8));
        }
        s.check(losses.isEmpty(), "A lost leases that were renewed: %s", losses);
        for (Lease lease : leases) {
            s.check(lease.isHeld(), "A does not hold it after three times its length: %s", Scene.show(lease));
            a.releases(lease);
        }
    }

    @Test
    @Rule("N2")
    final void required_N2_unansweredRenewalsProlongNothing(Scene s) throws Exception {
        Actor a = s.client().warm();
        Lease held = a.granted(s.ask(s.name()));
        a.cut();
        long from = s.now();
        Duration left = held.remaining();
        while (held.isHeld()) {
            Duration now = held.remaining();
            Duration most =
                    left.minus(s.since(from)).plusMillis(5).plus(s.clock().stalls(from, s.now()));
            s.check(
                    now.compareTo(most) <= 0,
                    "no renewal can have been answered, and the promise was prolonged: %s left after %s, of %s at the cut",
                    Scene.text(now),
                    Scene.text(s.since(from)),
                    Scene.text(left));
            s.sleep(Duration.ofMillis(5));
        }
    }

    @Test
    @Rule("N3")
    final void required_N3_shortOutageCostsNothing(Scene s) throws Exception {
        Actor a = s.client().warm();
        List<Lease> leases = new ArrayList<>();
        List<LeaseLoss> losses = new CopyOnWriteArrayList<>();
        for (String x : s.names(3)) {
            Lease lease = a.granted(s.ask(x));
            lease.onLost(losses::add);
            leases.add(lease);
        }
        // The first renewal, due at a third, fails; the promise runs for another half of the lease.
        s.sleep(s.lease().dividedBy(4));
        a.cut();
        s.sleep(s.lease().dividedBy(4));
        a.mend();
        s.sleep(s.lease());
        s.check(losses.isEmpty(), "an outage of a quarter of the lease was a loss: %s", losses);
        for (Lease lease : leases) {
            s.check(lease.isHeld(), "not held after an outage of a quarter of the lease: %s", Scene.show(lease));
        }
    }

    @Test
    @Rule({"N4", "S3"})
    final void required_N4_firstRefusalEndsRenewal(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        Actor c = s.client();
        String x = s.name();
        Lease held = a.granted(s.ask(x));
        s.revoke(x);
        Lease next = b.grantedWithin(s.handOff(), s.ask(x), "A's hold was revoked");
        s.until(
                "A sees that its hold is not its own any more",
                s.lease().dividedBy(3).plus(s.operationTimeout()).plus(Scene.SLACK),
                () -> !held.isHeld());
        s.sleep(s.lease());
        s.check(next.isHeld(), "B's hold is not kept after A's was refused: %s", Scene.show(next));
        c.refused(s.ask(x), "B holds it: " + Scene.show(next));
        b.releases(next);
        c.releases(c.granted(s.ask(x)));
    }

    @Test
    @Rule("N4")
    final void required_N4_refusedRenewalProlongsNobody(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client().warm();
        Actor c = s.client();
        String x = s.name();
        Lease held = a.granted(s.ask(x));
        s.revoke(x);
        Lease next = b.grantedWithin(s.handOff(), s.ask(x), "A's hold was revoked");
        // B can neither renew nor release any more; were A's renewals to act on the name, it would stay held.
        b.hold();
        Duration bound = next.duration().plus(s.handOff());
        c.grantedWithin(
                bound,
                s.ask(x),
                "B, who holds it, was cut off longer than its lease ago, and A, whose hold was revoked, has nothing to renew: "
                        + held);
    }

    @Test
    @Rule("N5")
    final void required_N5_noRenewalAfterRelease(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        int rounds = s.rounds(12, 200);
        List<Task<Object>> tasks = new ArrayList<>();
        for (String x : s.names(rounds)) {
            // Spread around the moment at which the first renewal is due.
            Duration hold = s.lease().dividedBy(3).plusMillis((tasks.size() * 7L) % 40 - 20);
            tasks.add(s.start("A holds and releases " + x, () -> {
                Lease lease = a.granted(s.ask(x));
                s.sleep(hold);
                a.releases(lease);
                b.releases(b.granted(s.ask(x)));
                return x;
            }));
        }
        List<String> names = new ArrayList<>();
        for (Task<Object> task : tasks) {
            names.add(String.valueOf(task.get(s.lease().multipliedBy(5))));
        }
        s.sleep(s.lease().dividedBy(2));
        for (String x : names) {
            b.releases(b.granted(s.ask(x)));
        }
    }

    @Test
    @Rule("N5")
    final void required_N5_lateRenewalBringsNothingBack(Scene s) throws Exception {
        Actor a = s.client().warm();
        Actor b = s.client();
        String x = s.name();
        Lease held = a.granted(s.ask(x));
        a.delayNextRequest();
        s.sleep(s.lease().dividedBy(3).plusMillis(20));
        a.release(held);
        a.deliver();
        s.sleep(Duration.ofMillis(30));
        b.releases(b.grantedWithin(s.handOff(), s.ask(x), "A released it; its late renewal is no reason to be busy"));
    }

    @Test
    @Rule("N6")
    final void required_N6_hangingRenewalDelaysNoOther(Scene s) throws Exception {
        Actor a = s.client().warm();
        List<LeaseLoss> losses = new CopyOnWriteArrayList<>();
        // Due first, and its renewal will hang for as long as the operation time-out allows.
        Lease hanging = a.granted(s.ask(s.name()));
        s.sleep(s.lease().dividedBy(10));
        List<Lease> others = new ArrayList<>();
        for (String y : s.names(5)) {
            Lease lease = a.granted(s.ask(y));
            lease.onLost(losses::add);
            others.add(lease);
        }
        a.delayNextRequest();
        s.sleep(s.lease().multipliedBy(3).dividedBy(2));
        s.check(losses.isEmpty(), "while the renewal of %s hung, others were lost: %s", hanging, losses);
        for (Lease lease : others) {
            s.check(lease.isHeld(), "while the renewal of %s hung, this was lost: %s", hanging, Scene.show(lease));
        }
        a.mend();
    }

    @Test
    @Rule({"N6", "S5"})
    final void required_N6_hangingRenewalsDelayNoLossSignal(Scene s) throws Exception {
        Actor a = s.client("operation-timeout=5s", "close-timeout=0s").warm();
        List<Long> told = new CopyOnWriteArrayList<>();
        List<Lease> leases = new ArrayList<>();
        for (String x : s.names(24)) {
            Lease lease = a.granted(s.ask(x));
            lease.onLost(loss -> told.add(s.now()));
            leases.add(lease);
        }
        a.hold();
        long last = 0;
        for (Lease lease : leases) {
            last = Math.max(last, s.now() + lease.remaining().toNanos());
        }
        long end = last;
        s.log("the last promise ends in " + Scene.text(Duration.ofNanos(end - s.now())));
        s.sleep(Duration.ofNanos(end - s.now()));
        s.until("all are told of their loss", Scene.SLACK, () -> told.size() == leases.size());
    }
}

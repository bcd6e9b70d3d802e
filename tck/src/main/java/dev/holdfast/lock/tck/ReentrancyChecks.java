package dev.holdfast.lock.tck;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockRequest;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.Reentrancy;
import dev.holdfast.lock.ReleaseOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Owners, nesting, and the identity of acquisitions. */
abstract class ReentrancyChecks {
    ReentrancyChecks() {}

    private static void needsNesting(Scene s) {
        s.needs(s.effective().reentrancy() == Reentrancy.PER_OWNER, "reentrancy PER_OWNER");
    }

    private static void nests(Scene s, Lease outer, Lease inner) {
        s.same("the id of a nested lease", outer.id(), inner.id());
        s.same("the token of a nested lease", outer.findToken(), inner.findToken());
        s.check(
                inner.isHeld() && outer.isHeld(),
                "nested, and not held: %s in %s",
                Scene.show(inner),
                Scene.show(outer));
    }

    private static Lease nested(Scene s, Actor a, LockRequest request, Lease outer) throws InterruptedException {
        Lease inner = a.tryAcquire(request)
                .orElseThrow(() -> s.failure(
                        "the owner of %s asked for it again and was refused, although both requests ask for nesting",
                        Scene.show(outer)));
        nests(s, outer, inner);
        return inner;
    }

    @Test
    @Rule({"O1", "F2"})
    final void required_O1_sameOwnerNests(Scene s) throws Exception {
        needsNesting(s);
        Actor a = s.client();
        Actor b = s.client();
        for (Function<String, LockRequest> form : List.<Function<String, LockRequest>>of(
                x -> s.ask(x).reentrant(), x -> s.ask(x).owner("job 7"))) {
            String x = s.name();
            Lease outer = a.granted(form.apply(x));
            Lease inner = nested(s, a, form.apply(x), outer);
            Lease innermost = nested(s, a, form.apply(x).waitUpTo(Duration.ofSeconds(1)), outer);
            b.refused(form.apply(x), "A holds it: " + Scene.show(outer));
            a.releases(innermost);
            a.releases(inner);
            a.releases(outer);
        }
    }

    @Test
    @Rule("O1")
    final void required_O1_nestingAsksNoServer(Scene s) throws Exception {
        needsNesting(s);
        Actor a = s.client().warm();
        LockRequest request = s.askLong(s.name()).reentrant();
        Lease outer = a.granted(request);
        a.cut();
        Lease inner = nested(s, a, request, outer);
        s.same("the release of the inner lease without a server", ReleaseOutcome.RELEASED, a.release(inner));
        s.check(outer.isHeld(), "the release of the inner lease ended the outer one: %s", Scene.show(outer));
    }

    @Test
    @Rule("O2")
    final void required_O2_lastReleaseFrees(Scene s) throws Exception {
        needsNesting(s);
        Actor a = s.client();
        Actor b = s.client();
        for (List<Integer> order : List.of(List.of(0, 1, 2), List.of(2, 1, 0), List.of(1, 2, 0))) {
            LockRequest request = s.ask(s.name()).reentrant();
            List<Lease> leases = new ArrayList<>();
            leases.add(a.granted(request));
            leases.add(nested(s, a, request, leases.get(0)));
            leases.add(nested(s, a, request, leases.get(0)));
            for (int i : order) {
                b.refused(request, "A has not released all of its three nested leases; the order is " + order);
                a.releases(leases.get(i));
                s.same("a second release of the same share", ReleaseOutcome.NOT_HELD, a.release(leases.get(i)));
            }
            b.releases(b.granted(request));
        }
    }

    @Test
    @Rule("O3")
    final void required_O3_withoutAskingNothingNests(Scene s) throws Exception {
        Actor a = s.client();
        for (List<Boolean> asks : List.of(List.of(false, false), List.of(true, false), List.of(false, true))) {
            String x = s.name();
            Lease held = a.granted(asks.get(0) ? s.ask(x).reentrant() : s.ask(x));
            LockRequest again = asks.get(1) ? s.ask(x).reentrant() : s.ask(x);
            String why = "the same thread holds it, and not both requests ask for nesting: " + Scene.show(held);
            a.refused(again, why);
            a.refusedFor(Duration.ofMillis(60), again, why);
            a.releases(held);
        }
    }

    @Test
    @Rule("O4")
    final void required_O4_anotherOwnerDoesNotNest(Scene s) throws Exception {
        needsNesting(s);
        Actor a = s.client();
        String x = s.name();
        Lease outer = a.granted(s.ask(x).reentrant());
        s.start("another thread", () -> {
                    a.refused(s.ask(x).reentrant(), "another thread of the same client holds it: " + Scene.show(outer));
                    return null;
                })
                .get(Duration.ofSeconds(5));
        a.refused(s.ask(x).owner("somebody else"), "its owner is a thread: " + Scene.show(outer));
        a.releases(outer);
        Lease mine = a.granted(s.ask(x).owner("me"));
        a.refused(s.ask(x).owner("you"), "its owner is \"me\": " + Scene.show(mine));
        a.refused(s.ask(x).reentrant(), "its owner is \"me\": " + Scene.show(mine));
    }

    @Test
    @Rule("O5")
    final void required_O5_nothingNestsInALeaseThatIsNotHeld(Scene s) throws Exception {
        needsNesting(s);
        Actor a = s.client();
        LockRequest request = s.ask(s.name()).reentrant();
        Lease outer = a.granted(request.fixedLease(s.lease().dividedBy(2)));
        s.until("a fixed lease is over", s.lease(), () -> !outer.isHeld());
        Lease next = a.grantedWithin(s.handOff().plusMillis(20), request, "its earlier lease is over");
        s.check(
                !next.id().equals(outer.id()),
                "a request nested in a lease that is over: %s in %s",
                Scene.show(next),
                Scene.show(outer));
        a.releases(next);
    }

    @Test
    @Rule("O6")
    final void required_O6_nothingNestsIfNotOffered(Scene s) throws Exception {
        s.applies(s.effective().reentrancy() == Reentrancy.NONE, "reentrancy is PER_OWNER, see O1 to O5");
        Actor a = s.client();
        String x = s.name();
        Lease held = a.granted(s.ask(x).reentrant());
        a.refused(s.ask(x).reentrant(), "nesting is declared NONE: " + Scene.show(held));
        a.refusedFor(Duration.ofMillis(60), s.ask(x).reentrant(), "nesting is declared NONE: " + Scene.show(held));
        a.releases(held);
        Lease mine = a.granted(s.ask(x).owner("me"));
        a.refused(s.ask(x).owner("me"), "nesting is declared NONE: " + Scene.show(mine));
    }

    @Test
    @Rule({"O7", "W4"})
    final void required_O7_selfDeadlockExplainsItself(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        Lease held = a.granted(s.ask(s.name()));
        String own = timeout(s, a, held);
        s.check(
                own.contains("this very thread holds it"),
                "the message does not say that the thread holds it itself: %s",
                own);
        String foreign = timeout(s, b, held);
        s.check(
                !foreign.contains("this very thread"),
                "B's thread holds nothing by B, and its message says: %s",
                foreign);
    }

    private static String timeout(Scene s, Actor who, Lease held) throws InterruptedException {
        try {
            Lease wrong = who.locks().acquire(s.ask(held.name()).waitUpTo(Duration.ofMillis(30)));
            throw s.failure("%s acquired %s, which is held: %s", who, wrong, Scene.show(held));
        } catch (LockTimeoutException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    @Rule("O8")
    final void required_O8_everyAcquisitionHasItsOwnId(Scene s) throws Exception {
        Set<String> ids = Collections.synchronizedSet(new HashSet<>());
        List<Task<Object>> tasks = new ArrayList<>();
        int rounds = s.rounds(25, 500);
        for (Actor actor : List.of(s.client(), s.client(), s.client())) {
            String x = s.name();
            tasks.add(s.start(actor + " acquires again and again", () -> {
                for (int i = 0; i < rounds; i++) {
                    Lease lease = actor.granted(s.ask(x));
                    s.check(ids.add(lease.id()), "the id %s of %s was used before", lease.id(), lease);
                    s.check(lease.id().length() >= 16, "the id \"%s\" is too short not to be guessed", lease.id());
                    actor.releases(lease);
                }
                return actor;
            }));
        }
        for (Task<Object> task : tasks) {
            task.get(Duration.ofSeconds(60));
        }
    }
}

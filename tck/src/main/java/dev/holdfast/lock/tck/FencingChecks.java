package dev.holdfast.lock.tck;

import dev.holdfast.lock.Fault;
import dev.holdfast.lock.Fencing;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockRefusedException;
import dev.holdfast.lock.Reentrancy;
import dev.holdfast.lock.ReleaseOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Fencing tokens. */
abstract class FencingChecks {
    FencingChecks() {}

    private static void needsOrder(Scene s) {
        s.needs(s.effective().fencing().compareTo(Fencing.ORDERED) >= 0, "fencing ORDERED or DURABLE");
    }

    private static void needsTokens(Scene s) {
        s.needs(s.effective().fencing() != Fencing.NONE, "fencing");
    }

    private static void rises(Scene s, Lease before, Lease next, String how) {
        s.check(
                next.token() > before.token(),
                "%s was granted with token %d after a grant with token %d that ended by %s",
                next.name(),
                next.token(),
                before.token(),
                how);
    }

    @Test
    @Rule("F1")
    final void required_F1_tokensRiseWhoeverHoldsAndHoweverItEnds(Scene s) throws Exception {
        needsOrder(s);
        List<Actor> actors = List.of(s.client(), s.client(), s.client());
        String x = s.name();
        Lease before = actors.get(0).granted(s.ask(x));
        actors.get(0).releases(before);
        String how = "release";
        for (int i = 1; i < s.rounds(12, 100); i++) {
            Actor actor = actors.get(i % actors.size());
            boolean expires = i % 5 == 3;
            Lease next = actor.grantedWithin(
                    s.lease().plus(s.handOff()),
                    expires ? s.ask(x).fixedLease(s.lease().dividedBy(5)) : s.ask(x),
                    "it is free after its " + how);
            rises(s, before, next, how);
            if (!expires) {
                actor.releases(next);
            }
            how = expires ? "expiry" : "release";
            before = next;
        }
    }

    @Test
    @Rule("F1")
    final void required_F1_tokensRiseAcrossClients(Scene s) throws Exception {
        needsOrder(s);
        String x = s.name();
        Lease before = null;
        for (int i = 0; i < s.rounds(3, 20); i++) {
            Actor actor = s.client();
            Lease next = actor.granted(s.ask(x));
            if (before != null) {
                rises(s, before, next, "closing its client");
            }
            actor.close();
            before = next;
        }
    }

    @Test
    @Rule("F1")
    final void required_F1_tokensRiseAfterRevocation(Scene s) throws Exception {
        needsOrder(s);
        Actor a = s.client();
        Actor b = s.client();
        String x = s.name();
        Lease before = a.granted(s.ask(x));
        for (Actor next : List.of(b, a, b)) {
            s.revoke(x);
            Lease lease = next.grantedWithin(s.handOff(), s.ask(x), "it was revoked");
            rises(s, before, lease, "revocation");
            before = lease;
        }
    }

    @Test
    @Rule("F1")
    final void required_F1_tokensRiseInOrderOfGrantUnderContention(Scene s) throws Exception {
        needsOrder(s);
        String x = s.name();
        List<Long> tokens = new ArrayList<>();
        List<Task<Object>> tasks = new ArrayList<>();
        for (Actor actor : List.of(s.client(), s.client(), s.client())) {
            for (int thread = 0; thread < 2; thread++) {
                tasks.add(s.start("a worker of " + actor, () -> {
                    for (int i = 0; i < s.rounds(4, 50); i++) {
                        Lease lease = actor.grantedWithin(Duration.ofSeconds(30), s.ask(x), "nobody holds it for long");
                        synchronized (tokens) {
                            tokens.add(lease.token());
                        }
                        actor.releases(lease);
                    }
                    return actor;
                }));
            }
        }
        for (Task<Object> task : tasks) {
            task.get(Duration.ofSeconds(60));
        }
        for (int i = 1; i < tokens.size(); i++) {
            s.check(
                    tokens.get(i) > tokens.get(i - 1),
                    "grant number %d of %s had token %d, and the one before %d; all: %s",
                    i + 1,
                    x,
                    tokens.get(i),
                    tokens.get(i - 1),
                    tokens);
        }
    }

    @Test
    @Rule("F1")
    final void required_F1_tokensRisePastTheLimitsOfSmallerNumbers(Scene s) throws Exception {
        needsOrder(s);
        for (long limit : List.of(1L << 31, 1L << 32, 1L << 53)) {
            // Not in the name space of the other checks, whose clients would see tokens jump.
            String namespace = s.name();
            s.harness().setLastToken(namespace, limit - 3);
            s.log("the last token is set to " + (limit - 3));
            Actor a = s.client("namespace=" + namespace);
            String x = s.name();
            long before = limit - 3;
            for (int i = 0; i < 6; i++) {
                Lease lease = a.granted(s.ask(x));
                s.check(
                        lease.token() > before && lease.token() < limit + 1000,
                        "around %d a token of %d follows on %d",
                        limit,
                        lease.token(),
                        before);
                before = lease.token();
                a.releases(lease);
            }
        }
    }

    @Test
    @Rule("F1")
    final void required_F1_tokensRiseAcrossServerRestart(Scene s) throws Exception {
        s.needs(s.effective().tokenOrder().contains(Fault.SERVER_RESTART), "token order across SERVER_RESTART");
        Actor a = s.client("operation-timeout=2s");
        String x = s.name();
        Lease before = a.granted(s.ask(x));
        a.releases(before);
        s.restart();
        Actor b = s.client("operation-timeout=2s");
        Lease next = b.grantedWithin(Duration.ofSeconds(5), s.ask(x), "it was released before the restart");
        rises(s, before, next, "release, before the servers were killed and started again");
        b.releases(next);
        rises(s, next, a.grantedWithin(Duration.ofSeconds(5), s.ask(x), "it is free"), "release");
    }

    @Test
    @Rule("F2")
    final void required_F2_tokenIsPositiveAndConstant(Scene s) throws Exception {
        needsTokens(s);
        Actor a = s.client();
        String x = s.name();
        Lease held = a.granted(s.ask(x).owner("me"));
        long token = held.token();
        s.check(token > 0, "the token is %d", token);
        long from = s.now();
        while (s.since(from).compareTo(s.lease()) < 0) {
            s.sleep(s.lease().dividedBy(6));
            s.same("the token during renewals", token, held.token());
        }
        if (s.effective().reentrancy() == Reentrancy.PER_OWNER) {
            Lease nested = a.granted(s.ask(x).owner("me"));
            s.same("the token of a nested lease", token, nested.token());
            a.releases(nested);
        }
        a.releases(held);
        s.same("the token after the release", token, held.token());
    }

    @Test
    @Rule("F3")
    final void required_F3_noTokenIsNoNumber(Scene s) throws Exception {
        s.applies(s.effective().fencing() == Fencing.NONE, "there are tokens, see F1, F2 and F4");
        Lease held = s.client().granted(s.ask(s.name()));
        s.same("findToken()", OptionalLong.empty(), held.findToken());
        try {
            throw s.failure("fencing is NONE, and token() returned %d", held.token());
        } catch (IllegalStateException e) {
            s.log("token() throws: " + e.getMessage());
        }
    }

    @Test
    @Rule("F4")
    final void required_F4_tokensAreNeverRepeated(Scene s) throws Exception {
        needsTokens(s);
        Map<Long, Lease> seen = new HashMap<>();
        String x = s.name();
        for (Actor actor : List.of(s.client(), s.client())) {
            for (int i = 0; i < s.rounds(10, 100); i++) {
                Lease lease = actor.granted(s.ask(x));
                Lease before = seen.put(lease.token(), lease);
                s.check(before == null, "two grants of %s have the same token: %s and %s", x, before, lease);
                actor.releases(lease);
            }
        }
    }

    @Test
    @Rule({"F5", "X2"})
    final void required_F5_lostDataIsRefusedAndTheGrantGivenBack(Scene s) throws Exception {
        needsOrder(s);
        Actor a = s.client();
        String x = s.name();
        for (int i = 0; i < 5; i++) {
            a.releases(a.granted(s.ask(x)));
        }
        s.wipe();
        long from = s.now();
        try {
            Lease wrong = a.locks().acquire(s.askLong(x).waitUpTo(Duration.ofSeconds(10)));
            throw s.failure(
                    "the servers lost their data, and A was granted %s, with a token it has seen before", wrong);
        } catch (LockRefusedException e) {
            s.log("A is refused: " + e.getMessage());
            s.within("a refusal, which ends the wait at once", from, s.now(), Scene.SOON);
        }
        Actor b = s.client();
        Lease next = b.grantedWithin(
                s.handOff().plusMillis(500), s.ask(x), "A's grant was refused and has to be given back");
        s.same("its release", ReleaseOutcome.RELEASED, b.release(next));
        if (s.effective().fencing() == Fencing.DURABLE) {
            try {
                Lease wrong = a.locks().acquire(s.askLong(x));
                throw s.failure(
                        "tokens are said to be durable and went back, and A was granted %s all the same", wrong);
            } catch (LockRefusedException e) {
                s.log("A is refused again: " + e.getMessage());
            }
        } else {
            a.releases(a.grantedWithin(s.handOff(), s.ask(x), "one refusal has told that the servers forget"));
        }
    }

    @Test
    @Rule("F6")
    final void required_F6_failedAttemptsDoNotChangeTheToken(Scene s) throws Exception {
        needsTokens(s);
        Actor a = s.client();
        Actor b = s.client();
        String x = s.name();
        Lease held = a.granted(s.ask(x));
        long token = held.token();
        for (int i = 0; i < 5; i++) {
            b.refusedFor(Duration.ofMillis(i * 10L), s.ask(x), "A holds it: " + Scene.show(held));
            s.same("A's token after B's failed attempt", token, held.token());
        }
        s.sleep(s.lease().dividedBy(2));
        s.same("A's token after renewal", token, held.token());
        a.releases(held);
    }
}

package dev.holdfast.lock.tck;

import dev.holdfast.lock.Fault;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockRefusedException;
import dev.holdfast.lock.LockRequest;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Property;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Servers that do not answer, and what is left behind. */
abstract class ErrorsChecks {
    /** How long the background may take after an outage for what is due at once. */
    private static final Duration CLEANED = Duration.ofSeconds(2);

    ErrorsChecks() {}

    private static LockUnavailableException unavailable(Scene s, Actor who, LockRequest request, String why)
            throws InterruptedException {
        try {
            Optional<Lease> lease = who.tryAcquire(request);
            throw s.failure(
                    "%s was told that %s is %s, although %s",
                    who, request.name(), lease.isPresent() ? "its own: " + Scene.show(lease.get()) : "busy", why);
        } catch (LockUnavailableException e) {
            return e;
        } catch (LockException e) {
            throw s.failure("%s got %s and not LockUnavailableException, although %s", who, e, why);
        }
    }

    @Test
    @Rule("X1")
    final void required_X1_refusedConnectionsAreUnavailable(Scene s) throws Exception {
        Actor a = s.client().warm();
        a.cut();
        for (Duration wait : List.of(Duration.ZERO, Duration.ofMillis(300))) {
            long from = s.now();
            LockUnavailableException e =
                    unavailable(s, a, s.ask(s.name()).waitUpTo(wait), "it cannot reach any server");
            s.check(e.getMessage() != null && !e.getMessage().isEmpty(), "the exception has no message");
            s.notBefore("A was told", from, s.now(), wait);
            s.within(
                    "reporting servers that cannot be reached",
                    from,
                    s.now(),
                    (wait.isZero() ? s.operationTimeout() : wait).plus(Scene.SLACK));
        }
    }

    @Test
    @Rule({"X1", "W2", "P1"})
    final void required_X1_silentServersAreUnavailableInTime(Scene s) throws Exception {
        Actor a = s.client().warm();
        a.hold();
        for (Duration wait : List.of(
                Duration.ZERO, Duration.ofMillis(200), s.operationTimeout().multipliedBy(2))) {
            long from = s.now();
            unavailable(s, a, s.ask(s.name()).waitUpTo(wait), "no server answers it");
            s.notBefore("A was told", from, s.now(), wait);
            s.within(
                    "reporting servers that are silent, with a wait of " + Scene.text(wait),
                    from,
                    s.now(),
                    (wait.isZero() ? s.operationTimeout() : wait).plus(Scene.SLACK));
        }
    }

    @Test
    @Rule({"X1", "X5"})
    final void required_X1_pausedServersAreUnavailable(Scene s) throws Exception {
        Actor a = s.client().warm();
        String x = s.name();
        s.pause();
        unavailable(s, a, s.ask(x).waitUpTo(Duration.ofMillis(200)), "the servers are paused");
        s.resume();
        a.grantedWithin(CLEANED.plus(s.lease()), s.ask(x), "the servers go on");
    }

    @Test
    @Rule({"X1", "X5"})
    final void required_X5_sameClientWorksAfterAServerRestart(Scene s) throws Exception {
        Actor a = s.client("operation-timeout=2s").warm();
        s.kill();
        unavailable(s, a, s.ask(s.name()).waitUpTo(Duration.ofMillis(300)), "the servers are down");
        s.start();
        if (!s.effective().survives(Property.TOKEN_ORDER, Fault.SERVER_RESTART)) {
            // The first grant may be refused: its token tells that the servers have forgotten (F5).
            try {
                a.releases(a.locks().acquire(s.ask(s.name())));
            } catch (LockRefusedException e) {
                s.log("A is refused once: " + e.getMessage());
            }
        }
        a.releases(a.grantedWithin(Duration.ofSeconds(10), s.ask(s.name()), "the servers are up again"));
    }

    @Test
    @Rule("X2")
    final void required_X2_unavailableIsTriedAgainUntilTheLimit(Scene s) throws Exception {
        Actor a = s.client().warm();
        a.cut();
        Task<Lease> waiter = s.start(
                "A waits through an outage", () -> a.acquire(s.ask(s.name()).waitUpTo(Duration.ofSeconds(10))));
        s.sleep(Duration.ofMillis(400));
        s.check(!waiter.isDone(), "A gave up long before its limit of 10 s");
        a.mend();
        long mended = s.now();
        a.releases(waiter.get(Duration.ofSeconds(11)));
        s.within("trying again after the outage", mended, waiter.endedAt(), CLEANED);
    }

    @Test
    @Rule({"X2", "P3"})
    final void required_P3_repeatedAttemptFindsItsOwnMark(Scene s) throws Exception {
        Actor a = s.client().warm();
        Actor b = s.client();
        String x = s.name();
        a.dropNextReply();
        Lease held = a.grantedWithin(
                s.operationTimeout().multipliedBy(3).plusSeconds(2),
                s.askLong(x),
                "nobody but A itself has asked for it: its first request was carried out and only the answer lost");
        b.refused(s.ask(x), "A holds it: " + Scene.show(held));
        a.releases(held);
        b.releases(b.grantedWithin(s.handOff(), s.ask(x), "one release frees what was asked for twice"));
    }

    @Test
    @Rule({"X3", "P4"})
    final void required_X3_unclearAcquireHoldsNothing(Scene s) throws Exception {
        Actor a = s.client().warm();
        Actor b = s.client();
        String x = s.name();
        a.dropNextReply();
        unavailable(s, a, s.askLong(x), "the answer to its only request was lost");
        Lease next = b.grantedWithin(
                CLEANED, s.ask(x), "A's request has no known outcome, and whatever it did has to be undone");
        // Meanwhile A goes on undoing what its request may still do.
        s.sleep(s.lease());
        a.refused(s.ask(x), "B holds it, and what A undoes is its own: " + Scene.show(next));
        s.check(next.isHeld(), "B lost its lease while A undid an attempt of its own: %s", Scene.show(next));
        b.releases(next);
        a.releases(a.granted(s.ask(x)));
    }

    @Test
    @Rule({"X3", "W6"})
    final void required_X3_interruptedRequestHoldsNothing(Scene s) throws Exception {
        Actor a = s.client().warm();
        Actor b = s.client();
        String x = s.name();
        a.delay(Duration.ofMillis(60));
        Task<Object> caller = s.start("A's caller", () -> a.tryAcquire(s.askLong(x)));
        s.sleep(Duration.ofMillis(80));
        caller.interrupt();
        long from = s.now();
        caller.ends(s.operationTimeout().plus(Scene.SLACK));
        s.within("ending a request by an interrupt", from, caller.endedAt(), s.operationTimeout());
        a.mend();
        if (caller.failed()) {
            b.releases(b.grantedWithin(CLEANED, s.ask(x), "A's caller was interrupted and has no lease"));
        }
    }

    @Test
    @Rule({"X4", "X3", "P4"})
    final void required_X4_lateRequestHoldsNothingForLong(Scene s) throws Exception {
        Actor a = s.client().warm();
        Actor b = s.client();
        String x = s.name();
        a.delayNextRequest();
        unavailable(s, a, s.ask(x).lease(s.lease().multipliedBy(3)), "its only request was held up");
        a.deliver();
        long delivered = s.now();
        // It may win or lose against B; either way it must be gone soon.
        s.sleep(Duration.ofMillis(20));
        b.grantedWithin(
                s.lease().multipliedBy(3).plus(s.handOff()),
                s.ask(x),
                "A gave up before its request arrived, and nobody renews what that request got");
        s.within(
                "the life of what a late request got",
                delivered,
                s.now(),
                s.lease().multipliedBy(3).plus(s.handOff()));
    }

    @Test
    @Rule({"X4", "X3"})
    final void required_X4_lateRequestIsUndoneInTheBackground(Scene s) throws Exception {
        Actor a = s.client().warm();
        Actor b = s.client();
        String x = s.name();
        a.delayNextRequest();
        unavailable(s, a, s.askLong(x), "its only request was held up");
        // An owner-checked release has been answered by now; it proves nothing about a request that is still on its
        // way.
        s.sleep(Duration.ofMillis(700));
        a.deliver();
        s.sleep(Duration.ofMillis(20));
        b.grantedWithin(
                CLEANED,
                s.ask(x),
                "A gave up before its request arrived; one release proves nothing, and it has to be repeated until the lease of that request has passed");
    }

    @Test
    @Rule("X5")
    final void required_X5_sameClientWorksAfterAnOutage(Scene s) throws Exception {
        Actor a = s.client().warm();
        for (int i = 0; i < s.rounds(2, 10); i++) {
            if (i % 2 == 0) {
                a.cut();
            } else {
                a.hold();
            }
            unavailable(s, a, s.ask(s.name()).waitUpTo(Duration.ofMillis(100)), "it cannot reach any server");
            a.mend();
            Lease lease = a.grantedWithin(CLEANED, s.ask(s.name()), "the outage is over");
            s.sleep(s.lease().dividedBy(2));
            s.check(lease.isHeld(), "after the outage this is not renewed: %s", Scene.show(lease));
            a.releases(lease);
        }
    }
}

package dev.holdfast.lock.tck;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.ReleaseOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Giving a hold back, in time, late, twice and in vain. */
abstract class ReleaseChecks {
    ReleaseChecks() {}

    @Test
    @Rule({"R1", "R2"})
    final void required_R1_releaseFreesOnlyItsOwnAcquisition(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        Actor c = s.client();
        String x = s.name();
        Lease held = a.granted(s.askLong(x));
        s.revoke(x);
        Lease next = b.grantedWithin(s.handOff(), s.ask(x), "A's hold was revoked");
        s.same("A's release of a hold that is B's by now", ReleaseOutcome.NOT_HELD, a.release(held));
        c.refused(s.ask(x), "B holds it, and only A has released: " + Scene.show(next));
        s.sleep(s.lease().dividedBy(2));
        s.check(next.isHeld(), "B lost its lease when A released: %s", Scene.show(next));
        b.releases(next);
    }

    @Test
    @Rule({"R1", "R3"})
    final void required_R1_marksAreOfTheAcquisitionAndNotOfTheClient(Scene s) throws Exception {
        Actor a = s.client().warm();
        Actor c = s.client();
        String x = s.name();
        Lease first = a.granted(s.askLong(x));
        unanswered(s, a, first);
        s.revoke(x);
        a.mend();
        Lease second = a.grantedWithin(s.handOff(), s.ask(x), "its first hold was released, and revoked");
        // Meanwhile A repeats the release of its first hold in the background.
        s.sleep(s.lease().multipliedBy(2).dividedBy(3));
        c.refused(s.ask(x), "A holds it by its second acquisition, and has released the first: " + Scene.show(second));
        s.check(second.isHeld(), "the release of the first hold ended the second: %s", Scene.show(second));
        a.releases(second);
    }

    /** A release that does not get through; when it is mended, another that is repeated in the background follows. */
    private static void unanswered(Scene s, Actor a, Lease held) throws InterruptedException {
        a.cut();
        s.same("a release without a server", ReleaseOutcome.UNKNOWN, a.release(held));
        s.sleep(Duration.ofMillis(120));
    }

    @Test
    @Rule("R2")
    final void required_R2_repeatedReleaseChangesNothing(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        Actor c = s.client();
        String x = s.name();
        Lease held = a.granted(s.ask(x));
        a.releases(held);
        s.same("a second release", ReleaseOutcome.NOT_HELD, a.release(held));
        Lease next = b.granted(s.ask(x));
        s.same("a third release", ReleaseOutcome.NOT_HELD, a.release(held));
        held.close();
        c.refused(s.ask(x), "B holds it, and A's release is an old one: " + Scene.show(next));
        s.check(next.isHeld(), "B lost its lease by A's repeated release: %s", Scene.show(next));
    }

    @Test
    @Rule({"R2", "R3"})
    final void required_R2_resentReleaseHurtsNobody(Scene s) throws Exception {
        Actor a = s.client().warm();
        Actor b = s.client();
        Actor c = s.client();
        String x = s.name();
        Lease held = a.granted(s.askLong(x));
        unanswered(s, a, held);
        s.revoke(x);
        Lease next = b.grantedWithin(s.handOff(), s.ask(x), "A released it, and it was revoked");
        a.mend();
        // Meanwhile A repeats its release in the background.
        s.sleep(s.lease().multipliedBy(2).dividedBy(3));
        c.refused(s.ask(x), "B holds it, and A's release is one of its own earlier hold: " + Scene.show(next));
        s.check(next.isHeld(), "B lost its lease by A's repeated release: %s", Scene.show(next));
    }

    @Test
    @Rule("R3")
    final void required_R3_lostAnswerIsUnknownAndTheNameIsFree(Scene s) throws Exception {
        Actor a = s.client().warm();
        Actor b = s.client();
        String x = s.name();
        Lease held = a.granted(s.askLong(x));
        a.dropNextReply();
        s.same("a release whose answer is lost", ReleaseOutcome.UNKNOWN, a.release(held));
        b.releases(b.grantedWithin(s.handOff(), s.ask(x), "A's release was carried out; only its answer was lost"));
    }

    @Test
    @Rule("R3")
    final void required_R3_unansweredReleaseIsRepeated(Scene s) throws Exception {
        Actor a = s.client().warm();
        Actor b = s.client();
        String x = s.name();
        Lease held = a.granted(s.askLong(x));
        a.cut();
        long from = s.now();
        s.same("a release without a server", ReleaseOutcome.UNKNOWN, a.release(held));
        s.within(
                "a release without a server",
                from,
                s.now(),
                s.operationTimeout().multipliedBy(2).plus(Scene.SLACK));
        a.mend();
        b.grantedWithin(
                Duration.ofSeconds(2).plus(s.handOff()),
                s.ask(x),
                "A released it, is connected again, and has to repeat the release until it is confirmed");
    }

    @Test
    @Rule({"R4", "R3"})
    final void required_R4_closeThrowsNothingAndTheBodysExceptionWins(Scene s) throws Exception {
        Actor a = s.client().warm();
        String x = s.name();
        Lease held = a.granted(s.ask(x).fixedLease(Duration.ofMillis(1)));
        s.until("a short lease is over", Duration.ofSeconds(5), () -> !held.isHeld());
        try {
            held.close();
        } catch (IllegalStateException | LockException e) {
            throw s.failure("closing a lease that was lost threw %s", e);
        }
        IllegalStateException own = new IllegalStateException("the body's own");
        try {
            a.locks().run(s.ask(s.name()), lease -> {
                a.cut();
                throw own;
            });
        } catch (IllegalStateException e) {
            s.check(Objects.equals(e, own), "the body's exception was replaced by %s", e);
            return;
        } catch (LockException e) {
            throw s.failure("the body's exception was hidden by that of the release: %s", e);
        }
        throw s.failure("the body's exception was swallowed");
    }

    @Test
    @Rule("R5")
    final void required_R5_releaseWorksOnAnInterruptedThread(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        s.start("an interrupted holder", () -> {
                    for (String x : s.names(s.rounds(10, 500))) {
                        Lease held = a.granted(s.askLong(x));
                        Thread.currentThread().interrupt();
                        ReleaseOutcome outcome = a.release(held);
                        s.check(Thread.interrupted(), "the release took the thread's interrupt flag");
                        s.same("a release on an interrupted thread", ReleaseOutcome.RELEASED, outcome);
                        b.releases(b.granted(s.ask(x)));
                    }
                    return null;
                })
                .get(Duration.ofSeconds(60));
    }

    @Test
    @Rule({"R6", "R3"})
    final void required_R6_sameClientCanAcquireAfterAFailedRelease(Scene s) throws Exception {
        Actor a = s.client().warm();
        String x = s.name();
        Lease held = a.granted(s.askLong(x));
        a.cut();
        s.same("a release without a server", ReleaseOutcome.UNKNOWN, a.release(held));
        a.mend();
        a.grantedWithin(
                Duration.ofSeconds(2).plus(s.handOff()),
                s.ask(x),
                "it released it, and only the server's confirmation was missing");
    }

    @Test
    @Rule("R6")
    final void required_R6_sameClientCanAcquireAfterALoss(Scene s) throws Exception {
        Actor a = s.client();
        String x = s.name();
        Lease held = a.granted(s.ask(x).fixedLease(s.lease().dividedBy(2)));
        s.until("a fixed lease is over", s.lease(), () -> !held.isHeld());
        Lease again = a.grantedWithin(s.handOff().plusMillis(20), s.ask(x), "its earlier lease is over");
        s.same("the release of the lost one", ReleaseOutcome.NOT_HELD, a.release(held));
        a.releases(again);
    }

    @Test
    @Rule("R7")
    final void required_R7_anyThreadCanRelease(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        for (String x : s.names(3)) {
            Lease held = a.granted(s.ask(x));
            s.start("another thread", () -> {
                        a.releases(held);
                        return null;
                    })
                    .get(Duration.ofSeconds(5));
            for (Actor next : List.of(b, a)) {
                next.releases(next.granted(s.ask(x)));
            }
        }
    }
}

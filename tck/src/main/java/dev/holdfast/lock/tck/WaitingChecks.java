package dev.holdfast.lock.tck;

import dev.holdfast.lock.Fairness;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockRequest;
import dev.holdfast.lock.LockTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Waits, their limits, and their end. */
abstract class WaitingChecks {
    private static final Duration LONG = Duration.ofSeconds(30);

    WaitingChecks() {}

    @Test
    @Rule("W1")
    final void required_W1_zeroWaitMakesOneAttempt(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        String x = s.name();
        for (int i = 0; i < s.rounds(20, 1000); i++) {
            a.releases(a.granted(s.ask(x).waitUpTo(Duration.ZERO)));
        }
        Lease held = a.granted(s.ask(x));
        long from = s.now();
        b.refused(s.ask(x).waitUpTo(Duration.ZERO), "A holds it: " + Scene.show(held));
        s.within("a wait of zero for a busy name", from, s.now(), Scene.SLACK);
    }

    @Test
    @Rule("W1")
    final void required_W1_latencyDoesNotCountAgainstZeroWait(Scene s) throws Exception {
        Actor a = s.client().warm();
        a.delay(Duration.ofMillis(50));
        Lease held = a.granted(s.ask(s.name()).waitUpTo(Duration.ZERO));
        s.check(held.isHeld(), "granted over a slow link, and not held: %s", Scene.show(held));
        a.mend();
    }

    @Test
    @Rule("W2")
    final void required_W2_busyNotBeforeTheLimitAndSoonAfter(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        Lease held = a.granted(s.askLong(s.name()));
        for (int millis : List.of(1, 60, 400, 1400)) {
            Duration limit = Duration.ofMillis(millis);
            long from = s.now();
            b.refused(s.ask(held.name()).waitUpTo(limit), "A holds it: " + Scene.show(held));
            long to = s.now();
            s.notBefore("B gave up", from, to, limit);
            s.within("B's wait of " + Scene.text(limit), from, to, limit.plus(Scene.SLACK));
        }
    }

    @Test
    @Rule("W2")
    final void required_W2_waitersInOneClientEachKeepTheirLimit(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        Lease held = a.granted(s.askLong(s.name()));
        List<Task<Object>> tasks = new ArrayList<>();
        for (int millis : List.of(600, 500, 250, 120, 40)) {
            tasks.add(s.start("B waits " + millis + " ms", () -> {
                Duration limit = Duration.ofMillis(millis);
                long from = s.now();
                b.refused(s.ask(held.name()).waitUpTo(limit), "A holds it: " + Scene.show(held));
                long to = s.now();
                s.notBefore("B gave up", from, to, limit);
                s.within("B's wait of " + Scene.text(limit), from, to, limit.plus(Scene.SLACK));
                return "ended";
            }));
        }
        for (Task<Object> task : tasks) {
            task.get(Duration.ofSeconds(5));
        }
    }

    @Test
    @Rule({"W3", "L5"})
    final void required_W3_negativeWaitIsRefused(Scene s) throws Exception {
        LockRequest request = s.ask(s.name());
        for (Duration wait : List.of(Duration.ofNanos(-1), Duration.ofSeconds(-5))) {
            try {
                throw s.failure("a wait of %s was accepted: %s", wait, request.waitUpTo(wait));
            } catch (IllegalArgumentException e) {
                s.log("a wait of " + wait + " is refused: " + e.getMessage());
            }
        }
    }

    @Test
    @Rule("W4")
    final void required_W4_acquireReportsBusyAsTimeout(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        Lease held = a.granted(s.ask(s.name()));
        try {
            Lease wrong = b.locks().acquire(s.ask(held.name()).waitUpTo(Duration.ofMillis(50)));
            throw s.failure("B acquired %s, and A holds it: %s", wrong, Scene.show(held));
        } catch (LockTimeoutException e) {
            String message = String.valueOf(e.getMessage());
            s.check(message.contains(held.name()), "the message does not name the lock: %s", message);
        }
        Optional<Lease> empty = b.tryAcquire(s.ask(held.name()).waitUpTo(Duration.ofMillis(50)));
        s.check(empty.isEmpty(), "B acquired %s, and A holds it: %s", empty, Scene.show(held));
    }

    @Test
    @Rule("W5")
    final void required_W5_grantedSoonAfterRelease(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        String x = s.name();
        for (int i = 0; i < s.rounds(8, 200); i++) {
            Actor holder = i % 2 == 0 ? a : b;
            Lease held = a.granted(s.askLong(x));
            Task<Lease> waiter =
                    s.start(holder + " waits", () -> holder.grantedWithin(LONG, s.ask(x), "A released it"));
            // Around the moment at which the waiter asks, subscribes or queues: a wake-up that is lost there is the
            // classic one.
            s.sleep(Duration.ofNanos(i % 4 == 3 ? 60_000_000 : i * 700_000L));
            a.releases(held);
            long freed = s.now();
            Lease got = waiter.get(LONG);
            s.within("granting the name after its release", freed, waiter.endedAt(), s.handOff());
            holder.releases(got);
        }
    }

    @Test
    @Rule({"W5", "L8"})
    final void required_W5_grantedSoonAfterTheLeaseEnds(Scene s) throws Exception {
        Actor a = s.client().warm();
        Actor b = s.client();
        Actor c = s.client();
        List<Task<Lease>> waiters = new ArrayList<>();
        for (String x : s.names(6)) {
            Actor waiter = waiters.size() % 2 == 0 ? b : c;
            Lease held = a.granted(s.ask(x));
            s.log("A is about to be cut off, holding " + Scene.show(held));
            waiters.add(s.start(
                    waiter + " waits for " + x,
                    () -> waiter.grantedWithin(LONG, s.ask(x), "its holder A was cut off for longer than its lease")));
        }
        s.sleep(Duration.ofMillis(20));
        a.hold();
        long gone = s.now();
        for (Task<Lease> waiter : waiters) {
            waiter.get(s.lease().multipliedBy(3));
            s.within(
                    "granting the name after its holder was cut off",
                    gone,
                    waiter.endedAt(),
                    s.lease().plus(s.handOff()));
        }
    }

    @Test
    @Rule({"W6", "W8"})
    final void required_W6_interruptedWaiterEndsAndLeavesNothing(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        Actor c = s.client();
        for (int i = 0; i < s.rounds(4, 100); i++) {
            String x = s.name();
            Lease held = a.granted(s.askLong(x));
            Task<Object> first =
                    s.start("B's first waiter", () -> b.tryAcquire(s.ask(x).waitUpTo(LONG)));
            s.sleep(Duration.ofNanos(20_000_000L + i * 1_300_000L));
            Task<Object> second =
                    s.start("B's second waiter", () -> b.tryAcquire(s.ask(x).waitUpTo(LONG)));
            s.sleep(Duration.ofMillis(10));
            for (Task<Object> waiter : i % 2 == 0 ? List.of(first, second) : List.of(second, first)) {
                long from = s.now();
                waiter.interrupt();
                Throwable thrown = waiter.thrown(Duration.ofSeconds(5));
                s.check(
                        thrown instanceof InterruptedException,
                        "an interrupted waiter ended with %s and not with InterruptedException",
                        thrown);
                s.within("ending a wait by an interrupt", from, waiter.endedAt(), Scene.SLACK);
            }
            a.releases(held);
            c.releases(c.grantedWithin(s.handOff(), s.ask(x), "A released it and both waiters of B were interrupted"));
        }
    }

    @Test
    @Rule("W7")
    final void required_W7_interruptedCallerMakesNoAttempt(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        String x = s.name();
        s.start("an interrupted thread", () -> {
                    for (Duration wait : List.of(Duration.ZERO, LONG)) {
                        Thread.currentThread().interrupt();
                        long from = s.now();
                        try {
                            throw s.failure(
                                    "an interrupted thread was granted: %s",
                                    a.locks().tryAcquire(s.ask(x).waitUpTo(wait)));
                        } catch (InterruptedException e) {
                            s.check(
                                    !Thread.currentThread().isInterrupted(),
                                    "InterruptedException was thrown and the flag is still set");
                        }
                        s.within("refusing an interrupted caller", from, s.now(), Scene.SLACK);
                    }
                    return null;
                })
                .get(Duration.ofSeconds(5));
        b.releases(b.granted(s.ask(x)));
    }

    @Test
    @Rule("W8")
    final void required_W8_waiterThatGivesUpDoesNotBlockThoseBehind(Scene s) throws Exception {
        Actor a = s.client();
        Actor quitting = s.client();
        Actor both = s.client();
        Actor last = s.client();
        String x = s.name();
        Lease held = a.granted(s.askLong(x));
        // One that leaves nobody of its client behind, one whose client has another waiter, and one at the end of the
        // queue.
        List<Task<Optional<Lease>>> quitters = new ArrayList<>();
        quitters.add(s.start(
                quitting + " waits 150 ms", () -> quitting.tryAcquire(s.ask(x).waitUpTo(Duration.ofMillis(150)))));
        s.sleep(Duration.ofMillis(20));
        quitters.add(
                s.start(both + " waits 150 ms", () -> both.tryAcquire(s.ask(x).waitUpTo(Duration.ofMillis(150)))));
        s.sleep(Duration.ofMillis(20));
        Task<Lease> behind =
                s.start(both + "'s next waiter", () -> both.grantedWithin(LONG, s.ask(x), "it is its turn"));
        s.sleep(Duration.ofMillis(20));
        Task<Lease> end = s.start(last + " waits", () -> last.grantedWithin(LONG, s.ask(x), "it is its turn"));
        s.sleep(Duration.ofMillis(20));
        quitters.add(s.start(
                quitting + " waits again", () -> quitting.tryAcquire(s.ask(x).waitUpTo(Duration.ofMillis(50)))));
        for (Task<Optional<Lease>> quitter : quitters) {
            s.check(
                    quitter.get(Duration.ofSeconds(2)).isEmpty(),
                    "a waiter was granted %s while A held it: %s",
                    x,
                    Scene.show(held));
        }
        s.sleep(Duration.ofMillis(50));
        a.releases(held);
        s.until(
                "one of the waiters behind those who gave up is granted",
                s.handOff(),
                () -> behind.isDone() || end.isDone());
        boolean behindFirst = behind.isDone();
        (behindFirst ? both : last).releases((behindFirst ? behind : end).get(LONG));
        (behindFirst ? last : both).releases((behindFirst ? end : behind).get(s.handOff()));
    }

    @Test
    @Rule("W9")
    final void required_W9_servedInOrderOfArrival(Scene s) throws Exception {
        s.needs(s.effective().fairness() == Fairness.FIFO, "fairness FIFO");
        String x = s.name();
        Actor holder = s.client();
        List<Actor> clients = List.of(s.client(), s.client(), s.client());
        Lease held = holder.granted(s.askLong(x));
        List<String> served = new CopyOnWriteArrayList<>();
        List<Task<Object>> waiters = new ArrayList<>();
        for (int turn = 1; turn <= 3; turn++) {
            for (Actor client : clients) {
                String who = client + "" + turn;
                waiters.add(s.start(who, () -> {
                    Lease lease = client.grantedWithin(LONG, s.askLong(x), "it is its turn");
                    served.add(who);
                    s.sleep(Duration.ofMillis(3));
                    client.releases(lease);
                    return who;
                }));
                s.sleep(Duration.ofMillis(40));
            }
        }
        holder.releases(held);
        for (Task<Object> waiter : waiters) {
            waiter.get(LONG);
        }
        s.same("the order of the clients' first waiters", List.of("B1", "C1", "D1"), served.subList(0, 3));
        for (Actor client : clients) {
            s.same(
                    "the order of " + client + "'s waiters",
                    List.of(client + "1", client + "2", client + "3"),
                    served.stream().filter(w -> w.startsWith(client.toString())).toList());
        }
    }

    @Test
    @Rule("W10")
    final void required_W10_oppositeOrderEndsWithinTheLimits(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        String x = s.name();
        String y = s.name();
        Lease ax = a.granted(s.ask(x));
        Lease by = b.granted(s.ask(y));
        Duration limit = Duration.ofMillis(600);
        long from = s.now();
        Task<Optional<Lease>> one =
                s.start("A wants " + y, () -> a.tryAcquire(s.ask(y).waitUpTo(limit)));
        Task<Optional<Lease>> two =
                s.start("B wants " + x, () -> b.tryAcquire(s.ask(x).waitUpTo(limit)));
        s.check(
                one.get(limit.multipliedBy(10)).isEmpty()
                        && two.get(limit.multipliedBy(10)).isEmpty(),
                "one of two clients in deadlock was granted what the other holds: %s, %s",
                ax,
                by);
        s.within("A's wait in a deadlock", from, one.endedAt(), limit.plus(Scene.SLACK));
        s.within("B's wait in a deadlock", from, two.endedAt(), limit.plus(Scene.SLACK));
        a.releases(ax);
        b.releases(b.granted(s.ask(x)));
        b.releases(by);
        a.releases(a.granted(s.ask(y)));
    }
}

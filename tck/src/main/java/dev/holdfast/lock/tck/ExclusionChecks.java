package dev.holdfast.lock.tck;

import dev.holdfast.lock.Fault;
import dev.holdfast.lock.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Nobody else is granted while a promise runs. */
abstract class ExclusionChecks {
    ExclusionChecks() {}

    @Test
    @Rule("E1")
    final void required_E1_secondClientIsRefused(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        String x = s.name();
        Lease held = a.granted(s.ask(x));
        b.refused(s.ask(x), "A holds it: " + Scene.show(held));
        b.refusedFor(s.lease().dividedBy(2), s.ask(x), "A holds it: " + Scene.show(held));
        s.check(held.isHeld(), "A's own lease should have been held all along: %s", Scene.show(held));
    }

    @Test
    @Rule({"E1", "E2"})
    final void required_E1_contendersWhoAskAtOnceAreGrantedOneByOne(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        for (String x : s.names(s.rounds(5, 40))) {
            AtomicReference<Lease> holder = new AtomicReference<>();
            List<String> overlaps = new CopyOnWriteArrayList<>();
            List<Task<Lease>> tasks = new ArrayList<>();
            for (Actor actor : List.of(a, b, a, b)) {
                tasks.add(s.start(actor + " takes " + x, () -> {
                    Lease lease = actor.grantedWithin(Duration.ofSeconds(10), s.ask(x), "each holds it for 1 ms only");
                    Lease other = holder.getAndSet(lease);
                    if (other != null && other.isHeld()) {
                        overlaps.add(lease + " while " + other);
                    }
                    s.sleep(Duration.ofMillis(1));
                    holder.compareAndSet(lease, null);
                    actor.release(lease);
                    return lease;
                }));
            }
            for (Task<Lease> task : tasks) {
                task.get(Duration.ofSeconds(15));
            }
            s.check(overlaps.isEmpty(), "two hold %s at once: %s", x, overlaps);
        }
    }

    @Test
    @Rule({"E1", "L1"})
    final void required_E1_heldAcrossServerRestart(Scene s) throws Exception {
        s.needs(s.effective().exclusion().contains(Fault.SERVER_RESTART), "exclusion across SERVER_RESTART");
        Actor a = s.client("operation-timeout=2s");
        Actor b = s.client("operation-timeout=2s");
        String x = s.name();
        Lease held = a.granted(s.ask(x).fixedLease(Duration.ofSeconds(10)));
        s.restart();
        Actor c = s.client("operation-timeout=2s");
        String why = "A's promise, given before the restart, still runs: " + Scene.show(held);
        s.check(held.isHeld(), "the restart took too long for this check: %s", Scene.show(held));
        c.refused(s.ask(x), why);
        b.refusedFor(Duration.ofMillis(600), s.ask(x), why);
    }

    @Test
    @Rule("E2")
    final void required_E2_secondCallerOfTheSameClientIsRefused(Scene s) throws Exception {
        Actor a = s.client();
        String x = s.name();
        Lease held = a.granted(s.ask(x));
        a.refused(s.ask(x), "the same client, and the same thread, holds it without nesting: " + Scene.show(held));
        s.start("another thread of A", () -> {
                    a.refused(s.ask(x), "another thread of the same client holds it: " + Scene.show(held));
                    a.refusedFor(
                            Duration.ofMillis(100),
                            s.ask(x),
                            "another thread of the same client holds it: " + Scene.show(held));
                    return null;
                })
                .get(Duration.ofSeconds(5));
    }

    @Test
    @Rule("E3")
    final void required_E3_freeForEveryClientAfterRelease(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        String x = s.name();
        for (Actor next : List.of(a, b, b, a)) {
            next.releases(next.granted(s.ask(x)));
        }
    }

    @Test
    @Rule("E4")
    final void required_E4_differentNamesDoNotExclude(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        Lease x = a.granted(s.ask(s.name()));
        Lease y = a.granted(s.ask(s.name()));
        Lease z = b.granted(s.ask(s.name()));
        a.releases(x);
        b.refused(s.ask(y.name()), "A released another name only");
        a.refused(s.ask(z.name()), "A released another name only");
        a.releases(y);
        b.releases(z);
    }

    @Test
    @Rule("E5")
    final void required_E5_counterLosesNoUpdate(Scene s) throws Exception {
        int rounds = s.rounds(4, 60);
        String x = s.name();
        AtomicInteger counter = new AtomicInteger();
        AtomicInteger inside = new AtomicInteger();
        List<Task<Integer>> tasks = new ArrayList<>();
        for (int client = 0; client < 3; client++) {
            Actor actor = s.client();
            for (int thread = 0; thread < 4; thread++) {
                tasks.add(s.start("a worker of " + actor, () -> {
                    for (int i = 0; i < rounds; i++) {
                        Lease lease = actor.grantedWithin(
                                Duration.ofSeconds(60), s.ask(x), "nobody holds it for longer than a moment");
                        int now = inside.incrementAndGet();
                        s.check(
                                now == 1,
                                "%d callers are inside the lock %s at once; one of them is %s",
                                now,
                                x,
                                lease);
                        int value = counter.get();
                        s.sleep(Duration.ofNanos(500_000));
                        counter.set(value + 1);
                        inside.decrementAndGet();
                        actor.releases(lease);
                    }
                    return rounds;
                }));
            }
        }
        for (Task<Integer> task : tasks) {
            task.get(Duration.ofSeconds(90));
        }
        s.same(
                "the counter after " + tasks.size() + " times " + rounds + " updates",
                tasks.size() * rounds,
                counter.get());
    }
}

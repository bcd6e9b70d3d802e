package dev.holdfast.lock.tck;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockRequest;
import dev.holdfast.lock.LockUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Closing, and what is left. */
abstract class LifecycleChecks {
    /** What the JVM, the test runner and container tools start at any time. */
    private static final List<String> FOREIGN = List.of(
            "tck-",
            "surefire",
            "junit",
            "ForkJoinPool",
            "Common-Cleaner",
            "process reaper",
            "ducttape",
            "testcontainers",
            "docker",
            "Attach Listener",
            "Keep-Alive",
            "link-",
            "HttpClient",
            "httpclient",
            "jna",
            "ForkedBooter");

    LifecycleChecks() {}

    @Test
    @Rule("C1")
    final void required_C1_closingEndsWaiters(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        Actor c = s.client();
        String x = s.name();
        Lease held = a.granted(s.askLong(x));
        List<Task<Object>> waiters = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int number = i;
            waiters.add(s.start(
                    "B's waiter " + i,
                    () -> number % 2 == 0
                            ? b.tryAcquire(s.ask(x).waitUpTo(Duration.ofSeconds(60)))
                            : b.locks().acquire(s.ask(x).waitForever())));
            s.sleep(Duration.ofMillis(10));
        }
        s.sleep(Duration.ofMillis(50));
        long from = s.now();
        b.close();
        for (Task<Object> waiter : waiters) {
            Throwable thrown = waiter.thrown(Duration.ofSeconds(5));
            s.check(
                    thrown instanceof IllegalStateException,
                    "a waiter of a closed client ended with %s and not with IllegalStateException",
                    thrown);
            s.within("ending the waiters of a closed client", from, waiter.endedAt(), Scene.SLACK);
        }
        a.releases(held);
        c.releases(c.grantedWithin(s.handOff(), s.ask(x), "A released it and B is closed"));
    }

    @Test
    @Rule("C2")
    final void required_C2_closingReleasesWhatIsHeld(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        List<Lease> leases = new ArrayList<>();
        for (String x : s.names(s.rounds(20, 200))) {
            leases.add(a.granted(s.askLong(x)));
        }
        a.close();
        for (Lease lease : leases) {
            s.same("the state of a lease of a closed client", LeaseState.RELEASED, lease.state());
            b.releases(b.granted(s.ask(lease.name())));
        }
    }

    @Test
    @Rule("C2")
    final void required_C2_closingIsBoundedWithoutServers(Scene s) throws Exception {
        Actor a = s.client("close-timeout=600ms", "operation-timeout=5s").warm();
        for (String x : s.names(40)) {
            s.check(a.granted(s.askLong(x)).isHeld(), "not held: %s", x);
        }
        a.hold();
        long from = s.now();
        s.start("A closes", () -> {
                    a.close();
                    return null;
                })
                .get(Duration.ofSeconds(30));
        s.within(
                "closing with a close time-out of 600 ms",
                from,
                s.now(),
                Duration.ofMillis(600).plus(Scene.SLACK));
    }

    @Test
    @Rule("C3")
    final void required_C3_closingTwiceIsHarmless(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        String x = s.name();
        Lease held = a.granted(s.ask(x));
        a.close();
        Lease next = b.granted(s.ask(x));
        a.close();
        held.close();
        a.close();
        s.check(next.isHeld(), "B lost its lease when A was closed again: %s", Scene.show(next));
        s.client().refused(s.ask(x), "B holds it, and A was closed before: " + Scene.show(next));
    }

    @Test
    @Rule("C4")
    final void required_C4_closedClientRefusesEveryCall(Scene s) throws Exception {
        Actor a = s.client();
        Lease held = a.granted(s.ask(s.name()));
        LockClient locks = a.locks();
        a.close();
        LockRequest request = s.ask(s.name());
        List<Callable<Object>> calls = List.of(
                () -> locks.tryAcquire(request),
                () -> locks.tryAcquire(request.waitUpTo(Duration.ofSeconds(5))),
                () -> locks.acquire(request),
                () -> locks.acquire(s.ask(held.name()).reentrant()),
                () -> locks.call(request, lease -> lease));
        for (Callable<Object> call : calls) {
            long from = s.now();
            try {
                throw s.failure("a closed client answered %s", call.call());
            } catch (IllegalStateException e) {
                s.within("refusing a call on a closed client", from, s.now(), Scene.SLACK);
            }
        }
        s.same("the state of its lease", LeaseState.RELEASED, held.state());
        s.log("a release after closing: " + held.release());
    }

    @Test
    @Rule({"C5", "P5"})
    final void required_C5_noThreadIsLeft(Scene s) throws Exception {
        s.applies(!s.clock().isVirtual(), "threads belong to the clock on virtual time");
        busy(s, s.client());
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        for (int i = 0; i < 3; i++) {
            Actor a = s.client();
            busy(s, a);
            a.close();
        }
        try {
            s.until(
                    "the threads of closed clients end",
                    Duration.ofSeconds(8),
                    () -> fresh(before).isEmpty());
        } catch (AssertionError e) {
            throw s.failure(
                    "%s, and these live: %s",
                    e.getMessage(),
                    fresh(before).stream().map(Thread::getName).collect(Collectors.toCollection(TreeSet::new)));
        }
    }

    /** Lets a client do everything that might start a thread. */
    private static void busy(Scene s, Actor a) throws Exception {
        String x = s.name();
        Lease held = a.granted(s.ask(x));
        held.onLost(loss -> {});
        Task<Object> waiter = s.start("a waiter", () -> {
            a.releases(a.grantedWithin(Duration.ofSeconds(5), s.ask(x), "it is released"));
            return x;
        });
        s.sleep(s.lease().dividedBy(2));
        a.releases(held);
        waiter.get(Duration.ofSeconds(6));
    }

    private static Set<Thread> fresh(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(t -> !before.contains(t) && t.isAlive())
                .filter(t -> FOREIGN.stream().noneMatch(f -> t.getName().startsWith(f)))
                .collect(Collectors.toSet());
    }

    @Test
    @Rule("C5")
    final void required_C5_nothingIsLeftAtTheServers(Scene s) throws Exception {
        long before = s.harness().leftovers();
        Actor a = s.client();
        Actor b = s.client();
        List<Task<Object>> waiters = new ArrayList<>();
        for (String x : s.names(10)) {
            Lease held = a.granted(s.askLong(x));
            waiters.add(s.start(
                    "B waits for " + held.name(), () -> b.tryAcquire(s.ask(x).waitUpTo(Duration.ofSeconds(60)))));
        }
        s.sleep(Duration.ofMillis(50));
        b.close();
        a.close();
        for (Task<Object> waiter : waiters) {
            waiter.ends(Duration.ofSeconds(5));
        }
        long from = s.now();
        long left = s.harness().leftovers();
        while (left > before && s.since(from).compareTo(Duration.ofSeconds(3)) < 0) {
            s.sleep(Duration.ofMillis(20));
            left = s.harness().leftovers();
        }
        s.check(left <= before, "both clients are closed, and the servers have %d entries of them", left - before);
    }

    @Test
    @Rule("C5")
    final void required_C5_noConnectionIsLeft(Scene s) throws Exception {
        Actor a = s.client();
        int open = a.route().connections();
        busy(s, a);
        s.check(a.route().connections() > 0, "a client that works has no connection; %d before", open);
        a.close();
        s.until(
                "the connections of a closed client are closed",
                Duration.ofSeconds(3),
                () -> a.route().connections() == 0);
    }

    @Test
    @Rule("C6")
    final void required_C6_closingOneClientLeavesOthersAlone(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        Actor c = s.client();
        String x = s.name();
        Lease held = b.granted(s.ask(x));
        Task<Lease> waiter =
                s.start("C waits", () -> c.grantedWithin(Duration.ofSeconds(30), s.ask(x), "B released it"));
        Lease own = a.granted(s.ask(s.name()));
        s.sleep(Duration.ofMillis(30));
        a.close();
        s.same("the state of A's own lease", LeaseState.RELEASED, own.state());
        s.sleep(s.lease().multipliedBy(3).dividedBy(2));
        s.check(held.isHeld(), "B's lease is not renewed after A was closed: %s", Scene.show(held));
        s.check(!waiter.isDone(), "C's waiter ended when A was closed");
        b.releases(held);
        c.releases(waiter.get(s.handOff().plusSeconds(1)));
    }

    @Test
    @Rule("C7")
    final void required_C7_libraryThreadsAreDaemons(Scene s) throws Exception {
        s.applies(!s.clock().isVirtual(), "threads belong to the clock on virtual time");
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        Actor a = s.client();
        busy(s, a);
        Set<String> live = fresh(before).stream()
                .filter(t -> !t.isDaemon())
                .map(Thread::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        s.check(live.isEmpty(), "these threads keep a JVM from ending: %s", live);
    }

    @Test
    @Rule("C8")
    final void required_C8_idleNamesCostNoServerMemory(Scene s) throws Exception {
        long before = s.harness().leftovers();
        Actor a = s.client();
        Actor b = s.client();
        int rounds = s.rounds(100, 5000);
        for (String x : s.names(rounds)) {
            Lease held = a.granted(s.ask(x));
            if (rounds <= 100) {
                waitsInVain(b, s.ask(x).waitUpTo(Duration.ofMillis(1)));
            }
            a.releases(held);
        }
        long from = s.now();
        long left = s.harness().leftovers();
        while (left > before && s.since(from).compareTo(Duration.ofSeconds(3)) < 0) {
            s.sleep(Duration.ofMillis(20));
            left = s.harness().leftovers();
        }
        s.check(
                left <= before,
                "%d names were held and released, and the servers have %d entries of them",
                rounds,
                left - before);
    }

    /** Waits for a moment only; on a busy machine too short for the last answer, and here it is what a waiter leaves behind that counts. */
    private static void waitsInVain(Actor actor, LockRequest request) throws InterruptedException {
        try {
            if (actor.tryAcquire(request).isPresent()) {
                throw new AssertionError(actor + " was granted " + request.name() + ", which another client holds");
            }
        } catch (LockUnavailableException e) {
            // as good as busy for this check
        }
    }

    @Test
    @Rule("C8")
    final void required_C8_idleNamesCostNoClientMemory(Scene s) throws Exception {
        LockClient locks = s.client().locks();
        int names = s.rounds(800, 30_000);
        String tail = "-".repeat(990);
        use(s, locks, 200, "warm-up" + tail);
        // The middle one of several rounds: one may be disturbed by what the virtual machine does meanwhile.
        List<Long> grown = new ArrayList<>();
        long before = heap();
        for (int round = 0; round < 3; round++) {
            use(s, locks, names, tail);
            long now = heap();
            grown.add(now - before);
            before = now;
        }
        grown.sort(null);
        long most = 100_000 + names * 400L;
        s.check(
                grown.get(1) < most,
                "each time that %d names of 1000 characters were held and released, the heap has grown by %d bytes",
                names,
                grown.get(1));
    }

    private static void use(Scene s, LockClient locks, int count, String tail) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            String x = s.name() + tail;
            Lease lease = locks.tryAcquire(s.ask(x)).orElseThrow(() -> s.failure("a fresh name is busy: %s", x));
            lease.release();
        }
    }

    private static long heap() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 2; i++) {
            System.gc();
            least = Math.min(
                    least,
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return least;
    }
}

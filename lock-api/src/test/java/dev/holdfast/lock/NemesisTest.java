package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.holdfast.lock.memory.MemoryServer;
import dev.holdfast.lock.memory.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Several clients under random faults, on virtual time: promises never overlap, tokens rise, no fenced update is lost, each call is back within its
 * bound, each loss is told once, and nothing is left in the end. {@code -Dnemesis.seed=N} runs one seed, {@code -Dnemesis.seconds=N} runs for longer.
 */
class NemesisTest extends VirtualTimeTestBase {
    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void keepsItsPromisesUnderRandomFaults() throws Exception {
        Long seed = Long.getLong("nemesis.seed");
        if (seed != null) {
            run(seed);
            return;
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Integer.getInteger("nemesis.seconds", 5));
        Random seeds = new Random();
        int runs = 0;
        do {
            run(seeds.nextInt(Integer.MAX_VALUE));
            runs++;
        } while (System.nanoTime() - end < 0);
        assertThat(runs).isPositive();
        if (Integer.getInteger("nemesis.seconds") != null) {
            System.out.println(runs + " seeds");
        }
    }

    private static void run(long seed) throws Exception {
        Run run = new Run(seed);
        try {
            run.run();
        } catch (Throwable e) {
            run.violation("the run ended with " + e, e);
        }
        if (!run.violations.isEmpty()) {
            fail("-Dnemesis.seed=" + seed + " " + run.settings() + "\n" + String.join("\n", run.violations)
                    + (Boolean.getBoolean("nemesis.trace") ? "\n\n" + String.join("\n", run.trace) : ""));
        }
    }

    private static final class Run {
        private static final long OPERATION = ms(2000);
        private static final long CLOSE = ms(5000);
        private static final long SLACK = ms(250);
        private static final long LONGEST_LEASE = ms(6000);

        final Random random;
        final VirtualTime time = new VirtualTime();
        final boolean durable;
        final boolean loses;
        final boolean revokes;
        final int contenders;
        final int names;
        final boolean faults;
        final MemoryServer server;
        final List<Party> parties = new ArrayList<>();
        final Queue<String> violations = new ConcurrentLinkedQueue<>();
        final Queue<String> trace = new ConcurrentLinkedQueue<>();
        final List<Resource> resources = new ArrayList<>();

        Run(long seed) {
            random = new Random(seed);
            durable = random.nextInt(4) != 0;
            loses = !durable || random.nextInt(8) == 0;
            revokes = random.nextInt(4) == 0;
            contenders = 1 + random.nextInt(2);
            names = 1 + random.nextInt(2);
            faults = random.nextInt(8) != 0;
            server = durable ? MemoryServer.durable(time) : MemoryServer.create(time);
        }

        String settings() {
            return "durable %s, loses %s, revokes %s, contenders %d, names %d, faults %s, parties %s"
                    .formatted(durable, loses, revokes, contenders, names, faults, parties);
        }

        static long ms(long millis) {
            return Duration.ofMillis(millis).toNanos();
        }

        void note(String what) {
            trace.add("%,15d %s %s"
                    .formatted(time.nanoTime(), Thread.currentThread().getName(), what));
        }

        void violation(String what, Throwable... causes) {
            StringBuilder text = new StringBuilder("%,d: %s".formatted(time.nanoTime(), what));
            for (Throwable cause : causes) {
                for (StackTraceElement at : cause.getStackTrace()) {
                    if (at.getClassName().startsWith("dev.holdfast")) {
                        text.append("\n    ").append(at);
                    }
                }
            }
            note("VIOLATION " + what);
            violations.add(text.toString());
        }

        /** What is done under one lock. */
        static final class Resource {
            final String name;
            final FencedResource fence;
            final Set<Held> held = ConcurrentHashMap.newKeySet();
            final AtomicLong highest = new AtomicLong();
            int counter;

            Resource(String name) {
                this.name = name;
                fence = FencedResource.inMemory(name);
            }
        }

        record Held(Party party, Lease lease) {}

        final class Party {
            final int number;
            final MemoryServer.Link link = server.link();
            final boolean fair = random.nextInt(3) != 0;
            final LockClient client;
            final List<Worker> workers = new ArrayList<>();
            volatile long closedAt = -1;

            Party(int number) {
                this.number = number;
                ScriptedProvider provider = new ScriptedProvider(link);
                provider.contenders = contenders;
                provider.subscribe = (memory, name, mayBeFree, deadline) -> memory.subscribe(name, mayBeFree, deadline);
                LockOptions options =
                        LockOptions.builder("memory").option("fair", "" + fair).build();
                client = LockClient.open(provider, options, time);
                for (int i = 1 + random.nextInt(4); i > 0; i--) {
                    workers.add(new Worker(this, new Random(random.nextLong()), number + "." + i));
                }
            }

            @Override
            public String toString() {
                return number + (fair ? " fair" : " unfair") + " with " + workers.size();
            }
        }

        void run() throws Exception {
            Set<Thread> foreign = new HashSet<>(Thread.getAllStackTraces().keySet());
            for (int i = 0; i < names; i++) {
                resources.add(new Resource("n" + i));
            }
            time.run(() -> {
                for (int i = 2 + random.nextInt(3); i > 0; i--) {
                    parties.add(new Party(i));
                }
                parties.forEach(p -> p.workers.forEach(Worker::start));
                for (int i = faults ? 5 + random.nextInt(25) : 0; i > 0; i--) {
                    time.sleep(pause(random, 400));
                    disturb();
                }
                heal();
                for (Party party : parties) {
                    for (Worker worker : party.workers) {
                        if (!time.await(worker.ended, time.nanoTime() + ms(600_000))) {
                            violation(worker.name + " hangs in " + worker.call, stack(worker.thread));
                        }
                    }
                }
                if (!violations.isEmpty()) {
                    return null;
                }
                end();
                return null;
            });
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (!foreign.contains(thread) && stackOfLibrary(thread)) {
                    thread.join(2_000);
                    if (thread.isAlive()) {
                        violation("a thread is left: " + thread, stack(thread));
                    }
                }
            }
        }

        private boolean stackOfLibrary(Thread thread) {
            for (StackTraceElement at : thread.getStackTrace()) {
                if (at.getClassName().startsWith("dev.holdfast")) {
                    return true;
                }
            }
            return false;
        }

        private Throwable stack(Thread thread) {
            Throwable stack = new Throwable();
            stack.setStackTrace(thread.getStackTrace());
            return stack;
        }

        static Duration pause(Random random, int millis) {
            return Duration.ofNanos(random.nextLong(ms(millis)) + 1);
        }

        /** One fault, or the end of some. */
        void disturb() throws InterruptedException {
            Party party = parties.get(random.nextInt(parties.size()));
            String name = "n" + random.nextInt(names);
            switch (random.nextInt(14)) {
                case 0 -> {
                    note("hold " + party);
                    party.link.hold();
                }
                case 1 -> {
                    note("cut " + party);
                    party.link.cut();
                }
                case 2 -> {
                    note("delay " + party);
                    party.link.delay(pause(random, random.nextInt(4) == 0 ? 1500 : 60));
                }
                case 3 -> {
                    note("dropNextReply " + party);
                    party.link.dropNextReply();
                }
                case 4 -> {
                    note("delayNextRequest " + party);
                    party.link.delayNextRequest();
                }
                case 5 -> {
                    if (durable || loses) {
                        note("kill");
                        server.kill();
                        time.sleep(pause(random, 1000));
                        note("start");
                        server.start();
                    }
                }
                case 6 -> {
                    note("pause");
                    server.pause();
                    time.sleep(pause(random, 3000));
                    note("resume");
                    server.resume();
                }
                case 7 -> {
                    if (revokes) {
                        note("revoke " + name);
                        server.revoke("holdfast", name);
                    }
                }
                case 8 -> {
                    if (loses && random.nextInt(3) == 0) {
                        note("wipe");
                        server.wipe();
                    }
                }
                case 9, 10 -> {
                    Worker worker = party.workers.get(random.nextInt(party.workers.size()));
                    if (!worker.ended.isDone()) {
                        note("interrupt " + worker.name);
                        worker.interruptedAt = time.nanoTime();
                        time.interrupt(worker.thread);
                    }
                }
                case 11 -> {
                    if (random.nextInt(4) == 0) {
                        close(party);
                    }
                }
                default -> {
                    note("mend " + party);
                    party.link.mend();
                }
            }
        }

        void close(Party party) {
            long from = time.nanoTime();
            if (party.closedAt < 0) {
                party.closedAt = from;
            }
            note("close " + party);
            party.client.close();
            note("closed " + party);
            atMost(from, CLOSE + SLACK, "close of " + party);
            for (Resource resource : resources) {
                for (Held held : resource.held) {
                    if (held.party == party && held.lease.isHeld()) {
                        violation("held after close: " + held.lease);
                    }
                }
            }
        }

        void heal() {
            note("heal");
            server.start();
            server.resume();
            parties.forEach(p -> p.link.mend());
        }

        /** All work is done and all faults have ended: whatever was left running out, all is free and nothing is stored. */
        void end() throws Exception {
            time.sleep(Duration.ofNanos(LONGEST_LEASE + OPERATION + SLACK));
            for (Party party : parties) {
                if (party.closedAt < 0) {
                    assertThat(field(field(party.client, "queue"), "gates")).isEqualTo(Map.of());
                    assertThat(field(field(field(party.client, "keeper"), "agenda"), "size"))
                            .isEqualTo(0);
                }
            }
            if (server.size() != 0) {
                violation("stored in the end: " + server.size());
            }
            Party last = new Party(9);
            for (Resource resource : resources) {
                Optional<Lease> lease = last.client.tryAcquire(LockRequest.of(resource.name));
                if (lease.isEmpty()) {
                    violation(resource.name + " is not free in the end");
                }
                lease.ifPresent(Lease::close);
            }
            close(last);
            parties.forEach(this::close);
            for (Party party : parties) {
                party.workers.forEach(Worker::checkListeners);
            }
        }

        private static Object field(Object of, String name) throws ReflectiveOperationException {
            var field = of.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(of);
        }

        void atMost(long from, long nanos, String what) {
            long took = time.nanoTime() - from;
            if (took > nanos) {
                violation("%s took %,d ns instead of %,d".formatted(what, took, nanos));
            }
        }

        /** A lease, what its listener was told, and what it should have been told: -1 is anything. */
        static final class Told {
            final String lease;
            final AtomicInteger times = new AtomicInteger();
            volatile int expected;

            Told(String lease) {
                this.lease = lease;
            }
        }

        final class Worker {
            final Party party;
            final Random random;
            final String name;
            final CompletableFuture<Void> ended = new CompletableFuture<>();
            final List<Told> told = new ArrayList<>();
            final int ops;
            volatile Thread thread = Thread.currentThread();
            volatile String call = "nothing";
            volatile long interruptedAt = -1;

            Worker(Party party, Random random, String name) {
                this.party = party;
                this.random = random;
                this.name = name;
                ops = 3 + random.nextInt(10);
            }

            void start() {
                thread = time.start(() -> {
                    Thread.currentThread().setName(name);
                    try {
                        for (int i = 0; i < ops; i++) {
                            rest(300);
                            op();
                        }
                    } catch (Throwable e) {
                        violation(name + " ended with " + e, e);
                    } finally {
                        ended.complete(null);
                    }
                });
            }

            private void rest(int millis) {
                try {
                    time.sleep(pause(random, millis));
                } catch (InterruptedException e) {
                    interruptedAt = -1;
                }
            }

            private void op() {
                Resource resource = resources.get(random.nextInt(names));
                LockRequest request = LockRequest.of(resource.name);
                Duration lease = Duration.ofNanos(ms(100) + random.nextLong(LONGEST_LEASE - ms(100)));
                boolean fixed = random.nextInt(4) == 0;
                request = fixed ? request.fixedLease(lease) : request.lease(lease);
                if (random.nextInt(5) == 0) {
                    request = request.maxHold(pause(random, 3000));
                }
                boolean nests = random.nextInt(4) == 0;
                if (nests) {
                    request = random.nextBoolean() ? request.reentrant() : request.owner("o" + random.nextInt(2));
                }
                long wait = switch (random.nextInt(6)) {
                    case 0 -> 0;
                    case 1 -> random.nextLong(ms(5)) + 1;
                    case 2 -> Long.MAX_VALUE;
                    default -> random.nextLong(ms(5000)) + 1;
                };
                Lease got = acquire(resource, request, wait);
                if (got == null) {
                    return;
                }
                Told mine = listen(got);
                int read = read(resource, got);
                rest(random.nextInt(3) == 0 ? 4000 : 200);
                if (nests) {
                    Lease nested = acquire(resource, request, 0);
                    if (nested != null) {
                        Told inner = listen(nested);
                        rest(100);
                        if (random.nextBoolean()) {
                            release(nested, inner);
                            inner = null;
                        }
                        write(resource, got, read);
                        release(got, mine);
                        if (inner != null) {
                            rest(100);
                            release(nested, inner);
                        }
                        return;
                    }
                }
                write(resource, got, read);
                if (fixed && random.nextInt(3) == 0) {
                    // Left to run out.
                    mine.expected = -1;
                    resource.held.removeIf(h -> h.lease == got && !h.lease.isHeld());
                    return;
                }
                release(got, mine);
            }

            private int read(Resource resource, Lease lease) {
                int[] read = {-1};
                try {
                    resource.fence.admit(lease, () -> read[0] = resource.counter);
                } catch (StaleTokenException e) {
                    // A newer holder was here already.
                }
                return read[0];
            }

            private void write(Resource resource, Lease lease, int read) {
                if (read < 0) {
                    return;
                }
                try {
                    resource.fence.admit(lease, () -> {
                        // Nested shares of one acquisition have one fence, and write in turns.
                        if (resource.counter != read && !shared.contains(lease.id())) {
                            violation(
                                    "lost update of " + resource.name + ": read " + read + ", now " + resource.counter);
                        }
                        resource.counter = read + 1;
                    });
                } catch (StaleTokenException e) {
                    // A newer holder was here meanwhile.
                }
            }

            private @Nullable Lease acquire(Resource resource, LockRequest request, long wait) {
                long from = time.nanoTime();
                call = (wait == Long.MAX_VALUE ? "acquire forever" : "acquire within " + wait) + " " + resource.name;
                note(call);
                LockRequest limited =
                        wait == Long.MAX_VALUE ? request.waitForever() : request.waitUpTo(Duration.ofNanos(wait));
                long most = wait == 0 ? OPERATION : wait;
                @Nullable Lease lease = null;
                try {
                    lease = party.client.tryAcquire(limited).orElse(null);
                    if (lease == null && time.nanoTime() - from < wait) {
                        violation(name + " busy " + (from + wait - time.nanoTime()) + " ns too early: " + call);
                    }
                } catch (InterruptedException e) {
                    if (interruptedAt < 0) {
                        violation(name + " was not interrupted, and told so", e);
                    } else if (time.nanoTime() - interruptedAt > SLACK && interruptedAt > from) {
                        violation(name + " noticed its interrupt late: " + call);
                    }
                    interruptedAt = -1;
                    return null;
                } catch (LockUnavailableException e) {
                    note("unavailable: " + e.getMessage());
                    if (time.nanoTime() - from < wait) {
                        violation(name + " unavailable too early: " + call, e);
                    }
                    if (!faults) {
                        violation(name + " unavailable without a fault: " + call, e);
                    }
                } catch (LockRefusedException e) {
                    if (!loses) {
                        violation(name + " refused: " + e.getMessage(), e);
                    }
                } catch (IllegalStateException e) {
                    if (party.closedAt < 0) {
                        violation(name + " closed too early", e);
                    } else {
                        // A request on its way, and the release of what it was granted.
                        atMost(
                                Math.max(party.closedAt, from),
                                2 * OPERATION + SLACK,
                                "ending of " + name + " by close");
                    }
                    return null;
                } finally {
                    call = "nothing";
                }
                if (wait != Long.MAX_VALUE) {
                    atMost(from, most + SLACK, name + " " + (lease == null ? "refused" : "granted") + " in " + wait);
                }
                note(lease == null ? "nothing" : "got " + lease + " " + lease.id());
                if (lease != null) {
                    granted(resource, lease);
                }
                return lease;
            }

            private void granted(Resource resource, Lease lease) {
                synchronized (resource) {
                    if (!lease.isHeld()) {
                        return;
                    }
                    boolean nested = false;
                    for (Held other : resource.held) {
                        if (other.lease.id().equals(lease.id())) {
                            nested = true;
                            shared.add(lease.id());
                        } else if (other.lease.isHeld()
                                && (other.party == party || !(loses || revokes))
                                && lease.isHeld()) {
                            violation("overlap: " + lease + " " + lease.id() + " by " + name + " with " + other.lease
                                    + " " + other.lease.id() + " of " + other.party);
                        }
                    }
                    long before = resource.highest.getAndAccumulate(lease.token(), Math::max);
                    if (!nested && !(loses || revokes) && before >= lease.token() && lease.isHeld()) {
                        violation("token " + lease.token() + " after " + before);
                    }
                    resource.held.removeIf(h -> !h.lease.isHeld());
                    resource.held.add(new Held(party, lease));
                }
            }

            private Told listen(Lease lease) {
                Told mine = new Told(name + " " + lease);
                told.add(mine);
                lease.onLost(why -> {
                    note("told " + mine.lease + " " + why);
                    mine.times.incrementAndGet();
                });
                return mine;
            }

            private void release(Lease lease, Told mine) {
                long from = time.nanoTime();
                LeaseState state = lease.state();
                call = "release " + lease;
                ReleaseOutcome outcome = lease.release();
                note("released " + lease + ": " + outcome);
                call = "nothing";
                atMost(from, 2 * OPERATION, "release by " + name);
                if (lease.isHeld()) {
                    violation("held after release: " + lease);
                }
                if (state == LeaseState.LOST) {
                    mine.expected = 1;
                } else if (outcome == ReleaseOutcome.NOT_HELD) {
                    // Lost a moment ago, or found gone by the server, or closed.
                    mine.expected = -1;
                }
                if (Thread.interrupted()) {
                    interruptedAt = -1;
                }
            }

            void checkListeners() {
                for (Told each : told) {
                    int times = each.times.get();
                    if (each.expected < 0 ? times > 1 : times != each.expected) {
                        violation("told " + times + " times instead of " + each.expected + ": " + each.lease);
                    }
                }
            }
        }

        final Set<String> shared = ConcurrentHashMap.newKeySet();
    }
}

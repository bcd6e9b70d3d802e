package dev.holdfast.lock.tck;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockGuarantees;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.LockRequest;
import dev.holdfast.lock.Require;
import dev.holdfast.lock.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What one check works with: clients that come and go, time, and a record of who did what, which is shown when the check fails. */
final class Scene {
    /** How long something may take that has no limit in the rules and needs nothing but a few answers of the servers. */
    static final Duration SOON = Duration.ofMillis(500);
    /** The slack that the rules give to a limit. */
    static final Duration SLACK = Duration.ofMillis(250);

    private static final AtomicInteger NAMES = new AtomicInteger();
    private static final String RUN = Long.toString(System.nanoTime() & 0xffffff, Character.MAX_RADIX);
    private static final int SHOWN = 60;

    private final Harness harness;
    private final Clock clock;
    private final Profile profile;
    private final LockGuarantees declared;
    private final LockGuarantees effective;
    private final List<Actor> actors = new CopyOnWriteArrayList<>();
    private final List<Task<?>> tasks = new CopyOnWriteArrayList<>();
    private final List<String> record = new CopyOnWriteArrayList<>();
    private final List<Undo> undo = new CopyOnWriteArrayList<>();
    private volatile boolean down;
    private volatile boolean paused;
    private long began;
    private volatile boolean used;

    /** What puts something right again. */
    interface Undo {
        void run() throws Exception;
    }

    Scene(Harness harness, Clock clock, Profile profile, LockGuarantees declared, LockGuarantees effective) {
        this.harness = harness;
        this.clock = clock;
        this.profile = profile;
        this.declared = declared;
        this.effective = effective;
    }

    void begin() {
        began = clock.now();
    }

    /** Whether the check did anything. */
    boolean isUsed() {
        return used;
    }

    // ---- what there is

    Harness harness() {
        return harness;
    }

    Clock clock() {
        return clock;
    }

    int rounds(int quick, int full) {
        return profile.rounds(quick, full);
    }

    LockGuarantees declared() {
        return declared;
    }

    LockGuarantees effective() {
        return effective;
    }

    Duration lease() {
        return harness.lease();
    }

    Duration operationTimeout() {
        return harness.operationTimeout();
    }

    /** How soon a waiter must be granted a name that is free. */
    Duration handOff() {
        return effective.waiting() == Waiting.NOTIFIED ? SOON : SOON.multipliedBy(2);
    }

    /** A name that nobody uses. */
    String name() {
        used = true;
        return "tck-" + RUN + "-" + NAMES.incrementAndGet();
    }

    List<String> names(int count) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            names.add(name());
        }
        return names;
    }

    /** Asks for a name with a short lease that is renewed. */
    LockRequest ask(String name) {
        return LockRequest.of(name).lease(lease());
    }

    /** Asks for a name with a lease far longer than any check. */
    LockRequest askLong(String name) {
        return LockRequest.of(name).lease(Duration.ofSeconds(60));
    }

    // ---- when a check does not apply

    void needs(boolean claimed, String claim) {
        used = true;
        if (!claimed) {
            throw new SkippedCheck(SkipReason.NOT_DECLARED, claim + " is not claimed");
        }
    }

    void applies(boolean applies, String why) {
        used = true;
        if (!applies) {
            throw new SkippedCheck(SkipReason.NOT_APPLICABLE, why);
        }
    }

    // ---- clients

    /** A client on a way of its own, with the kit's short time-outs unless the options say otherwise. */
    Actor client(String... options) throws Exception {
        Route route = harness.route();
        return client(route, options);
    }

    Actor client(Route route, String... options) {
        used = true;
        Actor actor = new Actor(this, String.valueOf((char) ('A' + actors.size() % 26)), route);
        actors.add(actor);
        actor.open(options);
        return actor;
    }

    /** A way without a client, for checks of opening. */
    Route route() throws Exception {
        used = true;
        Route route = harness.route();
        undo(() -> {
            route.mend();
            route.close();
        });
        return route;
    }

    LockOptions options(Route route, String... options) {
        LockOptions.Builder builder = route.options();
        builder.option(LockOptions.OPERATION_TIMEOUT.name(), operationTimeout().toMillis() + "ms");
        builder.option(LockOptions.CLOSE_TIMEOUT.name(), "1s");
        for (String option : options) {
            int equals = option.indexOf('=');
            builder.option(option.substring(0, equals), option.substring(equals + 1));
        }
        return builder.build();
    }

    LockClient open(Route route, LockOptions options, Require... requires) {
        used = true;
        LockClient client = clock.open(route.provider(), options, requires);
        undo(client::close);
        return client;
    }

    // ---- time

    long now() {
        return clock.now();
    }

    Duration since(long from) {
        return Duration.ofNanos(clock.now() - from);
    }

    void sleep(Duration duration) throws InterruptedException {
        used = true;
        if (!duration.isNegative()) {
            clock.sleep(duration);
        }
    }

    <T> Task<T> start(String what, Callable<T> body) {
        used = true;
        Task<T> task = new Task<>(this, what, body);
        tasks.add(task);
        return task;
    }

    /** Waits until something is so, and fails if that takes longer than the limit. */
    void until(String what, Duration limit, BooleanSupplier so) throws InterruptedException {
        long from = now();
        while (!so.getAsBoolean()) {
            Duration passed = since(from);
            if (passed.compareTo(limit.plus(clock.stalls(from, now()))) > 0) {
                throw failure("%s: it is not so after %s, and should be after %s", what, text(passed), text(limit));
            }
            clock.sleep(Duration.ofMillis(2));
        }
    }

    /** Fails if what began at a moment and ended at another took longer than the limit, the machine's own stalls not counted. */
    void within(String what, long from, long to, Duration limit) {
        Duration took = Duration.ofNanos(to - from);
        check(
                took.compareTo(limit.plus(clock.stalls(from, to))) <= 0,
                "%s took %s, and the limit is %s",
                what,
                text(took),
                text(limit));
    }

    /** Fails if it took less. */
    void notBefore(String what, long from, long to, Duration limit) {
        Duration took = Duration.ofNanos(to - from);
        check(took.compareTo(limit) >= 0, "%s after %s, and not before %s was promised", what, text(took), text(limit));
    }

    // ---- faults of the servers, undone at the end

    /** Kills the servers and starts them again. */
    void restart() throws Exception {
        kill();
        start();
    }

    void kill() throws Exception {
        used = true;
        harness.kill();
        down = true;
        log("the servers are killed");
    }

    void start() throws Exception {
        harness.start();
        down = false;
        log("the servers are started again");
    }

    void pause() throws Exception {
        used = true;
        harness.pause();
        paused = true;
        log("the servers are paused");
    }

    void resume() throws Exception {
        harness.resume();
        paused = false;
        log("the servers go on");
    }

    void revoke(String name) throws Exception {
        used = true;
        harness.revoke(name);
        log("an administrator revokes " + name);
    }

    void wipe() throws Exception {
        used = true;
        harness.wipe();
        log("the servers lose all data");
    }

    void undo(Undo step) {
        undo.add(step);
    }

    // ---- judging

    /** Fails with what was seen, unless it is as promised. */
    void check(boolean ok, String seen, @Nullable Object... args) {
        used = true;
        if (!ok) {
            throw failure(seen, args);
        }
    }

    @SuppressWarnings("AnnotateFormatMethod") // its annotation is in no library that the kit needs
    AssertionError failure(String seen, @Nullable Object... args) {
        return new AssertionError(seen.formatted(args));
    }

    void same(String what, @Nullable Object expected, @Nullable Object actual) {
        check(
                expected == null ? actual == null : expected.equals(actual),
                "%s should be %s, and is %s",
                what,
                expected,
                actual);
    }

    /** A lease as people want to read it. */
    static String show(Lease lease) {
        return lease + " with " + text(lease.remaining()) + " left";
    }

    static String text(Duration duration) {
        return duration.toNanos() % 1_000_000 == 0
                ? duration.toMillis() + " ms"
                : String.format(Locale.ROOT, "%.2f ms", duration.toNanos() / 1e6);
    }

    // ---- the record

    void log(String line) {
        record.add(String.format(Locale.ROOT, "%10.3f ms  %s", (clock.now() - began) / 1e6, line));
    }

    /** Who did what, the newest last. */
    String record() {
        int from = Math.max(0, record.size() - SHOWN);
        return "    " + (from == 0 ? "" : "(" + from + " lines left out)\n    ")
                + String.join("\n    ", record.subList(from, record.size()));
    }

    // ---- the end

    /** Puts everything right, and fails if that does not work: a client that cannot be closed is a finding. */
    void close() throws Exception {
        Throwable failure = null;
        for (Actor actor : actors) {
            actor.route().mend();
        }
        List<Undo> last = new ArrayList<>();
        if (paused) {
            last.add(this::resume);
        }
        if (down) {
            last.add(this::start);
        }
        for (int i = undo.size() - 1; i >= 0; i--) {
            last.add(undo.get(i));
        }
        for (Actor actor : actors) {
            last.add(actor::end);
        }
        for (Task<?> task : tasks) {
            if (!task.isDone()) {
                last.add(task::interrupt);
            }
        }
        for (Undo step : last) {
            try {
                step.run();
            } catch (Exception | AssertionError e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        for (Task<?> task : tasks) {
            if (!task.isDone()) {
                boolean unused = clock.await(task.ended(), Duration.ofSeconds(5));
            }
        }
        if (failure instanceof Exception e) {
            throw e;
        }
        if (failure instanceof Error e) {
            throw e;
        }
    }
}

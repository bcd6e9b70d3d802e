package dev.holdfast.lock.cli;

import dev.holdfast.lock.FencedResource;
import dev.holdfast.lock.Fencing;
import dev.holdfast.lock.HoldModel;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockGuarantees;
import dev.holdfast.lock.LockProviders;
import dev.holdfast.lock.Scope;
import dev.holdfast.lock.StaleTokenException;
import dev.holdfast.lock.spi.LockProvider;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The story that {@code holdfast demo} tells, and the check that it came as promised. */
final class Demo {
    private static final int THREADS = 2;
    private static final int ROUNDS = 6;
    private static final int GRANTS_A_LINE = 9;
    private static final int NOTE_WIDTH = 110;
    private static final Duration SHORT_LEASE = Duration.ofMillis(500);

    private final Stage stage;
    private final PrintWriter out;
    private final LockGuarantees guarantees;
    private final boolean fenced;
    /** Keeps runs apart that share a server. */
    private final String suffix = Integer.toHexString(new SecureRandom().nextInt());

    private final List<String> broken = new ArrayList<>();
    private long start;

    Demo(Stage stage, PrintWriter out) {
        this.stage = stage;
        this.out = out;
        guarantees = stage.client().guarantees();
        fenced = guarantees.fencing().compareTo(Fencing.ORDERED) >= 0;
    }

    /** Tells it. Returns whether everything came as promised. */
    boolean run() throws InterruptedException {
        say("Holdfast %s demo: %s", Holdfast.version(), stage.title());
        providers();
        guaranteeTable();
        List<Participant> clients = stage.cast("A", "B", "C");
        contention(clients);
        pausedHolder(clients.get(0), clients.get(1));
        say("");
        if (broken.isEmpty()) {
            say(
                    fenced
                            ? "As promised: counter right, tokens strictly rising, late write refused by the fence."
                            : "As promised: counter right. No fencing here: efficiency only, late writes get through.");
        } else {
            say("NOT as promised: %s.", String.join("; ", broken));
        }
        out.flush();
        return broken.isEmpty();
    }

    private void providers() {
        say("");
        say("1. Providers on the class path");
        List<LockProvider> all = LockProviders.all();
        Set<String> places = all.stream().map(Views::location).collect(Collectors.toCollection(TreeSet::new));
        int scheme = all.stream().mapToInt(p -> p.scheme().length()).max().orElse(0);
        int type = all.stream()
                .mapToInt(p -> p.getClass().getName().length())
                .max()
                .orElse(0);
        for (LockProvider p : all) {
            say(
                    "   %-" + scheme + "s  %-" + type + "s%s",
                    p.scheme(),
                    p.getClass().getName(),
                    places.size() == 1 ? "" : "  from " + Views.location(p));
        }
        if (places.size() == 1) {
            say("   all from %s", places.iterator().next());
        }
    }

    private void guaranteeTable() {
        List<GuaranteeView> views = new ArrayList<>(Views.declared());
        boolean live = guarantees.scope() != Scope.PROCESS;
        if (live) {
            views.add(Views.effective(stage.client(), stage.provider()));
        }
        say("");
        say("2. What they guarantee, as declared%s", live ? ", and what is effective here (* differs)" : "");
        GuaranteeView.shortMatrix(views).text("   ").forEach(line -> say("%s", line));
        GuaranteeView.notes(views)
                .forEach(note -> Text.wrapped(note, NOTE_WIDTH).forEach(line -> say("   %s", line)));
    }

    // ---- contention

    private void contention(List<Participant> clients) throws InterruptedException {
        long expected = (long) clients.size() * THREADS * ROUNDS;
        say("");
        say(
                "3. %d clients x %d threads increment one unprotected counter, %d times each",
                clients.size(), THREADS, ROUNDS);
        Path grants = stage.file("grants");
        long bare = count(clients, "", stage.file("counter-bare"), stage.file("grants-bare"));
        say("   without a lock: %d of %d; the others overwrote each other", bare, expected);
        long counted = count(clients, "demo-counter-" + suffix, stage.file("counter"), grants);
        List<Counting.Entry> order = read(grants);
        say("   under the lock, in order of grant (%s):", fenced ? "token and client" : "client; no tokens here");
        int width = order.stream().mapToInt(e -> e.token().length()).max().orElse(0);
        for (int i = 0; i < order.size(); i += GRANTS_A_LINE) {
            say(
                    "     %s",
                    order.subList(i, Math.min(order.size(), i + GRANTS_A_LINE)).stream()
                            .map(e -> ("%" + width + "s %s").formatted(e.token(), e.who()))
                            .collect(Collectors.joining("   ")));
        }
        say("   final count: %d of %d%s", counted, expected, verdict(counted == expected, "updates were lost"));
        if (fenced) {
            say(
                    "   tokens strictly rising: %s",
                    rising(order) ? "yes" : "no" + verdict(false, "tokens do not rise from grant to grant"));
        } else {
            say("   tokens strictly rising: %s has none", stage.provider().scheme());
        }
    }

    private static long count(List<Participant> clients, String lock, Path counter, Path grants)
            throws InterruptedException {
        Counting.reset(counter);
        Counting work = new Counting(lock, THREADS, ROUNDS, counter, grants);
        ExecutorService pool = Executors.newFixedThreadPool(clients.size());
        try {
            List<Future<?>> all = new ArrayList<>();
            for (Participant client : clients) {
                all.add(pool.submit(() -> {
                    client.count(work);
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new DemoException("counting failed: " + e.getCause());
        } finally {
            pool.shutdownNow();
        }
        return Counting.value(counter);
    }

    private static List<Counting.Entry> read(Path grants) {
        try {
            return Files.readAllLines(grants).stream()
                    .map(Counting.Entry::parse)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean rising(List<Counting.Entry> order) {
        long last = 0;
        for (Counting.Entry entry : order) {
            if (entry.token().equals("-") || Long.parseLong(entry.token()) <= last) {
                return false;
            }
            last = Long.parseLong(entry.token());
        }
        return true;
    }

    // ---- the paused holder

    private void pausedHolder(Participant a, Participant b) throws InterruptedException {
        say("");
        say("4. The paused holder: A is paused beyond its lease, B gets the lock, A acts late");
        if (fenced) {
            say("   a) the stock has a fence: it refuses tokens older than the newest it has seen");
            tell(a, b, new Stock(FencedResource.inMemory("stock")));
            say("   b) the same without the fence");
        } else {
            say(
                    "   %s has no fencing tokens, so nothing can tell A's late write from B's",
                    stage.provider().scheme());
        }
        tell(a, b, new Stock(null));
    }

    private void tell(Participant a, Participant b, Stock stock) throws InterruptedException {
        String lock = "demo-stock-" + suffix + (stock.fence == null ? "" : "-fenced");
        boolean detail = stock.fence != null || !fenced;
        // A dead holder's lock is free after its own lease, or else after what the provider says.
        Duration orphaned = guarantees.hold() == HoldModel.LEASE ? SHORT_LEASE : guarantees.orphanBound();
        Duration wait = orphaned.multipliedBy(2).plusSeconds(10);
        start = System.nanoTime();
        // Only a client that is really stopped also stops renewing.
        Participant.Grant first = a.acquire(new Participant.Ask(lock, SHORT_LEASE, a.canBePaused(), wait));
        step(
                "A",
                "granted%s, a lease of %s%s"
                        .formatted(token(first), Text.of(first.lease()), a.canBePaused() ? ", renewed" : ""),
                detail ? belief(a) : "");
        step("A", "reads %d, takes 1 ... paused: %s".formatted(stock.value, a.pause()), "");
        Participant.Grant second = b.acquire(new Participant.Ask(lock, Duration.ofSeconds(30), true, wait));
        step("B", "granted" + token(second), detail ? belief(b) + "; A does not know" : "");
        if (fenced) {
            check(second.token().orElse(0) > first.token().orElse(0), "B's token is not larger than A's");
        }
        step("B", "writes %d".formatted(stock.value - 3), apply(stock, b.write(stock.value - 3)));
        step("A", "wakes up: " + a.resume(), detail ? belief(a) : "");
        check(a.belief().state() == LeaseState.LOST, "A does not know that its lease is lost");
        String late = apply(stock, a.write(9));
        step("A", "writes 9, what it had in mind", late);
        a.release();
        b.release();
        boolean kept = stock.value == 7;
        if (stock.fence != null) {
            say("      stock = %d: B's write stands%s", stock.value, verdict(kept, "the late write was not refused"));
        } else {
            say(
                    "      stock = %d: B's write is overwritten, three items were sold that are still on the list",
                    stock.value);
            check(!kept, "the resource without a fence refused a write");
        }
    }

    private static String apply(Stock stock, Participant.Write write) {
        if (stock.fence == null) {
            stock.value = write.value();
            return "done; nobody checks";
        }
        try {
            stock.fence.admit(write.token().orElseThrow(), write.acquisition(), () -> stock.value = write.value());
            return "admitted";
        } catch (StaleTokenException e) {
            return "REFUSED: " + e.getMessage();
        }
    }

    private static String belief(Participant who) throws InterruptedException {
        Participant.Belief belief = who.belief();
        return "believes: "
                + switch (belief.state()) {
                    case HELD -> "HELD, " + Text.of(belief.remaining()) + " left";
                    case LOST -> "LOST, " + belief.detail();
                    case RELEASED -> "RELEASED";
                };
    }

    private static String token(Participant.Grant grant) {
        return grant.token().isPresent() ? ", token " + grant.token().getAsLong() : "";
    }

    /** A number that is guarded by a lock, and perhaps by a fence. */
    private static final class Stock {
        private final @Nullable FencedResource fence;
        private int value = 10;

        Stock(@Nullable FencedResource fence) {
            this.fence = fence;
        }
    }

    // ---- saying

    private void step(String who, String what, String belief) {
        double seconds = (System.nanoTime() - start) / 1e9;
        say(
                "%s",
                "      %5.2f s  %s %-52s %s"
                        .formatted(seconds, who, what, belief)
                        .stripTrailing());
    }

    private String verdict(boolean kept, String failure) {
        check(kept, failure);
        return kept ? "" : "  <- NOT as promised";
    }

    private void check(boolean kept, String failure) {
        if (!kept) {
            broken.add(failure);
        }
    }

    private void say(String format, Object... args) {
        out.println(String.format(Locale.ROOT, format, args).stripTrailing());
    }
}

package dev.holdfast.lock.tck.process;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockProviders;
import dev.holdfast.lock.LockRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The program of a lock taker: opens a client by the URI in its only argument, obeys commands from standard input, one a line, and answers each with
 * one line on standard output. {@link TakerProcess} talks to it.
 *
 * <pre>
 * acquire NAME WAIT_MS LEASE_MS   → granted ID TOKEN|- BEFORE AFTER, or busy
 * state NAME                      → STATE REMAINING_MS NOW
 * release NAME                    → OUTCOME BEFORE AFTER
 * loop NAME COUNT HOLD_MS         → a line of "hold ID TOKEN|- BEFORE AFTER RELEASING" for each, then done
 * leave                           → returns from main without closing the client
 * </pre>
 *
 * All times are {@code System.nanoTime()}. What goes wrong is answered with a line that begins with "error".
 */
public final class LockTaker {
    private final LockClient locks;
    private final PrintStream out;
    private final Map<String, Lease> held = new HashMap<>();

    private LockTaker(LockClient locks, PrintStream out) {
        this.locks = locks;
        this.out = out;
    }

    /** See the class. */
    public static void main(String[] args) throws IOException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        LockTaker taker = new LockTaker(LockProviders.open(args[0]), out);
        out.println("ready");
        for (String line; (line = in.readLine()) != null; ) {
            if (line.equals("leave")) {
                out.println("left");
                return;
            }
            try {
                taker.obey(line.split(" ", -1));
            } catch (RuntimeException e) {
                out.println("error " + e);
            } catch (InterruptedException e) {
                return;
            }
        }
        taker.locks.close();
    }

    private void obey(String[] command) throws InterruptedException {
        String name = command[1];
        switch (command[0]) {
            case "acquire" -> acquire(name, millis(command[2]), millis(command[3]));
            case "state" -> {
                Lease lease = lease(name);
                out.println(lease.state() + " " + lease.remaining().toMillis() + " " + System.nanoTime());
            }
            case "release" -> {
                Lease lease = lease(name);
                long before = System.nanoTime();
                out.println(lease.release() + " " + before + " " + System.nanoTime());
            }
            case "loop" -> loop(name, Integer.parseInt(command[2]), millis(command[3]));
            default -> throw new IllegalArgumentException("unknown command " + command[0]);
        }
    }

    private void acquire(String name, Duration wait, Duration length) throws InterruptedException {
        long before = System.nanoTime();
        Optional<Lease> lease =
                locks.tryAcquire(LockRequest.of(name).waitUpTo(wait).lease(length));
        long after = System.nanoTime();
        if (lease.isEmpty()) {
            out.println("busy");
            return;
        }
        held.put(name, lease.get());
        out.println("granted " + describe(lease.get()) + " " + before + " " + after);
    }

    private void loop(String name, int count, Duration hold) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            long before = System.nanoTime();
            try (Lease lease = locks.acquire(LockRequest.of(name).waitUpTo(Duration.ofMinutes(1)))) {
                long after = System.nanoTime();
                Pause.of(hold);
                out.println("hold " + describe(lease) + " " + before + " " + after + " " + System.nanoTime());
            }
        }
        out.println("done");
    }

    private Lease lease(String name) {
        Lease lease = held.get(name);
        if (lease == null) {
            throw new IllegalStateException(name + " was not acquired");
        }
        return lease;
    }

    private static String describe(Lease lease) {
        return lease.id() + " " + (lease.findToken().isPresent() ? String.valueOf(lease.token()) : "-");
    }

    private static Duration millis(String text) {
        return Duration.ofMillis(Long.parseLong(text));
    }
}

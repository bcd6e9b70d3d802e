package dev.holdfast.lock.tck.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A lock taker in a JVM of its own, with this JVM's class path. Not for use by several threads. */
public final class TakerProcess implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration SIGNALLED = Duration.ofSeconds(5);
    private static final String END = "(its output has ended)";

    private final String who;
    private final History history;
    private final Process process;
    private final Writer in;
    private final BlockingQueue<String> out = new LinkedBlockingQueue<>();

    private TakerProcess(String who, String uri, History history) throws IOException {
        this.who = who;
        this.history = history;
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LockTaker.class.getName(),
                        uri)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        in = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, "tck-taker-" + who);
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Starts a process and waits until its client is open.
     *
     * @param who its name in the history
     * @param uri how it reaches the servers
     * @param history where its holds are noted
     */
    public static TakerProcess start(String who, String uri, History history) throws IOException, InterruptedException {
        TakerProcess taker = new TakerProcess(who, uri, history);
        taker.expect("ready", START);
        return taker;
    }

    private void read() {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line; (line = reader.readLine()) != null; ) {
                out.add(line);
            }
        } catch (IOException e) {
            // It was killed.
        }
        out.add(END);
    }

    // ---- commands

    /** What was granted. */
    public record Grant(String id, OptionalLong token) {}

    /** Sends a command without waiting for its answer. */
    public void send(String command) throws IOException {
        in.write(command + "\n");
        in.flush();
    }

    /** The next line of its answers. */
    public String answer(Duration limit) throws InterruptedException {
        String line = out.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
        if (line == null || line.equals(END)) {
            throw new IllegalStateException("process " + who + " gave no answer within " + limit
                    + (line == null ? "" : " " + END + (process.isAlive() ? "" : ", status " + process.exitValue())));
        }
        return line;
    }

    private void expect(String line, Duration limit) throws InterruptedException {
        String answer = answer(limit);
        if (!answer.equals(line)) {
            throw new IllegalStateException("process " + who + " answered \"" + answer + "\" and not \"" + line + "\"");
        }
    }

    /** Acquires; the answer begins with {@code granted}, {@code busy} or {@code error}. A grant is noted in the history. */
    public String acquire(String name, Duration wait, Duration lease) throws IOException, InterruptedException {
        send("acquire " + name + " " + wait.toMillis() + " " + lease.toMillis());
        String answer = answer(wait.plus(START));
        if (answer.startsWith("granted ")) {
            String[] words = answer.split(" ", -1);
            history.granted(who, name, words[1], token(words[2]), Long.parseLong(words[3]), Long.parseLong(words[4]));
        }
        return answer;
    }

    /** Reads a grant from the answer of {@link #acquire}. */
    public static Grant grant(String answer) {
        String[] words = answer.split(" ", -1);
        if (!words[0].equals("granted")) {
            throw new IllegalStateException("not a grant: " + answer);
        }
        return new Grant(words[1], token(words[2]));
    }

    /** The state of what it acquired last by this name, in its own words: {@code HELD}, {@code LOST} or {@code RELEASED}. */
    public String state(String name) throws IOException, InterruptedException {
        send("state " + name);
        return answer(START).split(" ", -1)[0];
    }

    /** Releases; the outcome in its own words. */
    public String release(String name) throws IOException, InterruptedException {
        send("release " + name);
        return answer(START).split(" ", -1)[0];
    }

    /** Notes the holds of a {@code loop} command that was sent, until it is done. */
    public void finishLoop(String name, Duration limit) throws InterruptedException {
        while (true) {
            String line = answer(limit);
            if (line.equals("done")) {
                return;
            }
            String[] words = line.split(" ", -1);
            if (!words[0].equals("hold")) {
                throw new IllegalStateException("process " + who + ": " + line);
            }
            history.granted(who, name, words[1], token(words[2]), Long.parseLong(words[3]), Long.parseLong(words[4]));
            history.held(words[1], Long.parseLong(words[5]));
        }
    }

    private static OptionalLong token(String text) {
        return text.equals("-") ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
    }

    // ---- signals

    /** Stops it as a long garbage collection would: SIGSTOP. Returns when the kernel says that it is stopped. */
    public void stop() throws IOException, InterruptedException {
        signal("-STOP");
        awaitState("T");
    }

    /** Lets it go on: SIGCONT. */
    public void cont() throws IOException, InterruptedException {
        signal("-CONT");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        // The shell's own kill: a minimal Debian has no program of that name.
        Process kill = new ProcessBuilder("/bin/sh", "-c", "kill " + signal + " " + process.pid()).start();
        if (!kill.waitFor(SIGNALLED.toMillis(), TimeUnit.MILLISECONDS) || kill.exitValue() != 0) {
            throw new IllegalStateException("kill " + signal + " " + process.pid() + " failed");
        }
    }

    private void awaitState(String expected) throws IOException, InterruptedException {
        long limit = System.nanoTime() + SIGNALLED.toNanos();
        String state = state();
        while (!state.startsWith(expected)) {
            if (System.nanoTime() - limit > 0) {
                throw new IllegalStateException("process " + who + " is in state " + state + " and not " + expected);
            }
            Pause.of(Duration.ofMillis(2));
            state = state();
        }
    }

    private String state() throws IOException, InterruptedException {
        Path stat = Path.of("/proc/" + process.pid() + "/stat");
        if (Files.exists(stat)) {
            String line = Files.readString(stat);
            return line.substring(line.lastIndexOf(')') + 2);
        }
        Process ps = new ProcessBuilder(List.of("ps", "-o", "state=", "-p", Long.toString(process.pid()))).start();
        String line = new String(ps.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int unused = ps.waitFor();
        return line.trim();
    }

    /** Kills it at once. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        if (!process.waitFor(SIGNALLED.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("process " + who + " survives being killed");
        }
    }

    /** Whether it ends by itself within a limit. */
    public boolean ends(Duration limit) throws InterruptedException {
        return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Kills it if it lives. */
    @Override
    public void close() {
        process.destroyForcibly();
    }
}

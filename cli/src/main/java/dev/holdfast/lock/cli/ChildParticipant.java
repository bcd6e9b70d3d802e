package dev.holdfast.lock.cli;

import dev.holdfast.lock.LeaseState;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A client in a process of its own, which can be stopped for real. */
final class ChildParticipant implements Participant {
    /** How long an answer may take beyond what the order itself may. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration COUNTING = Duration.ofMinutes(2);
    private static final String ENDED = "";

    private final String name;
    private final Process process;
    private final PrintStream orders;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final Path errors;

    private ChildParticipant(String name, Process process, Path errors) {
        this.name = name;
        this.process = process;
        this.errors = errors;
        orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /** Starts the process; {@link #open} waits until it is ready. */
    static ChildParticipant start(String name, Path folder) {
        Path errors = folder.resolve("client-" + name + ".log");
        try {
            Process process =
                    new ProcessBuilder(command()).redirectError(errors.toFile()).start();
            ChildParticipant child = new ChildParticipant(name, process, errors);
            Thread reader = new Thread(child::read, "client-" + name);
            reader.setDaemon(true);
            reader.start();
            return child;
        } catch (IOException e) {
            throw new DemoException("cannot start a client process: " + e.getMessage());
        }
    }

    /** The Java and the class path that run here. */
    private static List<String> command() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("-D"))
                .forEach(command::add);
        // Short-lived: starts sooner without the optimising compiler.
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.addAll(List.of(Holdfast.class.getName(), "demo-client"));
        return command;
    }

    private void read() {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line; (line = in.readLine()) != null; ) {
                answers.add(line);
            }
        } catch (IOException e) {
            // As the end of its output: it is gone.
        } finally {
            answers.add(ENDED);
        }
    }

    /** Lets it open its client. */
    void open(String uri) throws InterruptedException {
        ask(PATIENCE, name, uri);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Grant acquire(Ask ask) throws InterruptedException {
        List<String> answer =
                ask(ask.patience().plus(PATIENCE), "acquire", ask.lock(), ask.lease(), ask.renewed(), ask.patience());
        return new Grant(token(answer.get(1)), Duration.parse(answer.get(2)));
    }

    @Override
    public Belief belief() throws InterruptedException {
        List<String> answer = ask(PATIENCE, "belief");
        return new Belief(LeaseState.valueOf(answer.get(1)), Duration.parse(answer.get(2)), answer.get(3));
    }

    @Override
    public Write write(int value) throws InterruptedException {
        List<String> answer = ask(PATIENCE, "write", value);
        return new Write(value, token(answer.get(1)), answer.get(2));
    }

    @Override
    public void release() throws InterruptedException {
        ask(PATIENCE, "release");
    }

    @Override
    public void count(Counting work) throws InterruptedException {
        ask(COUNTING, "count", work.lock(), work.threads(), work.rounds(), work.counter(), work.log());
    }

    private static OptionalLong token(String text) {
        return text.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
    }

    private List<String> ask(Duration patience, Object... order) throws InterruptedException {
        orders.println(Wire.encode(order));
        String line = answers.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        if (line == null) {
            throw new DemoException("client " + name + " (process " + process.pid() + ") does not answer");
        }
        if (line.equals(ENDED)) {
            throw new DemoException("client " + name + " ended unexpectedly" + lastWords());
        }
        List<String> answer = Wire.decode(line);
        if (answer.get(0).equals(DemoClientCommand.FAILED)) {
            throw new DemoException("client " + name + ": " + answer.get(1));
        }
        return answer;
    }

    private String lastWords() {
        try {
            String text = Files.readString(errors).strip();
            return text.isEmpty() ? "" : ": " + Redaction.of(text);
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public boolean canBePaused() {
        return !System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("windows")
                && new File("/bin/sh").canExecute();
    }

    @Override
    public String pause() {
        if (!canBePaused()) {
            return "it stands still";
        }
        signal("STOP");
        return "SIGSTOP to process " + process.pid();
    }

    @Override
    public String resume() {
        if (!canBePaused()) {
            return "goes on";
        }
        signal("CONT");
        return "SIGCONT";
    }

    /** By the shell's own kill: a small machine has no other. */
    private void signal(String signal) {
        try {
            Process kill = new ProcessBuilder(
                            "/bin/sh", "-c", "kill -s \"$0\" \"$1\"", signal, Long.toString(process.pid()))
                    .redirectErrorStream(true)
                    .start();
            String output = new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (kill.waitFor() != 0) {
                throw new DemoException("cannot send SIG" + signal + " to client " + name + ": " + output.strip());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DemoException("interrupted");
        }
    }

    @Override
    public void close() {
        try {
            orders.close();
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void kill() {
        process.destroyForcibly();
    }
}

package dev.holdfast.lock.cli;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockProviders;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/**
 * One client of {@code holdfast demo URI} in a process of its own: reads one order a line from standard input, answers each with a line, and ends
 * with its input. The URI comes first and by the same way, since other users of a machine can read command lines.
 */
@Command(name = "demo-client", hidden = true, description = "A client of the demo; started by it.")
final class DemoClientCommand implements Callable<Integer> {
    static final String DONE = "done";
    static final String FAILED = "failed";

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        // Whatever a library prints must not look like an answer.
        System.setOut(System.err);
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        LocalParticipant me = null;
        try {
            for (String line; (line = orders.readLine()) != null; ) {
                List<String> order = Wire.decode(line);
                String answer;
                try {
                    if (me == null) {
                        me = new LocalParticipant(order.get(0), LockProviders.open(order.get(1)));
                        answer = DONE;
                    } else {
                        answer = carryOut(me, order);
                    }
                } catch (LockException | DemoException | IllegalArgumentException | IllegalStateException e) {
                    answer = Wire.encode(FAILED, String.valueOf(e.getMessage()));
                }
                answers.println(answer);
            }
            return 0;
        } finally {
            close(me);
        }
    }

    private static void close(@Nullable LocalParticipant me) {
        if (me != null) {
            me.close();
        }
    }

    private static String carryOut(Participant me, List<String> order) throws InterruptedException {
        switch (order.get(0)) {
            case "acquire" -> {
                Participant.Grant grant = me.acquire(new Participant.Ask(
                        order.get(1),
                        Duration.parse(order.get(2)),
                        Boolean.parseBoolean(order.get(3)),
                        Duration.parse(order.get(4))));
                return Wire.encode(DONE, token(grant.token()), grant.lease());
            }
            case "belief" -> {
                Participant.Belief belief = me.belief();
                return Wire.encode(DONE, belief.state(), belief.remaining(), belief.detail());
            }
            case "write" -> {
                Participant.Write write = me.write(Integer.parseInt(order.get(1)));
                return Wire.encode(DONE, token(write.token()), write.acquisition());
            }
            case "release" -> {
                me.release();
                return DONE;
            }
            case "count" -> {
                me.count(new Counting(
                        order.get(1),
                        Integer.parseInt(order.get(2)),
                        Integer.parseInt(order.get(3)),
                        Path.of(order.get(4)),
                        Path.of(order.get(5))));
                return DONE;
            }
            default -> throw new IllegalArgumentException("unknown order " + order.get(0));
        }
    }

    private static String token(OptionalLong token) {
        return token.isPresent() ? Long.toString(token.getAsLong()) : "";
    }
}

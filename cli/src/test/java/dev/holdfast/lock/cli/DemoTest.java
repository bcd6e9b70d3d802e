package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Fencing;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.spi.LockProvider;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/** The demo finds out providers that do not do what they promise. */
class DemoTest {
    private final StringWriter out = new StringWriter();
    private final AtomicInteger clients = new AtomicInteger();

    private boolean run(LockProvider provider) throws InterruptedException {
        LockOptions options = LockOptions.builder("memory").build();
        try (Stage stage = Stage.on(provider, options)) {
            return new Demo(stage, new PrintWriter(out)).run();
        }
    }

    @Test
    void anHonestProviderPasses() throws Exception {
        assertThat(run(new Altered(() -> "one", () -> OptionalLong::of, Fencing.ORDERED)))
                .as("%s", out)
                .isTrue();
    }

    @Test
    void lockThatDoesNotExcludeIsFoundOut() throws Exception {
        // Each client has a server of its own.
        LockProvider liar =
                new Altered(() -> "server-" + clients.incrementAndGet(), () -> OptionalLong::of, Fencing.ORDERED);
        assertThat(run(liar)).as("%s", out).isFalse();
        assertThat(out.toString())
                .contains("NOT as promised: updates were lost; tokens do not rise from grant to grant");
    }

    @Test
    void tokensThatDoNotRiseAreFoundOut() throws Exception {
        // Each client adds less than the one before: rising for itself, falling from client to client.
        LockProvider liar = new Altered(
                () -> "one",
                () -> {
                    long more = 100_000L - 1000L * clients.getAndIncrement();
                    return (LongFunction<OptionalLong>) token -> OptionalLong.of(token + more);
                },
                Fencing.ORDERED);
        assertThat(run(liar)).as("%s", out).isFalse();
        assertThat(out.toString())
                .contains("final count: 36 of 36")
                .contains("NOT as promised: tokens do not rise from grant to grant; B's token is not larger than A's");
    }

    @Test
    void withoutFencingTheDemoSaysWhatFollows() throws Exception {
        LockProvider unfenced = new Altered(() -> "one", () -> token -> OptionalLong.empty(), Fencing.NONE);
        assertThat(run(unfenced)).as("%s", out).isTrue();
        assertThat(out.toString())
                .contains("tokens strictly rising: memory has none")
                .contains("memory has no fencing tokens, so nothing can tell A's late write from B's")
                .contains("believes: LOST")
                .contains("stock = 9")
                .contains("No fencing here: efficiency only")
                .doesNotContain("REFUSED");
    }
}

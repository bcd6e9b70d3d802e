package dev.holdfast.lock.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows what locks do, on the memory backend or on real servers. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = {
            "Several clients contend for one lock, and a paused holder writes too late.",
            "Without a URI on the memory backend, in this process. With one, such as redis://localhost:6379, each client is"
                    + " a process of its own, and the holder is really stopped.",
            "Ends with 0 only if everything came as promised."
        })
final class DemoCommand implements Callable<Integer> {
    private static final String MEMORY = "memory://demo";

    private final PrintWriter out;

    @Parameters(arity = "0..1", paramLabel = "URI", description = "Where the servers are.")
    private @Nullable String uri;

    DemoCommand(PrintWriter out) {
        this.out = out;
    }

    @Override
    public Integer call() throws InterruptedException {
        try (Stage stage = Stage.open(uri == null ? MEMORY : uri)) {
            return new Demo(stage, out).run() ? 0 : 1;
        }
    }
}

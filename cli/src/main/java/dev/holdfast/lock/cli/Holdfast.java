package dev.holdfast.lock.cli;

import dev.holdfast.lock.LockException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;

/** The {@code holdfast} command: shows what locks do, and what each provider guarantees. Exit codes: 0 as promised, 1 failed, 2 wrong usage. */
@Command(
        name = "holdfast",
        mixinStandardHelpOptions = true,
        versionProvider = Holdfast.Version.class,
        description = "Distributed locks on many backends, and what each of them guarantees.",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all is as promised", "1:it is not, or something failed", "2:wrong usage"})
public final class Holdfast {
    /** Named here so that it is not collected with its level. */
    private static final Logger LIBRARY = Logger.getLogger("dev.holdfast.lock");

    @Option(
            names = "--stacktrace",
            scope = ScopeType.INHERIT,
            description = "Show the stack trace of a failure, and the library's log.")
    private boolean stacktrace;

    private Holdfast() {}

    /** Runs the command and ends the process. */
    public static void main(String[] args) {
        System.exit(commandLine(writer(System.out), writer(System.err)).execute(args));
    }

    /** The command with its output redirected. */
    static CommandLine commandLine(PrintWriter out, PrintWriter err) {
        Holdfast top = new Holdfast();
        return new CommandLine(top)
                .addSubcommand(new GuaranteesCommand(out))
                .addSubcommand(new DemoCommand(out))
                .addSubcommand(new DemoClientCommand())
                .setOut(out)
                .setErr(err)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionStrategy(top::execute)
                .setExecutionExceptionHandler((e, command, parsed) -> top.failed(e, err))
                .setParameterExceptionHandler((e, args) -> {
                    err.println("holdfast: " + Redaction.of(String.valueOf(e.getMessage())));
                    err.println("Try '" + e.getCommandLine().getCommandSpec().qualifiedName() + " --help'.");
                    err.flush();
                    return CommandLine.ExitCode.USAGE;
                });
    }

    private int execute(ParseResult parsed) {
        LIBRARY.setLevel(stacktrace ? null : Level.OFF);
        return new CommandLine.RunLast().execute(parsed);
    }

    private int failed(Exception e, PrintWriter err) {
        if (e instanceof LockException || e instanceof DemoException) {
            err.println("holdfast: " + e.getMessage());
        } else if (e instanceof InterruptedException) {
            err.println("holdfast: interrupted");
        } else {
            err.println("holdfast: unexpected " + Redaction.of(e.toString())
                    + (stacktrace ? "" : " (--stacktrace shows where)"));
        }
        if (stacktrace) {
            e.printStackTrace(err);
        }
        err.flush();
        return CommandLine.ExitCode.SOFTWARE;
    }

    /** UTF-8 whatever the locale says: a bare machine has none, and would get question marks. */
    private static PrintWriter writer(OutputStream to) {
        return new PrintWriter(new OutputStreamWriter(to, StandardCharsets.UTF_8), true);
    }

    static String version() {
        try (InputStream in = Holdfast.class.getResourceAsStream("version.properties")) {
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads the version that the build wrote. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"holdfast " + version()};
        }
    }
}

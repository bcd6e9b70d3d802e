package dev.holdfast.lock.cli;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.LockProviders;
import dev.holdfast.lock.spi.LockProvider;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows what is declared, or, with a URI, what is effective and why. */
@Command(
        name = "guarantees",
        mixinStandardHelpOptions = true,
        description = {
            "What the providers on the class path declare or, with a URI, what the servers there really offer, and why.",
            "Cells read: yes, no, or n/a (the fault cannot occur there)."
        })
final class GuaranteesCommand implements Callable<Integer> {
    private final PrintWriter out;

    @Parameters(
            arity = "0..1",
            paramLabel = "URI",
            description = "For example redis://localhost:6379; without it, what is declared.")
    private @Nullable String uri;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "text (default), markdown or json.")
    private Format format = Format.TEXT;

    enum Format {
        TEXT,
        MARKDOWN,
        JSON
    }

    GuaranteesCommand(PrintWriter out) {
        this.out = out;
    }

    @Override
    public Integer call() {
        if (uri == null) {
            show("declared by the providers on the class path", Views.declared());
            return 0;
        }
        LockOptions options = LockOptions.parse(uri);
        try (LockClient client = LockProviders.open(options)) {
            LockProvider provider = Views.provider(options);
            GuaranteeView effective = Views.effective(client, provider);
            show(
                    "effective at " + options,
                    format == Format.JSON ? List.of(effective) : List.of(Views.declared(provider), effective));
        }
        return 0;
    }

    private void show(String what, List<GuaranteeView> views) {
        switch (format) {
            case JSON ->
                out.println(Json.write(views.stream().map(GuaranteeView::toJson).toList()));
            case TEXT -> {
                out.println("Guarantees " + what);
                out.println();
                GuaranteeView.matrix(views).text("").forEach(out::println);
                out.println();
                notes(views).forEach(out::println);
            }
            case MARKDOWN -> {
                out.println("Guarantees " + what);
                out.println();
                GuaranteeView.matrix(views).markdown().forEach(out::println);
                out.println();
                notes(views).forEach(note -> out.println("- " + note));
            }
        }
        out.flush();
    }

    private static List<String> notes(List<GuaranteeView> views) {
        List<String> notes = new ArrayList<>(GuaranteeView.notes(views));
        if (views.stream().anyMatch(v -> v.kind() == GuaranteeView.Kind.EFFECTIVE)) {
            notes.add("* differs from what is declared");
        }
        notes.add("n/a: the fault cannot occur there. A server that comes back empty or from a backup: no for every"
                + " provider.");
        notes.add("Correctness needs a resource that checks the token; no lock can stop a paused holder from acting"
                + " late.");
        return notes;
    }
}

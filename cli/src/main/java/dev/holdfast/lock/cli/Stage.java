package dev.holdfast.lock.cli;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.LockProviders;
import dev.holdfast.lock.Scope;
import dev.holdfast.lock.spi.LockProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Where a demo takes place: a backend, clients on it, and a folder for what they share. */
final class Stage implements AutoCloseable {
    private final String title;
    private final LockProvider provider;
    private final LockClient client;
    private final Caster caster;
    private final Path folder;
    private final List<Participant> cast = new CopyOnWriteArrayList<>();
    /** For a demo that is broken off: nothing is left running, stopped, or on disk. */
    private final Thread hook = new Thread(this::abort);

    /** Makes participants. */
    interface Caster {
        /** One for each name, ready to act; each is added to the cast as soon as it exists. */
        void cast(List<String> names, List<Participant> cast) throws InterruptedException;
    }

    private Stage(String title, LockProvider provider, LockClient client, Path folder, Caster caster) {
        this.title = title;
        this.provider = provider;
        this.client = client;
        this.caster = caster;
        this.folder = folder;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Clients in this process where locks do not reach farther, otherwise in processes of their own. */
    static Stage open(String uri) {
        LockOptions options = LockOptions.parse(uri);
        LockClient client = LockProviders.open(options);
        Path folder = folder();
        if (client.guarantees().scope() == Scope.PROCESS) {
            return new Stage(
                    options + ", clients in this process",
                    Views.provider(options),
                    client,
                    folder,
                    local(() -> LockProviders.open(options)));
        }
        return new Stage(
                options + ", each client a process of its own",
                Views.provider(options),
                client,
                folder,
                (names, cast) -> {
                    // All JVMs start at the same time.
                    List<ChildParticipant> children = new ArrayList<>();
                    for (String name : names) {
                        ChildParticipant child = ChildParticipant.start(name, folder);
                        children.add(child);
                        cast.add(child);
                    }
                    for (ChildParticipant child : children) {
                        child.open(uri);
                    }
                });
    }

    /** A stage in this process, on a provider at hand. */
    static Stage on(LockProvider provider, LockOptions options) {
        Supplier<LockClient> open = () -> LockClient.open(provider, options);
        return new Stage(options.toString(), provider, open.get(), folder(), local(open));
    }

    private static Caster local(Supplier<LockClient> open) {
        return (names, cast) -> names.forEach(name -> cast.add(new LocalParticipant(name, open.get())));
    }

    private static Path folder() {
        try {
            return Files.createTempDirectory("holdfast-demo");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String title() {
        return title;
    }

    LockProvider provider() {
        return provider;
    }

    /** For asking about guarantees. */
    LockClient client() {
        return client;
    }

    /** A new file. */
    Path file(String name) {
        try {
            return Files.createFile(folder.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** New clients, ready to act. */
    List<Participant> cast(String... names) throws InterruptedException {
        int before = cast.size();
        caster.cast(List.of(names), cast);
        return List.copyOf(cast.subList(before, cast.size()));
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            return;
        }
        cast.forEach(Participant::close);
        client.close();
        delete();
    }

    private void abort() {
        cast.forEach(Participant::kill);
        delete();
    }

    private void delete() {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

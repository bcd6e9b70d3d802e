package dev.holdfast.lock.cli;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.LockProviders;
import dev.holdfast.lock.memory.MemoryLockProvider;
import dev.holdfast.lock.spi.LockProvider;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;

/** What the providers on the class path and the live servers say about themselves. */
final class Views {
    private Views() {}

    /** One for each provider on the class path. */
    static List<GuaranteeView> declared() {
        return LockProviders.all().stream().map(Views::declared).toList();
    }

    static GuaranteeView declared(LockProvider provider) {
        return new GuaranteeView(
                provider.scheme(),
                GuaranteeView.Kind.DECLARED,
                provider.getClass().getName(),
                provider.declared(),
                List.of());
    }

    /** What the servers of an open client offer. */
    static GuaranteeView effective(LockClient client, LockProvider provider) {
        return new GuaranteeView(
                provider.scheme(),
                GuaranteeView.Kind.EFFECTIVE,
                provider.getClass().getName(),
                client.guarantees(),
                client.observations());
    }

    /** The provider of a URI that was opened, and so has one. */
    static LockProvider provider(LockOptions options) {
        return LockProviders.all().stream()
                .filter(p -> options.scheme().isEmpty()
                        ? !p.scheme().equals(MemoryLockProvider.SCHEME)
                        : p.scheme().equals(options.scheme()))
                .findFirst()
                .orElseThrow(() -> new DemoException("no provider for " + options));
    }

    /** The jar or folder that a provider came from. */
    static String location(LockProvider provider) {
        CodeSource source = provider.getClass().getProtectionDomain().getCodeSource();
        if (source == null || source.getLocation() == null) {
            return "unknown";
        }
        URI uri;
        try {
            uri = source.getLocation().toURI();
            return Path.of(uri).toString();
        } catch (URISyntaxException | IllegalArgumentException | FileSystemNotFoundException e) {
            return source.getLocation().toString();
        }
    }
}

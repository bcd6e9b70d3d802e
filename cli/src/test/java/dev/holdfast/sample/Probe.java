package dev.holdfast.sample;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockProviders;
import dev.holdfast.lock.LockRequest;
import dev.holdfast.lock.spi.LockProvider;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.stream.Collectors;

/**
 * Opens a client as an application would, and takes a lock. Arguments: {@code uri=URI} instead of the setting, {@code context=none} or {@code
 * context=JAR} for the context class loader.
 */
public final class Probe {
    private Probe() {}

    public static void main(String[] args) throws Exception {
        String uri = "";
        for (String arg : args) {
            String value = arg.substring(arg.indexOf('=') + 1);
            if (arg.equals("context=none")) {
                Thread.currentThread().setContextClassLoader(null);
            } else if (arg.startsWith("context=")) {
                URL jar = Path.of(value).toUri().toURL();
                Thread.currentThread()
                        .setContextClassLoader(new URLClassLoader(new URL[] {jar}, Probe.class.getClassLoader()));
            } else {
                uri = value;
            }
        }
        System.out.println("found "
                + LockProviders.all().stream()
                        .map(LockProvider::scheme)
                        .sorted()
                        .collect(Collectors.joining(",")));
        try (LockClient client = uri.isEmpty() ? LockProviders.open() : LockProviders.open(uri);
                Lease lease = client.acquire(LockRequest.of("probe"))) {
            System.out.println("held " + lease.isHeld() + " by " + client);
        } catch (LockException e) {
            System.out.println(e.getClass().getSimpleName() + ": " + e.getMessage());
            System.exit(1);
        }
    }
}

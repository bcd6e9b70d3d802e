package dev.holdfast.lock.cli;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spi.LockProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Files of a jar that is being put together. */
final class Pieces {
    static final String SERVICES = "META-INF/services/" + LockProvider.class.getName();

    private final Map<String, byte[]> files = new TreeMap<>();

    /** The jar or folder of lock-api. */
    static Path lockApi() {
        return origin(LockClient.class);
    }

    /** The jar or folder that a class came from. */
    static Path origin(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    Pieces classes(Class<?>... types) throws IOException {
        for (Class<?> type : types) {
            String path = type.getName().replace('.', '/') + ".class";
            try (InputStream in = type.getClassLoader().getResourceAsStream(path)) {
                files.put(path, in.readAllBytes());
            }
        }
        return this;
    }

    /** What a provider's jar has besides its classes: a line in the service file for each, and a marker for its scheme. */
    Pieces provider(String scheme, Class<?>... providers) {
        services(Stream.of(providers).map(Class::getName).toArray(String[]::new));
        return marker(scheme);
    }

    Pieces services(String... classes) {
        files.put(
                SERVICES,
                Stream.of(classes)
                        .map(c -> c + "\n")
                        .collect(Collectors.joining())
                        .getBytes(StandardCharsets.UTF_8));
        return this;
    }

    Pieces marker(String scheme) {
        files.put("META-INF/holdfast/" + scheme, new byte[0]);
        return this;
    }

    /** Everything in a jar or folder; what is there already stays, as with a shade that does not merge. */
    Pieces contentOf(Path origin) throws IOException {
        if (Files.isDirectory(origin)) {
            try (Stream<Path> all = Files.walk(origin)) {
                for (Path file : all.filter(Files::isRegularFile).toList()) {
                    files.putIfAbsent(origin.relativize(file).toString().replace('\\', '/'), Files.readAllBytes(file));
                }
            }
            return this;
        }
        try (JarFile jar = new JarFile(origin.toFile())) {
            for (JarEntry entry : jar.stream().filter(e -> !e.isDirectory()).toList()) {
                if (!entry.getName().equals(JarFile.MANIFEST_NAME)) {
                    try (InputStream in = jar.getInputStream(entry)) {
                        files.putIfAbsent(entry.getName(), in.readAllBytes());
                    }
                }
            }
        }
        return this;
    }

    Path jar(Path folder, String name) throws IOException {
        Path jar = folder.resolve(name);
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file)) {
            for (Map.Entry<String, byte[]> entry : files.entrySet()) {
                out.putNextEntry(new JarEntry(entry.getKey()));
                out.write(entry.getValue());
                out.closeEntry();
            }
        }
        return jar;
    }
}

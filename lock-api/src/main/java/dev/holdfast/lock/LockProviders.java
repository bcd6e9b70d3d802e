package dev.holdfast.lock;

import dev.holdfast.lock.memory.MemoryLockProvider;
import dev.holdfast.lock.spi.LockProvider;
import java.net.URL;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds providers and opens clients. Providers are found by {@link ServiceLoader}, with the thread's context class loader and then with this
 * library's own, so that swapping the jar swaps the backend.
 */
public final class LockProviders {
    /** The system property that names the backend for {@link #open(Require...)}. */
    public static final String URI_PROPERTY = "holdfast.uri";

    /** The environment variable that is read if the property is not set. */
    public static final String URI_VARIABLE = "HOLDFAST_URI";

    private LockProviders() {}

    /**
     * Opens the backend that {@value #URI_PROPERTY} or {@value #URI_VARIABLE} names.
     *
     * @throws LockConfigurationException if neither is set, or as {@link #open(String, Require...)}
     */
    public static LockClient open(Require... requires) {
        String uri = System.getProperty(URI_PROPERTY);
        if (uri == null || uri.isEmpty()) {
            uri = System.getenv(URI_VARIABLE);
        }
        if (uri == null || uri.isEmpty()) {
            throw new LockConfigurationException(
                    "no backend is named",
                    List.of(
                            "set the system property " + URI_PROPERTY + " or the environment variable " + URI_VARIABLE
                                    + ", for example to redis://localhost:6379, or pass a URI to open",
                            found(discover())));
        }
        return open(uri, requires);
    }

    /**
     * Opens a backend by URI. One without a scheme, {@code //host:port}, goes to the only provider on the class path besides {@code memory}.
     *
     * @throws LockConfigurationException if the URI is wrong, no provider or several match, or a requirement is not met; all problems are listed
     * @throws LockUnavailableException if the servers cannot be reached
     * @throws LockRefusedException if the servers refuse
     */
    public static LockClient open(String uri, Require... requires) {
        return open(LockOptions.parse(uri), requires);
    }

    /** As {@link #open(String, Require...)}, with options from code. */
    public static LockClient open(LockOptions options, Require... requires) {
        LockProvider provider = choose(options.scheme());
        return LockClient.open(provider, options.withScheme(provider.scheme()), requires);
    }

    /** Every provider that is found, {@code memory} included, one for each class; one that is listed and cannot be loaded is logged. */
    public static List<LockProvider> all() {
        Discovery discovery = discover();
        discovery.broken.forEach(problem -> LockClient.LOG.log(System.Logger.Level.WARNING, problem));
        return List.copyOf(discovery.providers.values());
    }

    /** The providers whose declared guarantees meet all requirements; their servers may still offer less. */
    public static List<LockProvider> matching(Require... requires) {
        return all().stream()
                .filter(p -> Arrays.stream(requires)
                        .allMatch(r -> r.unmetBy(p.declared()).isEmpty()))
                .toList();
    }

    private static LockProvider choose(String scheme) {
        Discovery discovery = discover();
        List<LockProvider> candidates = discovery.providers.values().stream()
                .filter(p -> scheme.isEmpty()
                        ? !p.scheme().equals(MemoryLockProvider.SCHEME)
                        : p.scheme().equals(scheme))
                .toList();
        // Without a scheme a survivor of a bad shading must not pass for the only provider.
        List<String> lost = candidates.isEmpty() || scheme.isEmpty() ? lostServiceFiles(scheme, discovery) : List.of();
        if (candidates.size() == 1 && lost.isEmpty()) {
            return candidates.get(0);
        }
        List<String> problems = new ArrayList<>();
        if (!candidates.isEmpty()) {
            problems.add(
                    scheme.isEmpty()
                            ? "several providers could serve a URI without a scheme; name one: " + schemes(candidates)
                            : "several providers claim the scheme \"" + scheme + "\"; keep one of their jars");
        } else {
            problems.add(
                    scheme.isEmpty()
                            ? "add the jar of a provider, such as holdfast-provider-redis-single, or name the scheme memory"
                            : "add the jar of the provider for \"" + scheme + "\", or use one of the schemes found");
        }
        problems.add(found(discovery));
        problems.addAll(lost);
        problems.addAll(discovery.broken);
        throw new LockConfigurationException(
                candidates.isEmpty()
                        ? (scheme.isEmpty() ? "no provider was found" : "no provider for \"" + scheme + "\" was found")
                        : "the provider is ambiguous",
                problems);
    }

    /** A jar that was shaded without merging its service files has a provider's marker file, and no service entry for it. */
    private static List<String> lostServiceFiles(String scheme, Discovery discovery) {
        List<String> known =
                scheme.isEmpty() ? List.of("redis", "redlock", "zookeeper", "etcd", "mysql") : List.of(scheme);
        List<String> problems = new ArrayList<>();
        for (String each : known) {
            URL marker = discovery.find("META-INF/holdfast/" + each);
            if (marker != null
                    && discovery.providers.values().stream()
                            .noneMatch(p -> p.scheme().equals(each))) {
                problems.add(
                        "the provider \"" + each + "\" is there (" + marker
                                + ") but no META-INF/services/" + LockProvider.class.getName()
                                + " lists it: the jar was shaded without merging service files. With maven-shade-plugin add ServicesResourceTransformer, with Gradle's shadow mergeServiceFiles()");
            }
        }
        return problems;
    }

    private static String found(Discovery discovery) {
        return "found: "
                + discovery.providers.values().stream()
                        .map(p -> p.scheme() + " (" + p.getClass().getName() + " in " + location(p) + ")")
                        .collect(Collectors.joining(", "))
                + "; searched: " + String.join(", ", discovery.searched);
    }

    private static String schemes(List<LockProvider> providers) {
        return providers.stream().map(p -> p.scheme() + ":").collect(Collectors.joining(", "));
    }

    private static String location(LockProvider provider) {
        CodeSource source = provider.getClass().getProtectionDomain().getCodeSource();
        return source == null || source.getLocation() == null
                ? "an unknown place"
                : source.getLocation().toString();
    }

    private static Discovery discover() {
        Discovery discovery = new Discovery();
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        ClassLoader own = LockProviders.class.getClassLoader();
        if (context == null) {
            discovery.searched.add("no context class loader");
        } else {
            discovery.search(context, "the context class loader ");
        }
        if (own != context) {
            discovery.search(own, "the class loader of lock-api ");
        }
        return discovery;
    }

    private static final class Discovery {
        private static final int MOST_FAILURES = 100;

        private final Map<Class<?>, LockProvider> providers = new LinkedHashMap<>();
        private final List<ClassLoader> loaders = new ArrayList<>();
        private final List<String> searched = new ArrayList<>();
        private final List<String> broken = new ArrayList<>();

        void search(ClassLoader loader, String what) {
            loaders.add(loader);
            searched.add(what + loader);
            Iterator<LockProvider> found =
                    ServiceLoader.load(LockProvider.class, loader).iterator();
            // A loader that cannot be read fails again and again: the iterator does not get past it.
            for (int failures = 0; failures < MOST_FAILURES; failures++) {
                try {
                    while (found.hasNext()) {
                        LockProvider provider = found.next();
                        providers.putIfAbsent(provider.getClass(), provider);
                    }
                    return;
                } catch (ServiceConfigurationError | LinkageError e) {
                    // ServiceLoader lets errors of loading the class itself through, such as a missing library.
                    String problem = "a listed provider cannot be loaded: "
                            + (e instanceof LinkageError ? e.toString() : e.getMessage())
                            + (e.getCause() == null ? "" : " (" + e.getCause() + ")");
                    if (!broken.contains(problem)) {
                        broken.add(problem);
                    }
                }
            }
        }

        @Nullable
        URL find(String resource) {
            for (ClassLoader loader : loaders) {
                URL found = loader.getResource(resource);
                if (found != null) {
                    return found;
                }
            }
            return null;
        }
    }
}

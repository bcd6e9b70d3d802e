package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockProviders;
import dev.holdfast.lock.redis.RedisLockProvider;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.sample.Probe;
import dev.holdfast.sample.SampleProvider;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How {@link LockProviders} finds providers, on class paths that are put together for each test. */
class DiscoveryTest {
    private static final String UNMERGED = "shaded without merging service files";

    @TempDir
    private Path folder;

    private Path alpha = Path.of("");
    private Path beta = Path.of("");
    private Path probe = Path.of("");

    @BeforeEach
    void jars() throws IOException {
        alpha = providerJar("alpha.jar", "alpha", SampleProvider.Alpha.class);
        beta = providerJar("beta.jar", "beta", SampleProvider.Beta.class);
        probe = new Pieces().classes(Probe.class).jar(folder, "probe.jar");
    }

    private Path providerJar(String name, String scheme, Class<?> provider) throws IOException {
        return new Pieces()
                .classes(SampleProvider.class, provider)
                .provider(scheme, provider)
                .jar(folder, name);
    }

    private final List<String> properties = new ArrayList<>();
    private Map<String, String> environment = Map.of();

    private ChildJvm.Result probe(List<Path> jars, String... arguments) throws IOException, InterruptedException {
        List<Path> classPath = new ArrayList<>(List.of(probe));
        classPath.addAll(jars);
        return ChildJvm.run(folder, environment, ChildJvm.main(classPath, properties, Probe.class, arguments));
    }

    private List<Path> withApi(Path... jars) {
        List<Path> all = new ArrayList<>(List.of(Pieces.lockApi()));
        all.addAll(List.of(jars));
        return all;
    }

    private static void assertHeld(ChildJvm.Result result, String by) {
        assertHeldWithLog(result, by);
        assertThat(result.err()).isEmpty();
    }

    private static void assertHeldWithLog(ChildJvm.Result result, String by) {
        assertThat(result.out()).contains("held true by LockClient[" + by);
        assertThat(result.exit()).isZero();
    }

    private static void assertRefused(ChildJvm.Result result, String... because) {
        assertThat(result.out()).contains("LockConfigurationException").contains(because);
        assertThat(result.exit()).isEqualTo(1);
    }

    // ---- which backend is named

    @Test
    void systemPropertyNamesTheBackend() throws Exception {
        properties.add("-Dholdfast.uri=alpha://jobs");
        assertHeld(probe(withApi(alpha)), "alpha://jobs");
    }

    @Test
    void environmentNamesTheBackend() throws Exception {
        environment = Map.of("HOLDFAST_URI", "alpha://jobs");
        assertHeld(probe(withApi(alpha)), "alpha://jobs");
    }

    @Test
    void systemPropertyComesBeforeTheEnvironment() throws Exception {
        properties.add("-Dholdfast.uri=alpha://property");
        environment = Map.of("HOLDFAST_URI", "beta://environment");
        assertHeld(probe(withApi(alpha, beta)), "alpha://property");
    }

    @Test
    void emptySystemPropertyCountsAsUnset() throws Exception {
        properties.add("-Dholdfast.uri=");
        environment = Map.of("HOLDFAST_URI", "beta://environment");
        assertHeld(probe(withApi(alpha, beta)), "beta://environment");
    }

    @Test
    void nothingNamedTellsHowToAndWhatThereIs() throws Exception {
        assertRefused(probe(withApi(alpha)), "holdfast.uri", "HOLDFAST_URI", "alpha", alpha.toString(), "memory");
    }

    // ---- which provider is meant

    @Test
    void uriWithoutSchemeGoesToTheOnlyProviderBesidesMemory() throws Exception {
        assertHeld(probe(withApi(alpha), "uri=//jobs"), "alpha://jobs");
        assertHeld(probe(withApi(beta), "uri=//jobs"), "beta://jobs");
    }

    @Test
    void memoryIsNeverChosenUnlessNamed() throws Exception {
        assertRefused(
                probe(withApi(), "uri=//jobs"),
                "no provider was found",
                "memory",
                Pieces.lockApi().getFileName().toString());
        assertHeld(probe(withApi(), "uri=memory:"), "memory:");
    }

    @Test
    void severalProvidersForAUriWithoutSchemeAreListedWithTheirPlaces() throws Exception {
        assertRefused(
                probe(withApi(alpha, beta), "uri=//jobs"),
                "alpha (dev.holdfast.sample.SampleProvider$Alpha in ",
                alpha.getFileName().toString(),
                "beta (dev.holdfast.sample.SampleProvider$Beta in ",
                beta.getFileName().toString());
    }

    @Test
    void unknownSchemeTellsWhatThereIs() throws Exception {
        assertRefused(
                probe(withApi(alpha), "uri=beta://jobs"),
                "no provider for \"beta\"",
                "alpha",
                alpha.toString(),
                "memory");
    }

    @Test
    void twoJarsForOneSchemeAreAmbiguous() throws Exception {
        Path other = providerJar("other.jar", "alpha", SampleProvider.OtherAlpha.class);
        assertRefused(
                probe(withApi(alpha, other), "uri=alpha://jobs"), "ambiguous", alpha.toString(), other.toString());
    }

    @Test
    void theSameJarTwiceIsOneProvider() throws Exception {
        assertHeld(probe(withApi(alpha, alpha), "uri=//jobs"), "alpha://jobs");
    }

    // ---- class loaders

    @Test
    void worksWithoutAContextClassLoader() throws Exception {
        assertHeld(probe(withApi(alpha), "context=none", "uri=//jobs"), "alpha://jobs");
    }

    @Test
    void findsProvidersOfTheContextClassLoader() throws Exception {
        ChildJvm.Result result = probe(withApi(beta), "context=" + alpha, "uri=alpha://jobs");
        assertHeld(result, "alpha://jobs");
        assertThat(result.out()).contains("found alpha,beta,memory\n");
    }

    @Test
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void anUnreadableClassPathIsNoEndlessLoop() {
        Thread.currentThread().setContextClassLoader(new ClassLoader() {
            @Override
            public Enumeration<URL> getResources(String name) throws IOException {
                if (name.equals(Pieces.SERVICES)) {
                    throw new IOException("disk error");
                }
                return Collections.emptyEnumeration();
            }
        });
        assertThat(LockProviders.all()).extracting(LockProvider::scheme).contains("memory");
    }

    // ---- providers that cannot be loaded

    @Test
    void aMissingProviderClassIsReportedAndTheOthersWork() throws Exception {
        Path broken = new Pieces().services("com.example.Gone").jar(folder, "broken.jar");
        assertOthersWorkAnd("com.example.Gone", broken);
    }

    @Test
    void aProviderThatCannotBeMadeIsReportedAndTheOthersWork() throws Exception {
        Path broken = providerJar("broken.jar", "failing", SampleProvider.Failing.class);
        assertOthersWorkAnd("the native part is missing", broken);
    }

    @Test
    void aProviderWithoutItsLibraryIsReportedAndTheOthersWork() throws Exception {
        Path broken = new Pieces()
                .classes(SampleProvider.class, SampleProvider.Orphan.class, SampleProvider.OtherOrphan.class)
                .provider("orphan", SampleProvider.Orphan.class, SampleProvider.OtherOrphan.class)
                .jar(folder, "broken.jar");
        assertOthersWorkAnd("SampleProvider$Library", broken);
    }

    private void assertOthersWorkAnd(String report, Path broken) throws Exception {
        for (List<Path> order : List.of(withApi(broken, alpha), withApi(alpha, broken))) {
            for (String uri : List.of("uri=alpha://jobs", "uri=//jobs")) {
                ChildJvm.Result result = probe(order, uri);
                assertHeldWithLog(result, "alpha://jobs");
                assertThat(result.err()).contains("WARNING: a listed provider cannot be loaded", report);
            }
            assertRefused(probe(order, "uri=beta://jobs"), report, "alpha");
        }
    }

    // ---- shaded jars

    @Test
    void aMergedJarWorks() throws Exception {
        Path shaded = new Pieces()
                .classes(SampleProvider.class, SampleProvider.Alpha.class)
                .services("dev.holdfast.lock.memory.MemoryLockProvider", SampleProvider.Alpha.class.getName())
                .marker("alpha")
                .contentOf(Pieces.lockApi())
                .jar(folder, "shaded.jar");
        properties.add("-Dholdfast.uri=alpha://jobs");
        assertHeld(probe(List.of(shaded)), "alpha://jobs");
    }

    @Test
    void anUnmergedJarThatLostAProviderSaysSo() throws Exception {
        Path shaded = new Pieces()
                .contentOf(Pieces.lockApi())
                .classes(SampleProvider.class, SampleProvider.Alpha.class)
                .marker("alpha")
                .jar(folder, "shaded.jar");
        assertRefused(probe(List.of(shaded), "uri=alpha://jobs"), UNMERGED, shaded.toString(), Pieces.SERVICES);
    }

    @Test
    void anUnmergedJarThatLostMemorySaysSo() throws Exception {
        Path shaded = new Pieces().contentOf(alpha).contentOf(Pieces.lockApi()).jar(folder, "shaded.jar");
        assertHeld(probe(List.of(shaded), "uri=alpha://jobs"), "alpha://jobs");
        assertRefused(probe(List.of(shaded), "uri=memory:"), UNMERGED);
    }

    @Test
    void anUnmergedJarThatLostItsOnlyProviderSaysSoWithoutASchemeToo() throws Exception {
        Path shaded = new Pieces()
                .contentOf(Pieces.lockApi())
                .contentOf(Pieces.origin(RedisLockProvider.class))
                .jar(folder, "shaded.jar");
        assertRefused(probe(List.of(shaded), "uri=redis://localhost"), UNMERGED);
        assertRefused(probe(List.of(shaded), "uri=//localhost"), UNMERGED);
    }

    @Test
    void anUnmergedJarDoesNotPassASurvivorOffAsTheOnlyProvider() throws Exception {
        Path shaded = new Pieces()
                .contentOf(alpha)
                .contentOf(Pieces.lockApi())
                .contentOf(Pieces.origin(RedisLockProvider.class))
                .jar(folder, "shaded.jar");
        assertRefused(probe(List.of(shaded), "uri=//jobs"), UNMERGED);
    }

    @Test
    void aProviderThatIsNotThereAtAllIsNoShadingProblem() throws Exception {
        assertThat(probe(withApi(alpha), "uri=beta://jobs").out()).doesNotContain(UNMERGED);
    }
}

package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import dev.holdfast.sample.Probe;
import dev.holdfast.sample.SampleProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shaded jar as it is given to users: the command in it, and an application that was shaded the same way. */
class ShadedJarIT {
    private static final Path JAR = Path.of(System.getProperty("holdfast.jar", "holdfast.jar is not set"));

    @TempDir
    private Path folder;

    private ChildJvm.Result holdfast(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("-jar", JAR.toString()));
        command.addAll(List.of(arguments));
        return ChildJvm.run(folder, Map.of("LC_ALL", "C"), command);
    }

    private ChildJvm.Result probe(List<String> properties, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        Path probe = new Pieces().classes(Probe.class).jar(folder, "probe.jar");
        return ChildJvm.run(
                folder, environment, ChildJvm.main(List.of(JAR, probe), properties, Probe.class, arguments));
    }

    @Test
    void demoEndsAsPromised() throws Exception {
        ChildJvm.Result result = holdfast("demo");
        assertThat(result.out())
                .contains("all from " + JAR)
                .endsWith("As promised: counter right, tokens strictly rising, late write refused by the fence."
                        + System.lineSeparator())
                .matches("[\\p{ASCII}\\n]*");
        assertThat(result.err()).isEmpty();
        assertThat(result.exit()).isZero();
    }

    @Test
    void guaranteesOfEveryProviderAreInIt() throws Exception {
        ChildJvm.Result result = holdfast("guarantees", "--format", "json");
        JsonArray json = StrictJson.parse(result.out()).getAsJsonArray();
        assertThat(StreamSupport.stream(json.spliterator(), false)
                        .map(each -> each.getAsJsonObject().get("scheme").getAsString()))
                .containsExactlyInAnyOrder("memory", "redis");
        assertThat(result.exit()).isZero();
    }

    @Test
    void exitCodesReachTheShell() throws Exception {
        assertThat(holdfast().exit()).isEqualTo(2);
        ChildJvm.Result refused = holdfast("demo", "redis://:hush@127.0.0.1:1");
        assertThat(refused.exit()).isEqualTo(1);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err())
                .startsWith("holdfast: cannot open redis://:***@127.0.0.1:1")
                .doesNotContain("hush", "\tat ");
        assertThat(holdfast("--version").out()).startsWith("holdfast ").doesNotContain("null", "$");
    }

    @Test
    void openFindsTheProviderThatIsNamed() throws Exception {
        assertThat(probe(List.of("-Dholdfast.uri=memory://jobs"), Map.of()).out())
                .contains("found memory,redis\n", "held true by LockClient[memory://jobs]");
        assertThat(probe(List.of(), Map.of("HOLDFAST_URI", "memory://jobs")).out())
                .contains("held true by LockClient[memory://jobs]");
    }

    @Test
    void openWithoutASchemeGoesToTheOnlyProviderBesidesMemory() throws Exception {
        // Nobody listens there; the provider is the one that says so.
        ChildJvm.Result result = probe(List.of("-Dholdfast.uri=//127.0.0.1:1"), Map.of());
        assertThat(result.out()).contains("LockUnavailableException: cannot open redis://127.0.0.1:1");
    }

    @Test
    void openWithTwoProvidersListsThemAndWhereTheyAre() throws Exception {
        Path more = new Pieces()
                .classes(SampleProvider.class, SampleProvider.Alpha.class)
                .provider("alpha", SampleProvider.Alpha.class)
                .classes(Probe.class)
                .jar(folder, "more.jar");
        ChildJvm.Result result = ChildJvm.run(
                folder, Map.of("HOLDFAST_URI", "//jobs"), ChildJvm.main(List.of(JAR, more), List.of(), Probe.class));
        assertThat(result.out())
                .contains("LockConfigurationException: the provider is ambiguous")
                .contains("redis (dev.holdfast.lock.redis.RedisLockProvider in ", JAR.toString())
                .contains("alpha (dev.holdfast.sample.SampleProvider$Alpha in ", more.toString());
    }
}

package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports;
import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** The demo on a real Redis with a password: clients in processes of their own, a holder that is really stopped. */
class RedisDemoIT {
    private static final int PORT = 6379;
    private static final String PASSWORD = "hush-hush";

    private static final GenericContainer<?> REDIS = new GenericContainer<>(
                    DockerImageName.parse(System.getProperty("redis.image", "redis:8.0")))
            .withExposedPorts(PORT)
            .withCommand("redis-server", "--requirepass", PASSWORD)
            .waitingFor(Wait.forLogMessage(".*Ready to accept connections.*", 1))
            .withCreateContainerCmdModifier(create -> create.getHostConfig()
                    .withPortBindings(new PortBinding(Ports.Binding.bindIp("127.0.0.1"), ExposedPort.tcp(PORT))));

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() {
        REDIS.start();
    }

    @AfterAll
    static void stop() {
        REDIS.stop();
    }

    private ChildJvm.Result holdfast(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("-jar", System.getProperty("holdfast.jar", "")));
        command.addAll(List.of(arguments));
        return ChildJvm.run(folder, Map.of(), command);
    }

    private static String uri() {
        return "redis://:" + PASSWORD + "@127.0.0.1:" + REDIS.getMappedPort(PORT);
    }

    @Test
    void demoEndsAsPromised() throws Exception {
        ChildJvm.Result result = holdfast("demo", uri());
        assertThat(result.err()).isEmpty();
        assertThat(result.out())
                .contains("each client a process of its own", "final count: 36 of 36", "tokens strictly rising: yes")
                .containsPattern("A reads 10, takes 1 ... paused: SIGSTOP to process \\d+")
                .contains("believes: LOST, ", "REFUSED: stock: token ")
                .contains("As promised: counter right, tokens strictly rising, late write refused by the fence.")
                .doesNotContain(PASSWORD);
        assertThat(result.out().lines()).hasSizeLessThanOrEqualTo(80);
        assertThat(result.exit()).isZero();
    }

    @Test
    void guaranteesSayWhatThisServerOffersAndWhy() throws Exception {
        ChildJvm.Result result = holdfast("guarantees", "--format", "json", uri());
        JsonObject redis =
                StrictJson.parse(result.out()).getAsJsonArray().get(0).getAsJsonObject();
        assertThat(redis.get("scheme").getAsString()).isEqualTo("redis");
        assertThat(redis.get("safety").getAsString()).isEqualTo("EFFICIENCY");
        assertThat(redis.get("observations").toString()).contains("appendonly is no");
        assertThat(result.out()).doesNotContain(PASSWORD);
    }
}

package dev.holdfast.lock.tck.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.testcontainers.DockerClientFactory;

/** The faults of a node, on Redis servers. Where there is no container engine it is skipped; the checks of the providers are red there. */
class NodeTest {
    @BeforeAll
    static void engine() {
        Assumptions.assumeTrue(DockerClientFactory.instance().isDockerAvailable(), "no container engine");
    }

    private static Node redis(String... arguments) {
        return Node.of(
                "redis",
                "redis:8.0",
                6379,
                Ready.answering("PING\r\n", "+PONG"),
                container -> container.withCommand(arguments));
    }

    private static String say(InetSocketAddress where, String command) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(where, 500);
            socket.setSoTimeout(500);
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
        }
    }

    @Test
    void killedPausedAndEmptied() throws IOException {
        try (Node kept = redis("--appendonly", "yes", "--appendfsync", "always");
                Node forgetful = redis("--save", "");
                Link link = Link.to(kept::address)) {
            Node.start(List.of(kept, forgetful));
            InetSocketAddress published = kept.published();
            for (Node node : List.of(kept, forgetful)) {
                assertThat(say(node.address(), "SET k v")).isEqualTo("+OK");
                assertThat(say(node.published(), "EXISTS k")).isEqualTo(":1");
                node.kill();
                assertThatThrownBy(() -> say(node.address(), "PING")).isInstanceOf(IOException.class);
                node.restart();
            }
            assertThat(kept.published()).isEqualTo(published);
            assertThat(say(kept.address(), "EXISTS k")).as("with its disk").isEqualTo(":1");
            assertThat(say(link.address(), "EXISTS k")).as("through a link").isEqualTo(":1");
            assertThat(say(forgetful.address(), "EXISTS k"))
                    .as("without a disk")
                    .isEqualTo(":0");

            kept.pause();
            assertThatThrownBy(() -> say(kept.address(), "SET late v")).isInstanceOf(SocketTimeoutException.class);
            kept.resume();
            assertThat(say(kept.address(), "EXISTS late"))
                    .as("carried out after all")
                    .isEqualTo(":1");

            kept.restartEmpty();
            assertThat(kept.published()).isEqualTo(published);
            assertThat(say(kept.address(), "EXISTS k")).as("with an empty disk").isEqualTo(":0");
            assertThat(say(link.address(), "EXISTS k")).as("through a link").isEqualTo(":0");
        }
    }
}

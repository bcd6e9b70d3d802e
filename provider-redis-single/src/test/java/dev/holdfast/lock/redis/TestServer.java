package dev.holdfast.lock.redis;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports;
import dev.holdfast.lock.LockOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/** A Redis server in a container, at an address that it keeps over restarts. */
final class TestServer implements AutoCloseable {
    private static final int PORT = 6379;
    private static @Nullable TestServer shared;

    private final DockerClient docker = DockerClientFactory.instance().client();
    private final GenericContainer<?> container;
    private final int port;

    private TestServer(Map<String, String> files, String... arguments) {
        port = freePort();
        container = new GenericContainer<>(DockerImageName.parse(System.getProperty("redis.image", "redis:8.0")))
                .withExposedPorts(PORT)
                .waitingFor(new Answers())
                .withCreateContainerCmdModifier(create -> create.getHostConfig()
                        .withPortBindings(new PortBinding(
                                Ports.Binding.bindIpAndPort("127.0.0.1", port), ExposedPort.tcp(PORT))));
        if (arguments.length > 0) {
            // The images take options alone as options of their server, whatever it is called.
            container.withCommand(arguments);
        }
        files.forEach((path, text) -> container.withCopyToContainer(Transferable.of(text, 0644), path));
        container.start();
    }

    /** One with these options on its command line, as in {@code --appendonly yes}. */
    static TestServer with(String... arguments) {
        return new TestServer(Map.of(), arguments);
    }

    static TestServer withFiles(Map<String, String> files, String... arguments) {
        return new TestServer(files, arguments);
    }

    /** One with default settings for all tests, emptied. */
    static TestServer shared() {
        TestServer server = shared;
        if (server == null) {
            server = with();
            shared = server;
        }
        try (Jedis admin = server.admin()) {
            admin.flushAll();
        }
        return server;
    }

    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return port;
    }

    String uri() {
        return "redis://127.0.0.1:" + port;
    }

    LockOptions options(String query) {
        return LockOptions.parse(uri() + query);
    }

    LockOptions options() {
        return options("");
    }

    /** A connection for looking and meddling. */
    Jedis admin() {
        return new Jedis(
                new HostAndPort("127.0.0.1", port),
                DefaultJedisClientConfig.builder().autoNegotiateProtocol(false).build());
    }

    /** Its address among containers. */
    String bridgeAddress() {
        return docker.inspectContainerCmd(container.getContainerId())
                .exec()
                .getNetworkSettings()
                .getNetworks()
                .values()
                .iterator()
                .next()
                .getIpAddress();
    }

    void kill() {
        docker.killContainerCmd(container.getContainerId()).withSignal("KILL").exec();
    }

    void start() throws Exception {
        docker.startContainerCmd(container.getContainerId()).exec();
        Wait.until("the server answers", this::answers);
    }

    void pause() {
        docker.pauseContainerCmd(container.getContainerId()).exec();
    }

    void unpause() {
        docker.unpauseContainerCmd(container.getContainerId()).exec();
    }

    boolean answers() {
        try (Jedis jedis = new Jedis(
                new HostAndPort("127.0.0.1", port),
                DefaultJedisClientConfig.builder()
                        .autoNegotiateProtocol(false)
                        .timeoutMillis(500)
                        .build())) {
            return jedis.ping().equals("PONG");
        } catch (JedisException e) {
            // One that wants a password or TLS is up too.
            return String.valueOf(e.getMessage()).startsWith("NOAUTH");
        }
    }

    /** Fields of INFO. */
    Map<String, String> info(String section) {
        Map<String, String> fields = new TreeMap<>();
        try (Jedis admin = admin()) {
            for (String line : admin.info(section).split("\r\n", -1)) {
                int colon = line.indexOf(':');
                if (colon > 0) {
                    fields.put(line.substring(0, colon), line.substring(colon + 1));
                }
            }
        }
        return fields;
    }

    /** How often the server has run a command since {@code CONFIG RESETSTAT}. */
    long calls(String command) {
        String stats = info("commandstats").get("cmdstat_" + command);
        return stats == null ? 0 : Long.parseLong(stats.replaceFirst("calls=(\\d+),.*", "$1"));
    }

    /** Connections by the name of this library, other than for signals. */
    long connections() {
        try (Jedis admin = admin()) {
            return admin.clientList()
                    .lines()
                    .filter(l -> l.contains("name=holdfast"))
                    .count();
        }
    }

    @Override
    public void close() {
        container.stop();
    }

    /** Asks from outside, without running anything in the container. */
    private final class Answers extends AbstractWaitStrategy {
        @Override
        protected void waitUntilReady() {
            try {
                Wait.until("the server is up", () -> {
                    try (java.net.Socket socket = new java.net.Socket(InetAddress.getLoopbackAddress(), port)) {
                        socket.setSoTimeout(50);
                        try {
                            return socket.getInputStream().read() >= 0;
                        } catch (java.net.SocketTimeoutException open) {
                            return true;
                        }
                    } catch (IOException e) {
                        return false;
                    }
                });
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}

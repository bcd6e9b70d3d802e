package dev.holdfast.lock.tck.nodes;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;
import org.testcontainers.lifecycle.Startables;
import org.testcontainers.utility.DockerImageName;

/**
 * A server in a container that can be killed, started again, paused and emptied. Its port on 127.0.0.1 stays the same through all of that, and so
 * does what {@link #address()} returns, unless it was emptied.
 */
public final class Node implements AutoCloseable {
    /** {@code holdfast.image.NAME} names another image for the nodes of this name. */
    public static final String IMAGE_PROPERTY = "holdfast.image.";

    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final long STEP = Duration.ofMillis(10).toNanos();

    private final GenericContainer<?> container;
    private final int port;
    private final int hostPort;
    private final Ready ready;
    private volatile InetSocketAddress address;

    private Node(GenericContainer<?> container, int port, Ready ready) {
        this.container = container;
        this.port = port;
        this.ready = ready;
        hostPort = freePort();
        address = new InetSocketAddress(InetAddress.getLoopbackAddress(), hostPort);
        container.withExposedPorts(port);
        container.withCreateContainerCmdModifier(command -> {
            if (command.getHostConfig() != null) {
                var unused = command.getHostConfig()
                        .withPortBindings(new PortBinding(
                                Ports.Binding.bindIpAndPort("127.0.0.1", hostPort), ExposedPort.tcp(port)));
            }
        });
        container.waitingFor(new AbstractWaitStrategy() {
            @Override
            protected void waitUntilReady() {
                awaitReady();
            }
        });
    }

    /**
     * A node that is not started yet.
     *
     * @param name what the system property {@value #IMAGE_PROPERTY} + name overrides the image of
     * @param image the image if that is not set
     * @param port the port of its server
     * @param ready whether the server answers
     * @param more what else the container needs: a command, environment, a network
     */
    public static Node of(String name, String image, int port, Ready ready, Consumer<GenericContainer<?>> more) {
        GenericContainer<?> container =
                new GenericContainer<>(DockerImageName.parse(System.getProperty(IMAGE_PROPERTY + name, image)));
        more.accept(container);
        return new Node(container, port, ready);
    }

    /** Starts nodes at the same time; returns when all answer. */
    public static void start(Collection<Node> nodes) {
        Startables.deepStart(nodes.stream().map(node -> node.container)).join();
        nodes.forEach(Node::choose);
    }

    /** Starts it; returns when it answers. */
    public Node start() {
        container.start();
        choose();
        return this;
    }

    /**
     * Where it is reached: at its address on the engine's bridge where that is possible (Linux), since a published port costs more than twice the
     * time; otherwise at 127.0.0.1.
     */
    public InetSocketAddress address() {
        return address;
    }

    /** Its port on 127.0.0.1. */
    public InetSocketAddress published() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), hostPort);
    }

    /** Its container. */
    public GenericContainer<?> container() {
        return container;
    }

    // ---- faults

    /** Kills its process at once; what it wrote to its disk stays. */
    public void kill() {
        docker().killContainerCmd(container.getContainerId()).withSignal("KILL").exec();
        await("it is dead", () -> !Boolean.TRUE.equals(state().getRunning()));
    }

    /** Starts it again after {@link #kill()}, with the disk it had; returns when it answers. */
    public void restart() {
        docker().startContainerCmd(container.getContainerId()).exec();
        awaitReady();
        choose();
    }

    /** Replaces it by one with an empty disk; returns when it answers. */
    public void restartEmpty() {
        container.stop();
        start();
    }

    /** Stops its process; connections stay open, and what was sent meanwhile is carried out after {@link #resume()}. */
    public void pause() {
        docker().pauseContainerCmd(container.getContainerId()).exec();
        if (!Boolean.TRUE.equals(state().getPaused())) {
            throw new IllegalStateException("the pause did not take effect");
        }
    }

    /** Ends {@link #pause()}; returns when it answers. */
    public void resume() {
        docker().unpauseContainerCmd(container.getContainerId()).exec();
        awaitReady();
    }

    /** Removes it. */
    @Override
    public void close() {
        container.stop();
    }

    // ---- how it works

    private static DockerClient docker() {
        return DockerClientFactory.instance().client();
    }

    private InspectContainerResponse.ContainerState state() {
        return inspect().getState();
    }

    private InspectContainerResponse inspect() {
        return docker().inspectContainerCmd(container.getContainerId()).exec();
    }

    private void choose() {
        address = published();
        String bridge = inspect().getNetworkSettings().getNetworks().values().stream()
                .map(network -> network.getIpAddress())
                .filter(ip -> ip != null && !ip.isEmpty())
                .findFirst()
                .orElse("");
        if (!bridge.isEmpty()) {
            InetSocketAddress direct = new InetSocketAddress(bridge, port);
            if (isReady(direct)) {
                address = direct;
            }
        }
    }

    private void awaitReady() {
        await("it answers at " + published(), () -> isReady(published()));
    }

    private boolean isReady(InetSocketAddress where) {
        try {
            return ready.isReady(where);
        } catch (IOException e) {
            return false;
        }
    }

    private interface Condition {
        boolean holds();
    }

    private void await(String what, Condition condition) {
        long limit = System.nanoTime() + START_LIMIT.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() - limit > 0) {
                throw new IllegalStateException(
                        what + " is not so after " + START_LIMIT + ": " + container.getDockerImageName());
            }
            LockSupport.parkNanos(STEP);
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return container.getDockerImageName() + " at " + address;
    }
}

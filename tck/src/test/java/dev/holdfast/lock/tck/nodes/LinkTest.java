package dev.holdfast.lock.tck.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LinkTest {
    /** Answers each byte with the same, and remembers what came. */
    private final ServerSocket server = listen();

    private final List<Byte> came = new CopyOnWriteArrayList<>();
    private final Link link =
            Link.to(() -> new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort()));

    private static ServerSocket listen() {
        try {
            return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @BeforeEach
    void serve() {
        daemon(() -> {
            while (true) {
                Socket socket = server.accept();
                daemon(() -> {
                    for (int b; (b = socket.getInputStream().read()) >= 0; ) {
                        came.add((byte) b);
                        socket.getOutputStream().write(b);
                    }
                    socket.close();
                });
            }
        });
    }

    private interface Body {
        void run() throws IOException;
    }

    private static void daemon(Body body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (IOException e) {
                // The test is over, or the connection was cut.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @AfterEach
    void end() throws IOException {
        link.close();
        server.close();
    }

    private Socket open() throws IOException {
        Socket socket = new Socket();
        socket.connect(link.address());
        socket.setSoTimeout(5000);
        return socket;
    }

    private static void send(Socket socket, int b) throws IOException {
        socket.getOutputStream().write(b);
    }

    private static int ask(Socket socket, int b) throws IOException {
        send(socket, b);
        return socket.getInputStream().read();
    }

    private static void silent(Socket socket) throws IOException {
        socket.setSoTimeout(80);
        assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
        socket.setSoTimeout(5000);
    }

    private static void until(BooleanSupplier condition) {
        long limit = System.nanoTime() + Duration.ofSeconds(5).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - limit).as("in time").isNegative();
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void passesAndCounts() throws IOException {
        try (Socket a = open();
                Socket b = open()) {
            assertThat(ask(a, 1)).isEqualTo(1);
            assertThat(ask(b, 2)).isEqualTo(2);
            assertThat(link.connections()).isEqualTo(2);
        }
        until(() -> link.connections() == 0);
    }

    @Test
    void holdIsSilenceAndLosesNothing() throws IOException {
        try (Socket a = open()) {
            assertThat(ask(a, 1)).isEqualTo(1);
            link.hold();
            send(a, 2);
            silent(a);
            assertThat(came).containsExactly((byte) 1);
            try (Socket late = open()) {
                send(late, 9);
                silent(late);
                link.mend();
                assertThat(late.getInputStream().read()).isEqualTo(9);
            }
            assertThat(a.getInputStream().read()).isEqualTo(2);
        }
    }

    @Test
    void whatWasSentBeforeClosingPassesAfterHold() throws IOException {
        try (Socket a = open()) {
            assertThat(ask(a, 1)).isEqualTo(1);
            link.hold();
            send(a, 2);
            silent(a);
        }
        link.mend();
        until(() -> came.contains((byte) 2));
    }

    @Test
    void cutResetsOldAndNewConnections() throws IOException {
        try (Socket a = open()) {
            assertThat(ask(a, 1)).isEqualTo(1);
            link.cut();
            assertThatThrownBy(() -> ask(a, 2)).isInstanceOf(IOException.class);
            assertThat(link.connections()).isZero();
        }
        try (Socket b = open()) {
            assertThatThrownBy(() -> {
                        if (ask(b, 3) < 0) {
                            throw new IOException("closed");
                        }
                    })
                    .isInstanceOf(IOException.class);
        } catch (IOException refused) {
            assertThat(refused).hasMessageContaining("reset");
        }
        link.mend();
        try (Socket c = open()) {
            assertThat(ask(c, 4)).isEqualTo(4);
        }
        assertThat(came).containsExactly((byte) 1, (byte) 4);
    }

    @Test
    void delayIsForEachDirection() throws IOException {
        link.delay(Duration.ofMillis(60));
        try (Socket a = open()) {
            for (int i = 0; i < 2; i++) {
                long from = System.nanoTime();
                assertThat(ask(a, i)).isEqualTo(i);
                assertThat(Duration.ofNanos(System.nanoTime() - from))
                        .isBetween(Duration.ofMillis(119), Duration.ofMillis(1000));
            }
        }
    }

    @Test
    void droppedReplyWasCarriedOutAndItsConnectionStaysSilent() throws IOException {
        try (Socket a = open();
                Socket b = open()) {
            assertThat(ask(a, 1)).isEqualTo(1);
            link.dropNextReply();
            send(a, 2);
            silent(a);
            assertThat(came).contains((byte) 2);
            assertThat(link.droppedBytes()).isEqualTo(1);
            assertThat(ask(b, 3)).as("only one answer is dropped").isEqualTo(3);
            send(a, 4);
            silent(a);
            link.mend();
            assertThatThrownBy(() -> {
                        if (a.getInputStream().read() < 0) {
                            throw new IOException("closed");
                        }
                    })
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void delayedRequestArrivesAfterItsCallerHasGone() throws IOException {
        try (Socket a = open();
                Socket b = open()) {
            assertThat(ask(a, 1)).isEqualTo(1);
            link.delayNextRequest();
            send(a, 2);
            silent(a);
            assertThat(ask(b, 3)).as("others pass").isEqualTo(3);
            a.close();
            assertThat(came).doesNotContain((byte) 2);
            assertThat(link.delayedBytes()).isEqualTo(1);
            link.deliver();
            until(() -> came.contains((byte) 2));
            assertThat(ask(b, 4)).isEqualTo(4);
        }
        until(() -> link.connections() == 0);
    }

    @Test
    void aServerThatMovesIsFound() throws IOException {
        try (ServerSocket other = listen();
                Link moving = Link.to(() -> new InetSocketAddress(
                        InetAddress.getLoopbackAddress(),
                        came.isEmpty() ? server.getLocalPort() : other.getLocalPort()))) {
            try (Socket a = new Socket()) {
                a.connect(moving.address());
                assertThat(ask(a, 7)).isEqualTo(7);
            }
            try (Socket b = new Socket()) {
                b.connect(moving.address());
                try (Socket accepted = other.accept()) {
                    send(b, 8);
                    assertThat(accepted.getInputStream().read()).isEqualTo(8);
                }
            }
        }
    }
}

package dev.holdfast.lock.tck.nodes;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** Tells from outside whether a server answers; runs nothing in its container, where there may be no shell. */
@FunctionalInterface
public interface Ready {
    /** Asks once. */
    boolean isReady(InetSocketAddress address) throws IOException;

    /** It takes a connection, and keeps it for a moment: a published port is open before its server is. */
    static Ready connected() {
        return address -> {
            try (Socket socket = connect(address)) {
                socket.setSoTimeout(50);
                try {
                    return socket.getInputStream().read() >= 0;
                } catch (SocketTimeoutException open) {
                    return true;
                }
            }
        };
    }

    /** It answers a line with a text that begins so: {@code PING} with {@code +PONG}, {@code ruok} with {@code imok}. */
    static Ready answering(String question, String answer) {
        return address -> {
            try (Socket socket = connect(address)) {
                socket.setSoTimeout(500);
                socket.getOutputStream().write(question.getBytes(StandardCharsets.UTF_8));
                InputStream in = socket.getInputStream();
                byte[] read = in.readNBytes(answer.length());
                return new String(read, StandardCharsets.UTF_8).equals(answer);
            } catch (SocketTimeoutException silent) {
                return false;
            }
        };
    }

    private static Socket connect(InetSocketAddress address) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(address, 500);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }
}

package dev.holdfast.lock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A link to a server that a test can hold in either direction, cut, or make lose one answer. */
final class TestLink implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private boolean requestsHeld;
    private boolean answersHeld;
    private boolean cut;
    private boolean loseAnswer;

    TestLink(int target) {
        this.target = target;
        try {
            listener = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        run(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    String uri() {
        return "redis://127.0.0.1:" + port();
    }

    /** Nothing passes, and nobody is told. */
    void hold() {
        set(true, true, false);
    }

    /** Requests arrive, answers do not. */
    void holdAnswers() {
        set(false, true, false);
    }

    /** Requests are kept back. */
    void holdRequests() {
        set(true, false, false);
    }

    /** All connections are reset, and new ones too. */
    void cut() {
        set(false, false, true);
        sockets.forEach(TestLink::reset);
    }

    /** Resets all connections; new ones pass. */
    void reset() {
        cut();
        mend();
    }

    /** What was held passes, and new connections too. */
    void mend() {
        set(false, false, false);
    }

    /** The next bytes from the server are swallowed, and their connection is reset. */
    void loseNextAnswer() {
        lock.lock();
        try {
            loseAnswer = true;
        } finally {
            lock.unlock();
        }
    }

    private void set(boolean holdRequests, boolean holdAnswers, boolean cutNow) {
        lock.lock();
        try {
            requestsHeld = holdRequests;
            answersHeld = holdAnswers;
            cut = cutNow;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits while this direction is held; false if the connection is to be reset. */
    private boolean passes(boolean answer) throws InterruptedException {
        lock.lock();
        try {
            while (answer ? answersHeld : requestsHeld) {
                changed.await();
            }
            if (answer && loseAnswer) {
                loseAnswer = false;
                return false;
            }
            return !cut;
        } finally {
            lock.unlock();
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                sockets.add(client);
                run(() -> connect(client));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void connect(Socket client) {
        try {
            lock.lock();
            try {
                while (requestsHeld && answersHeld) {
                    changed.await();
                }
                if (cut) {
                    reset(client);
                    return;
                }
            } finally {
                lock.unlock();
            }
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            server.setTcpNoDelay(true);
            client.setTcpNoDelay(true);
            sockets.add(server);
            run(() -> copy(client, server, false));
            copy(server, client, true);
        } catch (IOException | InterruptedException e) {
            reset(client);
        }
    }

    private void copy(Socket from, Socket to, boolean answers) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[8192];
            for (int n; (n = in.read(bytes)) > 0; ) {
                if (!passes(answers)) {
                    break;
                }
                out.write(bytes, 0, n);
            }
        } catch (IOException | InterruptedException e) {
            // Both ends go.
        }
        reset(from);
        reset(to);
        sockets.remove(from);
        sockets.remove(to);
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (SocketException e) {
            // It is closed.
        }
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed.
        }
    }

    private static void run(Runnable task) {
        Thread thread = new Thread(task, "test-link");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
    }
}

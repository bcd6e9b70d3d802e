package dev.holdfast.lock.redis;

import dev.holdfast.lock.spi.TimeSource;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;

/**
 * A socket whose reads end at a moment, however many of them an answer takes; a socket's own time-out begins again with each read, and a server that
 * sends a byte now and then could stretch it for ever. TLS laid over it reads through it, so a handshake is limited too.
 */
final class DeadlineSocket extends Socket {
    private static final long MILLI = 1_000_000;

    private final TimeSource time;
    private volatile long deadline;
    private volatile long patience;

    DeadlineSocket(TimeSource time) {
        this.time = time;
    }

    /** From now on, reads end at this moment of the time source. */
    void deadline(long nanos) {
        deadline = nanos;
        patience = 0;
    }

    /** From now on, each read waits for so long. */
    void patience(long nanos) {
        patience = nanos;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return new Limited(super.getInputStream());
    }

    /**
     * Whether a connection on which nothing is expected has ended at the other side. Costs a millisecond if it has not, since a socket cannot be
     * asked without waiting.
     */
    boolean isStale() {
        try {
            setSoTimeout(1);
            // An end, or bytes that nobody asked for.
            int unused = super.getInputStream().read();
            return true;
        } catch (SocketTimeoutException alive) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /** Closes at once: what was not sent yet, or not acknowledged, is not sent any more. */
    void abort() {
        try {
            setSoLinger(true, 0);
        } catch (SocketException e) {
            // It is closed.
        }
        shut();
    }

    /** Closes in good order. */
    void shut() {
        try {
            close();
        } catch (IOException e) {
            // It is closed all the same.
        }
    }

    private int millisLeft() throws SocketTimeoutException {
        long left = patience;
        if (left == 0) {
            left = deadline - time.nanoTime();
            if (left <= 0) {
                throw new SocketTimeoutException("the deadline has passed");
            }
        }
        return (int) Math.min(Integer.MAX_VALUE, (left + MILLI - 1) / MILLI);
    }

    private final class Limited extends FilterInputStream {
        Limited(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            int n = read(one, 0, 1);
            return n < 0 ? n : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            setSoTimeout(millisLeft());
            return in.read(into, offset, length);
        }
    }
}

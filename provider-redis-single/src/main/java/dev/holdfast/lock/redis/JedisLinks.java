package dev.holdfast.lock.redis;

import dev.holdfast.lock.spi.BackendException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;

/** Where connections come from. */
interface JedisLinks {
    /** A connection for one call. UNAVAILABLE if there is none in time, REFUSED if the server lets nobody in. */
    Link borrow(long deadline) throws BackendException, InterruptedException;

    /** Takes back a connection, lent or dedicated, on which every answer has arrived. */
    void giveBack(Link link);

    /** A connection that is kept for long, beside those that are lent. */
    Link dedicate(long deadline) throws BackendException, InterruptedException;

    /**
     * Throws a connection away that failed, lent or dedicated: an answer may still arrive on it, for the wrong question.
     *
     * @param ended whether the other side ended it, so that others may have ended too; else it was only silent
     */
    void discard(Link link, boolean ended);

    /** Closes a dedicated connection that is not needed any more and is of no use for another. May wait for a connection. */
    void retire(Link link);

    /** Run whenever a connection failed. */
    void onTrouble(Runnable trouble);

    /** The server, as messages call it. */
    String server();

    /** Closes what was opened here. */
    void close();

    /** A connection. */
    final class Link {
        private static final long MILLI = 1_000_000;

        private final Connection connection;
        private final @Nullable DeadlineSocket socket;
        private final int usualTimeout;
        private final int generation;
        private final boolean lent;
        private long lastUsed;

        /**
         * @param socket its socket, if it is ours
         * @param generation how often connections had failed when it was opened
         */
        Link(Connection connection, @Nullable DeadlineSocket socket, int generation, boolean lent) {
            this.connection = connection;
            this.socket = socket;
            this.generation = generation;
            this.lent = lent;
            this.usualTimeout = socket == null ? connection.getSoTimeout() : 0;
        }

        Connection connection() {
            return connection;
        }

        int generation() {
            return generation;
        }

        boolean isLent() {
            return lent;
        }

        long lastUsed() {
            return lastUsed;
        }

        void used(long now) {
            lastUsed = now;
        }

        /** Answers are awaited until then. */
        void deadline(long deadline, long now) {
            if (socket != null) {
                socket.deadline(deadline);
            } else {
                connection.setSoTimeout((int) Math.max(1, Math.min(Integer.MAX_VALUE, (deadline - now) / MILLI)));
            }
        }

        /** Each read waits for so long. */
        void patience(long nanos) {
            if (socket != null) {
                socket.patience(nanos);
            } else {
                connection.setSoTimeout((int) (nanos / MILLI));
            }
        }

        /** Puts back what was changed of an application's connection. */
        void restore() {
            connection.setSoTimeout(usualTimeout);
        }

        boolean isStale() {
            return socket != null && socket.isStale();
        }

        /** Closes it at once. A read on it in another thread fails. */
        void abort() {
            if (socket != null) {
                socket.abort();
                return;
            }
            try {
                connection.forceDisconnect();
            } catch (IOException e) {
                // It is closed all the same.
            }
        }

        /** Closes it in good order. */
        void shut() {
            if (socket != null) {
                socket.shut();
            }
        }

        @Nullable
        DeadlineSocket socket() {
            return socket;
        }
    }
}

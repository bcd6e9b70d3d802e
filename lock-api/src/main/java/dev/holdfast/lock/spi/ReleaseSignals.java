package dev.holdfast.lock.spi;

/** An ability of a {@link LockBackend}: it can tell waiters that a name may be free. Signals are hints; a lost one costs time, never safety. */
public interface ReleaseSignals {
    /**
     * Subscribes to the releases of a name. When this returns, a release that happens from now on is signalled; so the caller asks once more before
     * it waits. A client has at most one subscription for each name.
     *
     * @param mayBeFree run for each signal, and whenever signals may have been missed; from any thread; does not block
     */
    Subscription subscribe(String name, Runnable mayBeFree, long deadline)
            throws BackendException, InterruptedException;

    /** A subscription. */
    interface Subscription {
        /** Ends it. Does not block. */
        void close();
    }
}

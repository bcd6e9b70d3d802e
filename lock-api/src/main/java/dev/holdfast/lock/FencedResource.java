package dev.holdfast.lock;

import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A resource that refuses late holders: a call is admitted only with a token not below the highest seen, and not with the highest one from another
 * acquisition. This check, at the resource, is what makes a lock safe; see Martin Kleppmann, <i>How to do distributed locking</i> (2016).
 *
 * <p>Calls through one object run one after another, so that no admitted call is overtaken by a newer one here. If other processes use the resource
 * too, put the check into the same transaction as the change: an SQL update with {@code WHERE last_token <= ?}; store {@link Lease#id()} too if the
 * server may lose data, since two acquisitions can then have the same token.
 */
public final class FencedResource {
    private final String name;
    private final Store store;
    private final ReentrantLock oneAtATime = new ReentrantLock();

    /**
     * @param name the resource, as the store knows it
     * @param store remembers the newest fence; as durable as the resource itself
     */
    public FencedResource(String name, Store store) {
        this.name = Objects.requireNonNull(name, "name");
        this.store = Objects.requireNonNull(store, "store");
    }

    /** A resource whose fence is remembered in memory: for resources that live in this process, and for tests. */
    public static FencedResource inMemory(String name) {
        return new FencedResource(name, new MemoryStore());
    }

    /**
     * Runs an action if the lease's token is admitted.
     *
     * @throws StaleTokenException if a newer token was seen, or this one from another acquisition; the action was not run
     * @throws IllegalStateException if the lease has no token
     */
    public <X extends Exception> void admit(Lease lease, Action<X> action) throws X {
        admit(lease.token(), lease.id(), action);
    }

    /**
     * As {@link #admit(Lease, Action)}, for a token that came over a wire.
     *
     * @param acquisition the {@link Lease#id()} that came with the token
     * @throws IllegalArgumentException if the token is not positive
     */
    public <X extends Exception> void admit(long token, String acquisition, Action<X> action) throws X {
        if (token <= 0) {
            throw new IllegalArgumentException("token is " + token + "; fencing tokens are positive");
        }
        Fence offered = new Fence(token, acquisition);
        oneAtATime.lock();
        try {
            advance(offered);
            action.run();
        } finally {
            oneAtATime.unlock();
        }
    }

    private void advance(Fence offered) {
        while (true) {
            Fence newest = store.newest(name).orElse(null);
            if (offered.equals(newest)) {
                return;
            }
            if (newest != null && offered.token() <= newest.token()) {
                throw new StaleTokenException(name, offered.token(), newest.token());
            }
            if (store.replace(name, newest, offered)) {
                return;
            }
        }
    }

    /**
     * What is run if admitted.
     *
     * @param <X> what it throws
     */
    @FunctionalInterface
    public interface Action<X extends Exception> {
        /** Does the work. */
        void run() throws X;
    }

    /**
     * The newest call that was admitted.
     *
     * @param token its token
     * @param acquisition its {@link Lease#id()}
     */
    public record Fence(long token, String acquisition) {
        public Fence {
            Objects.requireNonNull(acquisition, "acquisition");
        }
    }

    /** Remembers the newest fence of each resource. Used by several threads. */
    public interface Store {
        /** The newest fence, or empty if there was none. */
        Optional<Fence> newest(String resource);

        /**
         * Replaces the newest fence, durably and atomically, if it still is the expected one (null: if there is none).
         *
         * @return whether it was replaced
         */
        boolean replace(String resource, @Nullable Fence expected, Fence fence);
    }

    private static final class MemoryStore implements Store {
        private final ConcurrentMap<String, Fence> fences = new ConcurrentHashMap<>();

        @Override
        public Optional<Fence> newest(String resource) {
            return Optional.ofNullable(fences.get(resource));
        }

        @Override
        public boolean replace(String resource, @Nullable Fence expected, Fence fence) {
            return expected == null
                    ? fences.putIfAbsent(resource, fence) == null
                    : fences.replace(resource, expected, fence);
        }
    }
}

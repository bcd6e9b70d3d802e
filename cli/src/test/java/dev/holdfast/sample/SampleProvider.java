package dev.holdfast.sample;

import dev.holdfast.lock.LockGuarantees;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.Option;
import dev.holdfast.lock.memory.MemoryLockProvider;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.LockBackend;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.TimeSource;
import java.util.List;

/** A provider that works, on the memory backend, under a scheme of its own. */
public abstract class SampleProvider implements LockProvider {
    private final MemoryLockProvider memory = new MemoryLockProvider();
    private final String scheme;

    protected SampleProvider(String scheme) {
        this.scheme = scheme;
    }

    @Override
    public String scheme() {
        return scheme;
    }

    @Override
    public LockGuarantees declared() {
        return memory.declared();
    }

    @Override
    public List<Option<?>> options() {
        return memory.options();
    }

    @Override
    public LockBackend open(LockOptions options, TimeSource time) throws BackendException {
        return memory.open(options, time);
    }

    /** Scheme alpha. */
    public static final class Alpha extends SampleProvider {
        public Alpha() {
            super("alpha");
        }
    }

    /** Scheme beta. */
    public static final class Beta extends SampleProvider {
        public Beta() {
            super("beta");
        }
    }

    /** Scheme alpha, too. */
    public static final class OtherAlpha extends SampleProvider {
        public OtherAlpha() {
            super("alpha");
        }
    }

    /** What tests leave out, as if it were a vendor's library. */
    public abstract static class Library extends SampleProvider {
        Library() {
            super("orphan");
        }
    }

    /** Cannot be loaded without {@link Library}. */
    public static final class Orphan extends Library {}

    /** Neither can this one. */
    public static final class OtherOrphan extends Library {}

    /** Can be loaded, and not made. */
    public static final class Failing extends SampleProvider {
        public Failing() {
            super(refuse());
        }

        private static String refuse() {
            throw new IllegalStateException("the native part is missing");
        }
    }
}

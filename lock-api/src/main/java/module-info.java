/** One lock API for many backends, and the SPI by which they are found. */
module dev.holdfast.lock {
    requires static transitive org.jspecify;

    exports dev.holdfast.lock;
    exports dev.holdfast.lock.memory;
    exports dev.holdfast.lock.spi;

    uses dev.holdfast.lock.spi.LockProvider;

    provides dev.holdfast.lock.spi.LockProvider with
            dev.holdfast.lock.memory.MemoryLockProvider;
}

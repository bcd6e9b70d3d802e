package dev.holdfast.lock;

/** A promise that is made or not made for each {@link Fault}. */
public enum Property {
    /** Nobody else is granted a name while a promise to its holder still runs. */
    EXCLUSION,
    /** Every new grant of a name has a larger fencing token than all grants of it before. */
    TOKEN_ORDER,
    /** Acquire and release complete again within a stated bound. */
    PROGRESS
}

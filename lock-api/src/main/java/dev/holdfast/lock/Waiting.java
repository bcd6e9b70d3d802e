package dev.holdfast.lock;

/** How a waiter learns that a name may be free. */
public enum Waiting {
    /** By asking again. */
    POLLED,
    /** By being told. */
    NOTIFIED
}

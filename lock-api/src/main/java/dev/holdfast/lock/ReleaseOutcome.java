package dev.holdfast.lock;

/** What a release achieved. */
public enum ReleaseOutcome {
    /** The server freed the lock of exactly this acquisition. */
    RELEASED,
    /** This acquisition held nothing (any more); nothing was changed. */
    NOT_HELD,
    /** No answer. The release is repeated in the background until it is confirmed or the lease has passed. */
    UNKNOWN
}

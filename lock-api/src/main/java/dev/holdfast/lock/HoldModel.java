package dev.holdfast.lock;

/** What frees the lock of a dead holder. */
public enum HoldModel {
    /** The lease of the lock itself runs out. */
    LEASE,
    /** The holder's session with the cluster runs out. */
    SESSION,
    /** The server notices that the holder's connection is gone. */
    CONNECTION
}

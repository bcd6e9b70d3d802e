package dev.holdfast.lock;

/** Where a {@link Lease} stands. {@code LOST} and {@code RELEASED} are final. */
public enum LeaseState {
    /** The promise still runs. */
    HELD,
    /** The hold ended without a release of ours. */
    LOST,
    /** The holder released it, or its client was closed. */
    RELEASED
}

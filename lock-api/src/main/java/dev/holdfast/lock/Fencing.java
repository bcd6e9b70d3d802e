package dev.holdfast.lock;

/** What the fencing tokens of a provider are good for, from weak to strong. */
public enum Fencing {
    /** There are no tokens. */
    NONE,
    /** Two grants never have the same token; nothing is said about their order. */
    UNIQUE,
    /** Tokens rise from grant to grant as long as no server loses data. */
    ORDERED,
    /** Tokens rise from grant to grant across all faults of {@link LockGuarantees#tokenOrder()}. */
    DURABLE
}

package dev.holdfast.lock;

/** What a lock may be used for; computed by {@link LockGuarantees#safety()}, never declared. */
public enum Safety {
    /** Saves duplicate work. Under some fault two clients can both hold the lock and no token tells them apart. */
    EFFICIENCY,
    /** Two clients may still both believe they hold the lock, but their tokens tell who is late: safe <em>if the resource checks the token</em>. */
    CORRECTNESS
}

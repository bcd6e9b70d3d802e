package dev.holdfast.lock;

/** In which order clients are granted a contended name. */
public enum Fairness {
    /** In any order. */
    NONE,
    /** Clients in the order in which they reached the server, and each client's waiters in the order of their calls. */
    FIFO
}

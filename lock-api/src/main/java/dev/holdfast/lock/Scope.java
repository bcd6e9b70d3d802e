package dev.holdfast.lock;

/** Who is excluded by a lock. */
public enum Scope {
    /** Threads of one process. */
    PROCESS,
    /** All clients of one server. */
    SERVER,
    /** All clients of all nodes of a cluster. */
    CLUSTER
}

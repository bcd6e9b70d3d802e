package dev.holdfast.lock;

/**
 * What can go wrong, by name. A provider claims for each property of {@link LockGuarantees} the faults it keeps that property under; the TCK
 * injects those that a harness can.
 */
public enum Fault {
    /** The holder's process dies. */
    CLIENT_CRASH,
    /** The holder's process stands still for longer than its lease (garbage collection, SIGSTOP, a suspended machine). */
    CLIENT_PAUSE,
    /** The holder's packets vanish in silence, both ways. */
    CLIENT_PARTITION,
    /** A connection is closed by a server, a proxy or an idle limit, and the holder may not notice. */
    CONNECTION_RESET,
    /** The server carried a request out and its answer never arrived. */
    REPLY_LOST,
    /** A request is delivered after its caller gave up. */
    LATE_REQUEST,
    /** A server is killed and started again with the disk it had. */
    SERVER_RESTART,
    /** As {@link #SERVER_RESTART}, and what the server had not synced to disk is gone. */
    POWER_LOSS,
    /** A minority of the nodes is down, the leader included. */
    NODE_LOSS,
    /** A minority of the nodes is cut off from the others. */
    NODE_PARTITION,
    /** A replica is promoted in place of its primary. */
    FAILOVER,
    /** The wall clock of one node jumps, forward or backward. */
    CLOCK_JUMP,
    /** The server runs out of the memory it may use. */
    MEMORY_PRESSURE,
    /** A node comes back without its data. It can be named in a report; nobody may claim it. */
    EMPTY_RESTART,
    /** A node comes back with older data. It can be named in a report; nobody may claim it. */
    BACKUP_RESTORE;

    /** Whether a provider may claim to survive this fault at all. */
    public boolean isClaimable() {
        return this != EMPTY_RESTART && this != BACKUP_RESTORE;
    }
}

package dev.holdfast.lock;

/** Whether an owner may acquire again what it holds. */
public enum Reentrancy {
    /** Never: a second acquire is an ordinary contender. */
    NONE,
    /** Yes, when the request asks for it: {@link LockRequest#reentrant()} or {@link LockRequest#owner(Object)}. */
    PER_OWNER
}

package dev.holdfast.lock;

import java.util.Objects;

/**
 * Why a lease was lost.
 *
 * @param cause the kind
 * @param detail what was seen, for people
 */
public record LeaseLoss(Cause cause, String detail) {
    /** The kinds of loss. */
    public enum Cause {
        /** The promise ran out before a renewal was confirmed, or a fixed lease came to its end. */
        EXPIRED,
        /** {@link LockRequest#maxHold} was reached. */
        MAX_HOLD,
        /** The server says that the lock is not ours any more. */
        REVOKED,
        /** The session or connection that carried the lock has ended. */
        SESSION_ENDED,
        /** The servers no longer offer what was required when the client was opened. */
        GUARANTEES_LOWERED
    }

    public LeaseLoss {
        Objects.requireNonNull(cause, "cause");
        Objects.requireNonNull(detail, "detail");
    }
}

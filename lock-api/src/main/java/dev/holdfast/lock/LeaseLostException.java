package dev.holdfast.lock;

/** The lease is not held (any more); thrown by {@link Lease#ensureHeld()}. */
public final class LeaseLostException extends LockException {
    private static final long serialVersionUID = 1L;

    LeaseLostException(String message) {
        super(message, null);
    }
}

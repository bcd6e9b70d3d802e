package dev.holdfast.lock;

/** The name was held by others until the wait limit. Nothing is held or queued. */
public final class LockTimeoutException extends LockException {
    private static final long serialVersionUID = 1L;

    LockTimeoutException(String message) {
        super(message, null);
    }
}

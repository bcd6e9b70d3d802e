package dev.holdfast.lock;

import org.jspecify.annotations.Nullable;

/**
 * A server, or this client on the evidence of a server, refused: authentication, permission, read-only, wrong type of key, lost data, or
 * guarantees below what was required at open. Waiting does not help, so it ends the wait at once. Nothing is held or queued.
 */
public final class LockRefusedException extends LockException {
    private static final long serialVersionUID = 1L;

    LockRefusedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

package dev.holdfast.lock;

import org.jspecify.annotations.Nullable;

/**
 * What this library throws when it cannot do what it was asked. The kind is the class; branch on that, never on the text. Misuse is an
 * {@link IllegalArgumentException} or, on a closed client, an {@link IllegalStateException}; an interrupt is an {@link InterruptedException}.
 */
public abstract sealed class LockException extends RuntimeException
        permits LeaseLostException,
                LockConfigurationException,
                LockRefusedException,
                LockTimeoutException,
                LockUnavailableException,
                StaleTokenException {
    private static final long serialVersionUID = 1L;

    LockException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

package dev.holdfast.lock;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The servers could not decide within the wait limit: unreachable, silent, or without a majority. Whether the lock is held by somebody is not
 * known. Nothing is held or queued by this call; a request that may still arrive is undone in the background.
 */
public final class LockUnavailableException extends LockException {
    private static final long serialVersionUID = 1L;

    private final TreeMap<String, String> nodes;

    LockUnavailableException(String message, @Nullable Throwable cause, Map<String, String> nodes) {
        super(message, cause);
        this.nodes = new TreeMap<>(nodes);
    }

    /** For each node that was asked, by its address, what went wrong there. */
    public Map<String, String> nodes() {
        return Map.copyOf(nodes);
    }
}

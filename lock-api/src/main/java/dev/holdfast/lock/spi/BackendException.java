package dev.holdfast.lock.spi;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How a driver reports that a call did not go through; {@code LockClient} decides what to do about it. */
public final class BackendException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What is known about the request. */
    public enum Kind {
        /** No server carried it out, or it changed nothing; a later attempt may succeed. */
        UNAVAILABLE,
        /** It may have been carried out, or may still be: no answer. */
        UNCLEAR,
        /** A server answered that it will not: authentication, permission, read-only, wrong type. Trying again is no use. */
        REFUSED
    }

    private final Kind kind;
    private final TreeMap<String, String> nodes = new TreeMap<>();

    /**
     * @param message what was tried and what happened, with the way out if there is one; never a secret
     * @param cause the vendor's exception
     */
    public BackendException(Kind kind, String message, @Nullable Throwable cause) {
        this(kind, message, cause, Map.of());
    }

    /** As above, with what went wrong at each node, by its address. */
    public BackendException(Kind kind, String message, @Nullable Throwable cause, Map<String, String> nodes) {
        super(message, cause);
        this.kind = Objects.requireNonNull(kind, "kind");
        this.nodes.putAll(nodes);
    }

    /** What is known about the request. */
    public Kind kind() {
        return kind;
    }

    /** What went wrong at each node, by its address; empty where the message says it all. */
    public Map<String, String> nodes() {
        return Map.copyOf(nodes);
    }
}

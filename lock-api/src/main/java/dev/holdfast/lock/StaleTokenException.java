package dev.holdfast.lock;

/** A fenced resource has seen a newer token, or the same token from another acquisition; the late call was refused and changed nothing. */
public final class StaleTokenException extends LockException {
    private static final long serialVersionUID = 1L;

    private final long token;
    private final long highest;

    /**
     * @param resource the name of the resource that refused
     * @param token the token of the refused call
     * @param highest the highest token the resource has seen
     */
    public StaleTokenException(String resource, long token, long highest) {
        super(
                token == highest
                        ? "%s: token %d was already used by another acquisition".formatted(resource, token)
                        : "%s: token %d is older than %d, the newest one seen".formatted(resource, token, highest),
                null);
        this.token = token;
        this.highest = highest;
    }

    /** The token of the refused call. */
    public long token() {
        return token;
    }

    /** The highest token the resource has seen. */
    public long highest() {
        return highest;
    }
}

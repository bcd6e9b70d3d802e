package dev.holdfast.lock.tck;

/** A harness cannot do what a check needs; the check is skipped, and the report says so. */
public final class MissingHook extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param hook the method of {@link Harness} or {@link Route} that is not there */
    public MissingHook(String hook) {
        super(hook);
    }
}

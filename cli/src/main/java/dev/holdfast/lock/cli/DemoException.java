package dev.holdfast.lock.cli;

/** What keeps the demo from going on, in words for its user. Never holds a secret. */
final class DemoException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DemoException(String message) {
        super(message);
    }
}

package dev.holdfast.lock.spi;

import dev.holdfast.lock.LeaseLoss;

/** What a server said about a hold. */
public sealed interface HoldState {
    /**
     * It is ours.
     *
     * @param confirmedAt the time source's value <em>before</em> the request was sent whose answer proves it
     */
    record Held(long confirmedAt) implements HoldState {}

    /**
     * It is not ours any more.
     *
     * @param cause REVOKED or SESSION_ENDED
     * @param detail what the server said
     */
    record Lost(LeaseLoss.Cause cause, String detail) implements HoldState {}

    /**
     * Nobody knows.
     *
     * @param cause what went wrong
     */
    record Unknown(Throwable cause) implements HoldState {}
}

package dev.holdfast.lock.cli;

import dev.holdfast.lock.LeaseState;
import java.time.Duration;
import java.util.OptionalLong;

/** A client of the demo, in this process or in one of its own. Holds at most one lease at a time. */
interface Participant extends AutoCloseable {
    /** What the demo calls it. */
    String name();

    /** Acquires and keeps the lease. */
    Grant acquire(Ask ask) throws InterruptedException;

    /** What it believes about its lease. */
    Belief belief() throws InterruptedException;

    /** Orders a value to be written, as the holder that it thinks it is. */
    Write write(int value) throws InterruptedException;

    /** Releases its lease. */
    void release() throws InterruptedException;

    /** Counts, and returns when done. */
    void count(Counting work) throws InterruptedException;

    /** Whether {@link #pause} really stops it, renewals included. */
    boolean canBePaused();

    /** Stops it, or, if it cannot be, does nothing with it from now on. Returns what was done, in words. */
    String pause();

    /** Ends the pause. Returns what was done, in words. */
    String resume();

    @Override
    void close();

    /** Ends it at once, without a release. */
    void kill();

    /**
     * What to acquire.
     *
     * @param lock the name
     * @param lease its length
     * @param renewed whether it is renewed in the background
     * @param patience the longest to wait
     */
    record Ask(String lock, Duration lease, boolean renewed, Duration patience) {}

    /**
     * What was acquired.
     *
     * @param token empty if the provider has none
     * @param lease its length in effect
     */
    record Grant(OptionalLong token, Duration lease) {}

    /**
     * What a client thinks of its lease.
     *
     * @param state where it stands
     * @param remaining of the promise
     * @param detail why it is lost; empty if it is not
     */
    record Belief(LeaseState state, Duration remaining, String detail) {}

    /**
     * An order as it arrives at the resource.
     *
     * @param value what to write
     * @param token the writer's, or empty
     * @param acquisition the id of the writer's lease
     */
    record Write(int value, OptionalLong token, String acquisition) {}
}

package dev.holdfast.lock.internal;

import java.time.Duration;
import java.util.Objects;

/** Durations as nanoseconds, without overflow. */
public final class Durations {
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private Durations() {}

    /** The nanoseconds of a duration, at most {@code Long.MAX_VALUE}. */
    public static long nanos(Duration duration) {
        Objects.requireNonNull(duration, "duration");
        if (duration.compareTo(LONGEST) > 0) {
            return Long.MAX_VALUE;
        }
        return duration.compareTo(LONGEST.negated()) < 0 ? -Long.MAX_VALUE : duration.toNanos();
    }

    /** Refuses what cannot be a lease. */
    public static Duration lease(Duration lease, Duration longest) {
        if (Objects.requireNonNull(lease, "lease").isNegative() || lease.isZero()) {
            throw new IllegalArgumentException("lease is " + lease + "; it must be positive");
        }
        if (lease.compareTo(longest) > 0) {
            throw new IllegalArgumentException("lease is " + lease + "; the longest is " + longest);
        }
        return lease;
    }

    /** For people: {@code 250 ms}, {@code 30 s}, {@code 2.5 s}. */
    public static String show(Duration duration) {
        long millis = duration.toMillis();
        if (duration.compareTo(Duration.ofSeconds(1)) < 0) {
            return millis + " ms";
        }
        return millis % 1000 == 0
                ? duration.toSeconds() + " s"
                : millis / 1000 + "." + "%03d".formatted(millis % 1000).replaceAll("0+$", "") + " s";
    }
}

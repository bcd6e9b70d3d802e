package dev.holdfast.lock.tck;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What became of a check.
 *
 * @param outcome in one word
 * @param reason why it was skipped; null unless it was
 * @param detail what was seen, or what is missing
 * @param millis how long it took
 * @param conviction whether it failed because a promise was seen broken, and not by a crash
 */
record Result(Outcome outcome, @Nullable SkipReason reason, String detail, long millis, boolean conviction) {
    enum Outcome {
        PASSED,
        FAILED,
        SKIPPED,
        /** Ended by an assumption that is not the kit's: red. */
        ABORTED,
        /** Hidden, disabled or filtered: red. */
        MISSING;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}

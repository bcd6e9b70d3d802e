package dev.holdfast.lock.tck;

import org.opentest4j.TestAbortedException;

/** Ends a check that does not apply. Any other abort of a check is red. */
final class SkippedCheck extends TestAbortedException {
    private static final long serialVersionUID = 1L;

    private final SkipReason reason;
    private final String detail;

    SkippedCheck(SkipReason reason, String detail) {
        super(reason + ": " + detail);
        this.reason = reason;
        this.detail = detail;
    }

    SkipReason reason() {
        return reason;
    }

    String detail() {
        return detail;
    }
}

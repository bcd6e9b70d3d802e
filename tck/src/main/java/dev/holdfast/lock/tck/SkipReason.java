package dev.holdfast.lock.tck;

/** Why a check did not apply. There is no other way out of the run. */
public enum SkipReason {
    /** The harness lacks the method that injects or counts what the check needs. */
    NO_HOOK,
    /** The provider does not claim what the check is about. */
    NOT_DECLARED,
    /** What the check is about cannot occur with this provider: the opposite is claimed, or there is no second process. */
    NOT_APPLICABLE
}

package dev.holdfast.lock.spi;

import java.time.Duration;
import java.util.List;

/** An ability of a {@link LockBackend}: many holds are renewed in one go. */
public interface RenewTogether {
    /**
     * One hold and how long it shall last.
     *
     * @param hold a hold of this backend
     * @param lease as in {@link Hold#renew}
     */
    record Renewal(Hold hold, Duration lease) {}

    /** Renews each as {@link Hold#renew} would. The answer has a state for each, in the same order. */
    List<HoldState> renew(List<Renewal> renewals, long deadline) throws BackendException, InterruptedException;
}

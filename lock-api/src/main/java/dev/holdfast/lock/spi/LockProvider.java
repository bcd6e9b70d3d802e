package dev.holdfast.lock.spi;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockGuarantees;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.LockRefusedException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Option;
import java.util.List;

/**
 * A kind of backend, found by {@link java.util.ServiceLoader}: list the class in
 * {@code META-INF/services/dev.holdfast.lock.spi.LockProvider}, and put an empty file {@code META-INF/holdfast/SCHEME} beside it, by which a
 * jar that lost its service file is recognised. Instances have no state but what they were made with, and may be used by any thread.
 */
public interface LockProvider {
    /** The scheme of its URIs: lower case letters, digits and hyphens. */
    String scheme();

    /** What it promises under the settings of {@link LockGuarantees#needs()}. */
    LockGuarantees declared();

    /** Its options besides the common ones. */
    List<Option<?>> options();

    /**
     * Connects, and probes what the live servers offer. Checks all options first, through {@link LockOptions#reader}.
     *
     * <p>Blocks for at most a few {@linkplain LockOptions#OPERATION_TIMEOUT operation time-outs}. After any failure nothing is left open.
     *
     * @param time the only clock to use
     * @throws LockConfigurationException if options are wrong or the servers are not of the right kind
     * @throws BackendException if the servers cannot be reached, or refuse; the application sees a {@link LockUnavailableException} or a
     *     {@link LockRefusedException}
     */
    LockBackend open(LockOptions options, TimeSource time) throws BackendException;
}

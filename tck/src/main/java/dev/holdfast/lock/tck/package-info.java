/**
 * The compatibility kit. A provider extends {@link dev.holdfast.lock.tck.LockProviderTck} with a {@link dev.holdfast.lock.tck.Harness}, and the
 * kit proves what it declares.
 */
@NullMarked
package dev.holdfast.lock.tck;

import org.jspecify.annotations.NullMarked;

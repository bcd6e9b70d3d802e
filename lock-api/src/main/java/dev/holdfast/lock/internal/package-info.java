/** Not for use from outside this module. */
@NullMarked
package dev.holdfast.lock.internal;

import org.jspecify.annotations.NullMarked;

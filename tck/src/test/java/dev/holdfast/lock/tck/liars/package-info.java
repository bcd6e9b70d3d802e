/** Subclasses that try to get out of a check, in a package of their own as those of a provider are. */
@NullMarked
package dev.holdfast.lock.tck.liars;

import org.jspecify.annotations.NullMarked;

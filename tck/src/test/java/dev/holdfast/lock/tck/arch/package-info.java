@NullMarked
package dev.holdfast.lock.tck.arch;

import org.jspecify.annotations.NullMarked;

@NullMarked
package dev.holdfast.lock.tck.process;

import org.jspecify.annotations.NullMarked;

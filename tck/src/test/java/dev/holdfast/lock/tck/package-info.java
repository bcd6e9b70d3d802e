@NullMarked
package dev.holdfast.lock.tck;

import org.jspecify.annotations.NullMarked;

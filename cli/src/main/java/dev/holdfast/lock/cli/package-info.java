/** The {@code holdfast} command. */
@NullMarked
package dev.holdfast.lock.cli;

import org.jspecify.annotations.NullMarked;

/** Servers in containers, and links to them, with the faults that can be put on both. */
@NullMarked
package dev.holdfast.lock.tck.nodes;

import org.jspecify.annotations.NullMarked;

@NullMarked
package dev.holdfast.lock.tck.nodes;

import org.jspecify.annotations.NullMarked;

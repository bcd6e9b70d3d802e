/** Lock takers in processes of their own, which can be stopped and killed, and the history of what they did. */
@NullMarked
package dev.holdfast.lock.tck.process;

import org.jspecify.annotations.NullMarked;

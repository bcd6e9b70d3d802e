/** Deliberately broken backends, and the proof that each is convicted by the check that is meant to, and by no other. */
@NullMarked
package dev.holdfast.lock.tck.kill;

import org.jspecify.annotations.NullMarked;

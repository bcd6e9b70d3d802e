/** The reference backend: locks within one process, on real or virtual time, over a server whose faults can be injected. */
@NullMarked
package dev.holdfast.lock.memory;

import org.jspecify.annotations.NullMarked;

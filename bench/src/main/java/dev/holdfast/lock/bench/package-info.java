/** Benchmarks of lock-api and its providers. */
@NullMarked
package dev.holdfast.lock.bench;

import org.jspecify.annotations.NullMarked;

/** Locks with fencing tokens on one Redis server. */
@NullMarked
package dev.holdfast.lock.redis;

import org.jspecify.annotations.NullMarked;

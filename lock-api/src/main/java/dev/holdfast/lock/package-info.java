/** The lock API for applications: {@link LockProviders} opens a {@link LockClient}, a {@link LockRequest} asks, a {@link Lease} is what is held. */
@NullMarked
package dev.holdfast.lock;

import org.jspecify.annotations.NullMarked;

/** What a backend implements. Everything that must not differ between backends is in {@code LockClient}; a driver talks to servers. */
@NullMarked
package dev.holdfast.lock.spi;

import org.jspecify.annotations.NullMarked;

/** Rules of architecture, and the listing of the public API, for the modules of this project and for providers of others. */
@NullMarked
package dev.holdfast.lock.tck.arch;

import org.jspecify.annotations.NullMarked;

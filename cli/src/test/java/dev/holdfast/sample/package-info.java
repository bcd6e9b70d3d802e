/** Programs and providers that tests put on the class paths of child JVMs. */
@NullMarked
package dev.holdfast.sample;

import org.jspecify.annotations.NullMarked;

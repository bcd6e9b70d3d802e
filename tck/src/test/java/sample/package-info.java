/** A provider as somebody outside of this project would write it: the smallest one that keeps its promises, and its test. */
@NullMarked
package sample;

import org.jspecify.annotations.NullMarked;

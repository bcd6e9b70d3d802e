package dev.holdfast.lock.internal;

import java.util.Objects;

/** Which strings are lock names. */
public final class Names {
    /** The longest name, in UTF-8 bytes. */
    public static final int MAX_BYTES = 1024;

    private Names() {}

    /** Returns the name, or refuses it with a message that shows what is wrong with it. */
    public static String check(String name) {
        Objects.requireNonNull(name, "name");
        if (name.isEmpty()) {
            throw new IllegalArgumentException("the lock name is empty; it needs 1 to " + MAX_BYTES + " UTF-8 bytes");
        }
        int bytes = 0;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c < 0x80) {
                bytes++;
            } else if (c < 0x800) {
                bytes += 2;
            } else if (!Character.isSurrogate(c)) {
                bytes += 3;
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < name.length()
                    && Character.isLowSurrogate(name.charAt(i + 1))) {
                bytes += 4;
                i++;
            } else {
                throw new IllegalArgumentException(
                        "the lock name has a lone surrogate (U+%04X) at index %d; it cannot be written as UTF-8"
                                .formatted((int) c, i));
            }
        }
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("the lock name has %d UTF-8 bytes and the limit is %d; hash it: \"%s…\""
                    .formatted(bytes, MAX_BYTES, name.substring(0, name.offsetByCodePoints(0, 20))));
        }
        return name;
    }
}

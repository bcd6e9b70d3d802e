package dev.holdfast.lock.internal;

import java.security.SecureRandom;
import java.util.Base64;

/** Owner marks: 128 random bits for the client, and a serial number for each acquisition. */
public final class Ids {
    private Ids() {}

    /** A new client's part. */
    public static String client() {
        byte[] random = new byte[16];
        new SecureRandom().nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }

    /** The mark of one acquisition. */
    public static String of(String client, long serial) {
        return client + "." + Long.toString(serial, Character.MAX_RADIX);
    }
}

package dev.holdfast.lock.redis;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Which keys and channels stand for which names. Redis keys are bytes of any kind, so a name goes into its key as it is; only a long one is replaced
 * by its SHA-256, to keep requests and the server's memory small.
 *
 * <pre>
 * NAMESPACE:lock:NAME      names of up to 200 UTF-8 bytes
 * NAMESPACE:hash:SHA-256   longer names, in hexadecimal
 * NAMESPACE:token          the counter
 * </pre>
 *
 * A name space has no colon, so the first colon ends it and the word behind tells the three forms apart: two keys are equal only if name space and
 * name are.
 */
final class RedisNames {
    static final int LONGEST_PLAIN = 200;

    private final String namespace;
    private final byte[] counter;

    RedisNames(String namespace) {
        this.namespace = namespace;
        this.counter = (namespace + ":token").getBytes(StandardCharsets.UTF_8);
    }

    /** The key of a name. */
    String key(String name) {
        // At most three bytes for each char.
        if (name.length() <= LONGEST_PLAIN / 3) {
            return namespace + ":lock:" + name;
        }
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= LONGEST_PLAIN ? namespace + ":lock:" + name : namespace + ":hash:" + sha256(bytes);
    }

    /**
     * The channel on which releases of the name with this key are published: it is called like the key. Redis has one set of channels for all
     * databases, so a signal may come from the same name in another database; it is a hint and costs one question.
     */
    static String channel(String key) {
        return key;
    }

    /** The key of the counter that tokens are drawn from. */
    byte[] counter() {
        return counter;
    }

    /** A channel of this name space that nobody listens on, and a key that nothing is stored under. */
    String probe() {
        return namespace + ":probe";
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}

package dev.holdfast.lock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** One server script: its text is the resource of the same name, whose header tells its keys, arguments and reply. */
final class RedisScript {
    static final RedisScript ACQUIRE = new RedisScript("acquire", 2);
    static final RedisScript RELEASE = new RedisScript("release", 1);
    static final RedisScript RENEW = new RedisScript("renew", 1);
    static final RedisScript CHECK = new RedisScript("check", 1);

    private final String name;
    private final byte[] keys;
    private final byte[] source;
    private final byte[] sha;

    private RedisScript(String name, int keys) {
        this.name = name;
        this.keys = ascii(Integer.toString(keys));
        try (InputStream in = RedisScript.class.getResourceAsStream(name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException(name + ".lua is missing beside " + RedisScript.class.getName());
            }
            source = in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            sha = ascii(
                    HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(source)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** How many keys it takes, as the text that goes on the wire. */
    byte[] keys() {
        return keys;
    }

    /** What the server calls it once it has seen it. */
    byte[] sha() {
        return sha;
    }

    byte[] source() {
        return source;
    }

    @Override
    public String toString() {
        return name;
    }
}

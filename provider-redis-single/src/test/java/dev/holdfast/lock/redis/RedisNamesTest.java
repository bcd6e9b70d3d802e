package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RedisNamesTest {
    private static final String ALPHABET = "ab:AB \u00e9e\u0301\0/{}*\n0\ud83d\ude00";

    private static String random(Random random, int codePoints) {
        int[] all = ALPHABET.codePoints().toArray();
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < codePoints; i++) {
            name.appendCodePoint(all[random.nextInt(all.length)]);
        }
        return name.toString();
    }

    @Test
    void differentNamesHaveDifferentKeys() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        Map<String, String> seen = new HashMap<>();
        List<String> spaces = List.of("", "a", "lock", "hash", "token", "a.lock");
        for (int i = 0; i < 60_000; i++) {
            String space = spaces.get(random.nextInt(spaces.size()));
            String name = random(random, 1 + (i % 3 == 0 ? random.nextInt(6) : random.nextInt(250)));
            String key = new RedisNames(space).key(name);
            String before = seen.put(key, space + "\1" + name);
            assertThat(before == null || before.equals(space + "\1" + name))
                    .as("seed %d: %s stands for two names", seed, key)
                    .isTrue();
            assertThat(key.getBytes(StandardCharsets.UTF_8).length)
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(space.length() + 6 + RedisNames.LONGEST_PLAIN);
            assertThat(seen).doesNotContainKey(new String(new RedisNames(space).counter(), StandardCharsets.UTF_8));
        }
    }

    @Test
    void noNameLooksLikeTheKeyOfAnother() {
        for (String space : List.of("", "a", "lock", "hash", "token")) {
            RedisNames names = new RedisNames(space);
            for (String name : List.of("x", "lock:x", "x".repeat(500), "token", "hash:x")) {
                String key = names.key(name);
                for (int i = 0; i < key.length(); i++) {
                    String part = key.substring(i);
                    assertThat(part.equals(name) || !names.key(part).equals(key))
                            .as("%s and %s", name, part)
                            .isTrue();
                }
            }
        }
    }

    @Test
    void theLimitIsInBytes() {
        RedisNames names = new RedisNames("n");
        assertThat(names.key("x".repeat(200))).isEqualTo("n:lock:" + "x".repeat(200));
        assertThat(names.key("x".repeat(201))).matches("n:hash:[0-9a-f]{64}");
        assertThat(names.key("\u20ac".repeat(66))).startsWith("n:lock:");
        assertThat(names.key("\u20ac".repeat(67))).startsWith("n:hash:");
        assertThat(names.key("x".repeat(1023) + "a")).isNotEqualTo(names.key("x".repeat(1023) + "b"));
    }
}

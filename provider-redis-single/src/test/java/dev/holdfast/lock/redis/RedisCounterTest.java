package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** What a lock is for, end to end: four processes of eight threads change one thing. */
class RedisCounterTest {
    private static final int PROCESSES = 4;
    private static final int THREADS = 8;

    private final TestServer server = TestServer.shared();

    private long incrementsOfAll(Duration time, boolean locked) throws Exception {
        List<ChildJvm> children = new ArrayList<>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                children.add(new ChildJvm(
                        CounterMain.class,
                        Integer.toString(server.port()),
                        Integer.toString(PROCESSES),
                        Integer.toString(THREADS),
                        time.toString(),
                        Boolean.toString(locked)));
            }
            long sum = 0;
            for (ChildJvm child : children) {
                sum += Long.parseLong(child.await("increments"));
            }
            return sum;
        } finally {
            children.forEach(ChildJvm::close);
        }
    }

    @Test
    void underTheLockNoUpdateIsLostAndTokensRise() throws Exception {
        long increments = incrementsOfAll(Duration.ofSeconds(Profile.rounds(5, 20)), true);
        try (Jedis admin = server.admin()) {
            assertThat(admin.get("counter")).isEqualTo(Long.toString(increments));
            List<Long> tokens =
                    admin.lrange("tokens", 0, -1).stream().map(Long::valueOf).toList();
            assertThat(tokens).hasSize((int) increments).hasSizeGreaterThan(500);
            for (int i = 1; i < tokens.size(); i++) {
                assertThat(tokens.get(i)).as("grant %d", i).isGreaterThan(tokens.get(i - 1));
            }
        }
    }

    @Test
    void withoutTheLockUpdatesAreLost() throws Exception {
        long increments = incrementsOfAll(Duration.ofSeconds(1), false);
        try (Jedis admin = server.admin()) {
            assertThat(Long.parseLong(admin.get("counter"))).isLessThan(increments);
        }
    }
}

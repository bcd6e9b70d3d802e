package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a client costs its process. */
class RedisProcessTest {
    private final TestServer server = TestServer.shared();

    @Test
    void namesThatWereLockedCostNoMemory() throws Exception {
        try (ChildJvm child = new ChildJvm(
                MemoryMain.class, Integer.toString(server.port()), Integer.toString(Profile.rounds(50_000, 500_000)))) {
            assertThat(Long.parseLong(child.await("growth"))).isLessThan(2 * 1024 * 1024);
        }
    }

    @Test
    void theProcessEndsWithMain() throws Exception {
        for (int i = 0; i < Profile.rounds(4, 10); i++) {
            try (ChildJvm child = new ChildJvm(ExitMain.class, Integer.toString(server.port()), "exit" + i)) {
                child.await("returning");
                assertThat(child.endsWithin(Duration.ofSeconds(2))).isTrue();
            }
        }
    }
}

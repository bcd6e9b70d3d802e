package dev.holdfast.lock.tck.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Talking to a process, stopping and killing it; on the memory backend, which is the process's own. */
@Timeout(60)
class TakerProcessTest {
    private static final Duration LEASE = Duration.ofMillis(300);

    @Test
    void commandsSignalsAndHistory() throws Exception {
        History history = new History();
        try (TakerProcess taker = TakerProcess.start("P", "memory:", history)) {
            TakerProcess.Grant grant = TakerProcess.grant(taker.acquire("x", Duration.ZERO, LEASE));
            assertThat(grant.token()).hasValue(1);
            assertThat(taker.state("x")).isEqualTo("HELD");
            assertThat(taker.acquire("x", Duration.ofMillis(20), LEASE)).isEqualTo("busy");
            assertThat(taker.release("y")).startsWith("error");
            taker.stop();
            taker.send("state x");
            assertThatThrownBy(() -> taker.answer(LEASE.plusMillis(200))).hasMessageContaining("no answer");
            taker.cont();
            assertThat(taker.answer(LEASE.multipliedBy(10))).startsWith("LOST");
            assertThat(taker.release("x")).isEqualTo("NOT_HELD");
            taker.send("loop x 5 1");
            taker.finishLoop("x", Duration.ofSeconds(10));
            assertThat(history.holds()).hasSize(6);
            assertThat(history.violations()).isEmpty();
            taker.send("leave");
            assertThat(taker.ends(Duration.ofSeconds(5))).as("daemons only").isTrue();
        }
        try (TakerProcess killed = TakerProcess.start("Q", "memory:", history)) {
            killed.kill();
            assertThatThrownBy(() -> killed.answer(Duration.ofSeconds(5))).hasMessageContaining("ended");
        }
        assertThatThrownBy(() -> TakerProcess.start("R", "nothing://here", history))
                .hasMessageContaining("ended");
    }
}

package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextTest {
    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 ms",
        "PT0.4999S, 499 ms",
        "PT1S, 1 s",
        "PT1.25S, 1.3 s",
        "PT30S, 30 s",
        "PT90S, 90 s",
        "PT2M, 2 min"
    })
    void durations(Duration duration, String text) {
        assertThat(Text.of(duration)).isEqualTo(text);
    }

    @Test
    void wrappedLinesAreNoLongerThanAsked() {
        assertThat(Text.wrapped("one two three incomprehensible x", 9))
                .containsExactly("one two", "  three", "  incomprehensible", "  x");
        assertThat(Text.wrapped("", 9)).containsExactly("");
    }
}

package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedactionTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "unmatched 'redis://user:hush@host:1'",
                "redis://:hush@host",
                "redis://hush@host",
                "redis://user:a@hush@host/0?tls=true",
                "redis://user:a/hush@host",
                "redis://h?sentinel-password=hush&tls=true",
                "redis://h?tls=true&TOKEN=hush",
                "two: redis://a:hush@h and //b:hush@h"
            })
    void noSecretIsLeft(String text) {
        assertThat(Redaction.of(text)).doesNotContain("hush").contains("***");
    }

    @ParameterizedTest
    @CsvSource({"redis://host:6379/0?tls=true", "no URI at all", "mail@example.org"})
    void theRestStays(String text) {
        assertThat(Redaction.of(text)).isEqualTo(text);
    }
}

package dev.holdfast.lock.cli;

import dev.holdfast.lock.tck.arch.HoldfastRules;
import org.junit.jupiter.api.Test;

class CliArchitectureTest {
    @Test
    void rules() {
        HoldfastRules.application(Holdfast.class).check(10);
    }
}

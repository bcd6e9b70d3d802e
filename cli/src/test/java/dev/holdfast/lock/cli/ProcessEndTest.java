package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.sample.Leaver;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;

/** The library keeps no process alive. */
class ProcessEndTest {
    @TempDir
    private Path folder;

    @RepeatedTest(10)
    void aProcessEndsWithinTwoSecondsOfMainWithALeaseHeldAndWaitersBlocked() throws Exception {
        Path leaver = new Pieces().classes(Leaver.class).jar(folder, "leaver.jar");
        List<String> command = new ArrayList<>(List.of(ChildJvm.java()));
        command.addAll(ChildJvm.main(List.of(Pieces.lockApi(), leaver), List.of(), Leaver.class));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (BufferedReader output = process.inputReader()) {
            assertThat(output.readLine()).isEqualTo("main returns");
            assertThat(process.waitFor(2, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }
}

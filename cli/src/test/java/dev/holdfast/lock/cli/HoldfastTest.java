package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.holdfast.lock.LockProviders;
import dev.holdfast.lock.spi.LockProvider;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HoldfastTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... args) {
        return Holdfast.commandLine(new PrintWriter(out), new PrintWriter(err)).execute(args);
    }

    @Test
    void demoShowsEverythingAndEndsAsPromised() {
        assertThat(run("demo")).as("%s%s", out, err).isZero();
        List<String> lines = out.toString().lines().toList();
        assertThat(lines)
                .hasSizeLessThanOrEqualTo(80)
                .allMatch(line -> line.length() <= 140 || line.contains("  from "));
        assertThat(lines)
                .containsSubsequence(
                        "1. Providers on the class path",
                        "2. What they guarantee, as declared",
                        "3. 3 clients x 2 threads increment one unprotected counter, 6 times each",
                        "   final count: 36 of 36",
                        "   tokens strictly rising: yes",
                        "4. The paused holder: A is paused beyond its lease, B gets the lock, A acts late",
                        "      stock = 7: B's write stands",
                        "      stock = 9: B's write is overwritten, three items were sold that are still on the list",
                        "As promised: counter right, tokens strictly rising, late write refused by the fence.");
        assertThat(out.toString())
                .contains("believes: HELD", "believes: LOST")
                .containsPattern("REFUSED: stock: token \\d+ is older than \\d+")
                .contains(LockProviders.all().stream()
                        .map(p -> p.getClass().getName())
                        .toArray(String[]::new));
        for (String client : List.of("A1", "A2", "B1", "B2", "C1", "C2")) {
            assertThat(out.toString().split(" " + client + "\\b", -1)).hasSize(7);
        }
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void guaranteesListsWhatIsDeclared() {
        assertThat(run("guarantees", "--format", "json")).isZero();
        JsonArray json = StrictJson.parse(out.toString()).getAsJsonArray();
        assertThat(StreamSupport.stream(json.spliterator(), false)
                        .map(each -> each.getAsJsonObject().get("scheme").getAsString()))
                .containsExactlyInAnyOrderElementsOf(
                        LockProviders.all().stream().map(LockProvider::scheme).toList())
                .contains("memory", "redis");
    }

    @Test
    void guaranteesOfAUriSaysWhatIsEffectiveAndWhy() {
        assertThat(run("guarantees", "--format=json", "memory:?fair=false")).isZero();
        JsonArray json = StrictJson.parse(out.toString()).getAsJsonArray();
        assertThat(json).hasSize(1);
        JsonObject memory = json.get(0).getAsJsonObject();
        assertThat(memory.get("kind").getAsString()).isEqualTo("effective");
        assertThat(memory.get("fairness").getAsString()).isEqualTo("NONE");
        assertThat(memory.get("observations").getAsJsonArray())
                .first()
                .extracting(JsonElement::getAsString)
                .asString()
                .contains("fair is false");
    }

    @Test
    void guaranteesAsText() {
        assertThat(run("guarantees", "memory:?fair=false")).isZero();
        assertThat(out.toString().lines())
                .startsWith(
                        "Guarantees effective at memory://?fair=false",
                        "",
                        "                        memory      memory here")
                .contains(
                        "fairness                FIFO        NONE *",
                        "  server restart        no          no",
                        "  node loss             n/a         n/a",
                        "observed: fair is false: waiters are served in any order; set fair=true for FIFO");
    }

    @Test
    void guaranteesAsMarkdown() {
        assertThat(run("guarantees", "--format", "MARKDOWN", "memory:?fair=false"))
                .isZero();
        assertThat(out.toString().lines())
                .contains(
                        "|  | memory | memory here |",
                        "| fairness | FIFO | NONE \\* |",
                        "| **exclusion survives** |  |  |",
                        "- observed: fair is false: waiters are served in any order; set fair=true for FIFO");
    }

    @Test
    void versionIsTheBuilds() {
        assertThat(run("--version")).isZero();
        assertThat(out.toString()).matches("holdfast \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?\\R");
    }

    @Test
    void helpNamesTheCommandsAndHidesTheInnerOne() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString()).contains("demo", "guarantees", "Exit codes").doesNotContain("demo-client");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "dance", "demo a b", "guarantees --format xml", "guarantees --frmat json"})
    void wrongUsageIsTwo(String line) {
        assertThat(run(line.isEmpty() ? new String[0] : line.split(" "))).isEqualTo(2);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString()).startsWith("holdfast: ").contains("--help'").doesNotContain("\tat ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo nowhere",
                "demo carrier-pigeon://roof",
                "demo memory:?speed=high",
                "guarantees memory://user:hush@jobs",
                "guarantees redis://user:hush@localhost:1?operation-timeout=200ms",
                "demo redis://:hush@localhost:1?operation-timeout=200ms"
            })
    void failureIsOneWithItsReasonAndNoStackTrace(String line) {
        assertThat(run(line.split(" "))).isEqualTo(1);
        assertThat(err.toString()).startsWith("holdfast: ").doesNotContain("\tat ", "hush", "unexpected");
    }

    @Test
    void stackTraceIsShownWhenAskedFor() {
        assertThat(run("demo", "--stacktrace", "nowhere")).isEqualTo(1);
        assertThat(err.toString())
                .startsWith("holdfast: the URI cannot be read")
                .contains("\tat ");
    }

    @Test
    void usageErrorsShowNoSecret() {
        assertThat(run("demo", "memory:", "redis://user:hush@localhost")).isEqualTo(2);
        assertThat(err.toString()).contains("redis://***@localhost").doesNotContain("hush");
    }
}

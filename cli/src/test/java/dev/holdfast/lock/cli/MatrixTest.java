package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class MatrixTest {
    private final Matrix matrix = new Matrix.Builder(List.of("one", "second"))
            .row("row", List.of("a longer cell", "x"))
            .heading("heading")
            .row("  inner", List.of("a|b", "y *"))
            .build();

    @Test
    void textIsAlignedWithoutTrailingBlanks() {
        assertThat(matrix.text("> "))
                .containsExactly(
                        ">          one            second",
                        "> row      a longer cell  x",
                        "> heading",
                        ">   inner  a|b            y *");
    }

    @Test
    void markdownEscapesWhatWouldEndACell() {
        assertThat(matrix.markdown())
                .containsExactly(
                        "|  | one | second |",
                        "| --- | --- | --- |",
                        "| row | a longer cell | x |",
                        "| **heading** |  |  |",
                        "| inner | a\\|b | y \\* |");
    }

    @Test
    void aRowHasACellForEachColumn() {
        Matrix.Builder builder = new Matrix.Builder(List.of("one"));
        assertThatThrownBy(() -> builder.row("short", List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("short");
    }
}

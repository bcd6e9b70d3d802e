package dev.holdfast.lock.cli;

import java.util.ArrayList;
import java.util.List;

/** A table with headings between its rows, as plain text or as Markdown. */
final class Matrix {
    private final List<String> columns;
    private final List<Row> rows;

    private record Row(String label, List<String> cells) {}

    private Matrix(Builder b) {
        columns = b.columns;
        rows = List.copyOf(b.rows);
    }

    /** Aligned columns, each line indented. */
    List<String> text(String indent) {
        int first = rows.stream().mapToInt(r -> r.label.length()).max().orElse(0);
        List<Integer> widths = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            int width = columns.get(i).length();
            for (Row row : rows) {
                width = Math.max(
                        width, row.cells.isEmpty() ? 0 : row.cells.get(i).length());
            }
            widths.add(width);
        }
        List<String> lines = new ArrayList<>();
        lines.add(line(indent, "", first, columns, widths));
        for (Row row : rows) {
            lines.add(line(indent, row.label, first, row.cells, widths));
        }
        return lines;
    }

    private static String line(String indent, String label, int first, List<String> cells, List<Integer> widths) {
        StringBuilder line = new StringBuilder(indent).append(padded(label, first));
        for (int i = 0; i < cells.size(); i++) {
            line.append("  ").append(padded(cells.get(i), widths.get(i)));
        }
        return line.toString().stripTrailing();
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }

    /** One table, headings in bold. */
    List<String> markdown() {
        List<String> lines = new ArrayList<>();
        lines.add(markdown("", columns));
        lines.add("| --- |" + " --- |".repeat(columns.size()));
        for (Row row : rows) {
            lines.add(
                    row.cells.isEmpty()
                            ? markdown(
                                    "**" + row.label + "**",
                                    columns.stream().map(c -> "").toList())
                            : markdown(row.label.strip(), row.cells));
        }
        return lines;
    }

    private static String markdown(String label, List<String> cells) {
        StringBuilder line = new StringBuilder("| ").append(escaped(label)).append(" |");
        cells.forEach(cell -> line.append(' ').append(escaped(cell)).append(" |"));
        return line.toString();
    }

    private static String escaped(String text) {
        String safe = text.replace("|", "\\|");
        return safe.endsWith(" *") ? safe.substring(0, safe.length() - 1) + "\\*" : safe;
    }

    /** Collects rows. */
    static final class Builder {
        private final List<String> columns;
        private final List<Row> rows = new ArrayList<>();

        Builder(List<String> columns) {
            this.columns = List.copyOf(columns);
        }

        Builder heading(String text) {
            rows.add(new Row(text, List.of()));
            return this;
        }

        Builder row(String label, List<String> cells) {
            if (cells.size() != columns.size()) {
                throw new IllegalArgumentException(label + " has " + cells.size() + " cells, not " + columns.size());
            }
            rows.add(new Row(label, List.copyOf(cells)));
            return this;
        }

        Matrix build() {
            return new Matrix(this);
        }
    }
}

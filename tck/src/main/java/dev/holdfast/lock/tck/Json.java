package dev.holdfast.lock.tck;

import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes maps, collections, numbers, flags and texts as JSON, one entry a line. A library for forty lines would be one more to converge on. */
final class Json {
    private final StringBuilder out = new StringBuilder();

    private Json() {}

    static String write(Object value) {
        Json json = new Json();
        json.value(value, 0);
        return json.out.append('\n').toString();
    }

    private void value(@Nullable Object value, int depth) {
        if (value instanceof Map<?, ?> map) {
            boolean flat = depth > 1;
            block('{', '}', map.entrySet().iterator(), flat, depth, entry -> {
                Map.Entry<?, ?> e = (Map.Entry<?, ?>) entry;
                text(String.valueOf(e.getKey()));
                out.append(": ");
                value(e.getValue(), depth + 1);
            });
        } else if (value instanceof Collection<?> list) {
            boolean flat = depth > 1 || list.stream().noneMatch(v -> v instanceof Map);
            block('[', ']', list.iterator(), flat, depth, v -> value(v, depth + 1));
        } else if (value instanceof Number || value instanceof Boolean || value == null) {
            out.append(value);
        } else {
            text(value.toString());
        }
    }

    private interface Entry {
        void write(Object entry);
    }

    private void block(char open, char close, Iterator<?> entries, boolean flat, int depth, Entry writer) {
        out.append(open);
        boolean any = entries.hasNext();
        while (entries.hasNext()) {
            if (!flat) {
                out.append('\n').append("  ".repeat(depth + 1));
            }
            writer.write(entries.next());
            if (entries.hasNext()) {
                out.append(flat ? ", " : ",");
            }
        }
        if (any && !flat) {
            out.append('\n').append("  ".repeat(depth));
        }
        out.append(close);
    }

    private void text(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                default -> {
                    if (c < 0x20 || Character.isSurrogate(c) || c == 0x7f) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}

package dev.holdfast.lock.cli;

import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes maps, collections, strings, numbers, booleans and null as indented JSON, in ASCII. */
final class Json {
    private static final String INDENT = "  ";

    private Json() {}

    static String write(@Nullable Object value) {
        StringBuilder out = new StringBuilder();
        append(out, value, "");
        return out.toString();
    }

    private static void append(StringBuilder out, @Nullable Object value, String indent) {
        if (value == null || value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof Map<?, ?> map) {
            block(out, "{}", map.entrySet().iterator(), indent, true);
        } else if (value instanceof Collection<?> list) {
            // Lists of texts and numbers stay on one line.
            block(
                    out,
                    "[]",
                    list.iterator(),
                    indent,
                    list.stream().anyMatch(e -> e instanceof Map || e instanceof Collection));
        } else {
            string(out, value.toString());
        }
    }

    private static void block(StringBuilder out, String brackets, Iterator<?> items, String indent, boolean lines) {
        String inner = indent + INDENT;
        out.append(brackets.charAt(0));
        boolean empty = !items.hasNext();
        for (String separator = ""; items.hasNext(); separator = lines ? "," : ", ") {
            out.append(separator);
            if (lines) {
                out.append('\n').append(inner);
            }
            Object item = items.next();
            if (item instanceof Map.Entry<?, ?> entry) {
                string(out, String.valueOf(entry.getKey()));
                out.append(": ");
                item = entry.getValue();
            }
            append(out, item, inner);
        }
        if (lines && !empty) {
            out.append('\n').append(indent);
        }
        out.append(brackets.charAt(1));
    }

    private static void string(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < 0x20 || c > 0x7e) {
                        out.append("\\u").append(String.format("%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}

package dev.holdfast.lock.cli;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Lines of fields between the demo and its client processes. */
final class Wire {
    private Wire() {}

    static String encode(Object... fields) {
        return Arrays.stream(fields)
                .map(f -> f.toString()
                        .replace("\\", "\\\\")
                        .replace("\t", "\\t")
                        .replace("\n", "\\n")
                        .replace("\r", "\\r"))
                .collect(Collectors.joining("\t"));
    }

    static List<String> decode(String line) {
        return Arrays.stream(line.split("\t", -1)).map(String::translateEscapes).toList();
    }
}

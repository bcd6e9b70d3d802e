package dev.holdfast.lock.tck;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rules of {@code SPEC.md}, which is in the kit's jar. */
final class Rules {
    private static final Pattern LINE = Pattern.compile("^\\| ([A-Z][0-9]+) \\| (.+?) \\|.*$", Pattern.MULTILINE);
    private static final Map<String, String> TEXTS = read();

    private Rules() {}

    /** Every rule and its text, in the order of the document. */
    static Map<String, String> texts() {
        return TEXTS;
    }

    static String text(String rule) {
        return TEXTS.getOrDefault(rule, "there is no such rule");
    }

    private static Map<String, String> read() {
        try (InputStream in = Rules.class.getResourceAsStream("SPEC.md")) {
            if (in == null) {
                throw new IllegalStateException("SPEC.md is not in the jar of the kit");
            }
            Map<String, String> texts = new LinkedHashMap<>();
            Matcher line = LINE.matcher(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            while (line.find()) {
                texts.put(line.group(1), line.group(2).replace("`", ""));
            }
            return texts;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package dev.holdfast.lock.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How things are put for people. */
final class Text {
    private Text() {}

    /** As a person would say it: 500 ms, 30 s, 1.5 s, 2 min. */
    static String of(Duration duration) {
        long millis = duration.toMillis();
        if (millis < 1000) {
            return millis + " ms";
        }
        if (millis % 60_000 == 0) {
            return millis / 60_000 + " min";
        }
        return millis % 1000 == 0 ? millis / 1000 + " s" : String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
    }

    /** Broken into lines at blanks, later ones indented. */
    static List<String> wrapped(String text, int width) {
        List<String> lines = new ArrayList<>();
        String line = "";
        for (String word : text.split(" ", -1)) {
            if (!line.isBlank() && line.length() + 1 + word.length() > width) {
                lines.add(line);
                line = " ";
            }
            line = line.isEmpty() ? word : line + " " + word;
        }
        lines.add(line);
        return lines;
    }
}

package dev.holdfast.lock.cli;

import java.util.regex.Pattern;

/** Hides what could be a secret in text that is shown before a URI was parsed. Hides too much rather than too little. */
final class Redaction {
    private static final Pattern CREDENTIALS = Pattern.compile("//[^\\s'\"]*@");
    private static final Pattern OPTION =
            Pattern.compile("(?i)([?&][^=&\\s'\"]*(?:pass|pwd|secret|token|credential|key)[^=&\\s'\"]*=)[^&\\s'\"]*");

    private Redaction() {}

    static String of(String text) {
        return OPTION.matcher(CREDENTIALS.matcher(text).replaceAll("//***@")).replaceAll("$1***");
    }
}

package dev.holdfast.lock;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;

/**
 * A typed key of {@link LockOptions}: its name in a URI, how its text is read, and what it is when left out.
 *
 * @param <T> the type of its value
 */
public final class Option<T> {
    private final String name;
    private final T fallback;
    private final Function<String, T> parser;
    private final String description;
    private final boolean secret;

    private Option(String name, T fallback, Function<String, T> parser, String description, boolean secret) {
        this.name = Objects.requireNonNull(name, "name");
        this.fallback = Objects.requireNonNull(fallback, "fallback");
        this.parser = Objects.requireNonNull(parser, "parser");
        this.description = Objects.requireNonNull(description, "description");
        this.secret = secret;
    }

    /**
     * An option of any type.
     *
     * @param parser throws IllegalArgumentException whose message says what is expected
     */
    public static <T> Option<T> of(String name, T fallback, Function<String, T> parser, String description) {
        return new Option<>(name, fallback, parser, description, false);
    }

    /** Text as it stands. */
    public static Option<String> text(String name, String fallback, String description) {
        return of(name, fallback, Function.identity(), description);
    }

    /** {@code true} or {@code false}. */
    public static Option<Boolean> flag(String name, boolean fallback, String description) {
        return of(
                name,
                fallback,
                text -> switch (text) {
                    case "true" -> true;
                    case "false" -> false;
                    default -> throw new IllegalArgumentException("expected true or false");
                },
                description);
    }

    /** A whole number within bounds, both inclusive. */
    public static Option<Integer> number(String name, int fallback, int least, int most, String description) {
        return of(
                name,
                fallback,
                text -> {
                    String expected = "expected a whole number from " + least + " to " + most;
                    try {
                        int value = Integer.parseInt(text);
                        if (value >= least && value <= most) {
                            return value;
                        }
                    } catch (NumberFormatException e) {
                        throw new IllegalArgumentException(expected, e);
                    }
                    throw new IllegalArgumentException(expected);
                },
                description);
    }

    /** A length of time within bounds, both inclusive: {@code 250ms}, {@code 5s}, {@code 2m}, {@code 1h}. */
    public static Option<Duration> duration(
            String name, Duration fallback, Duration least, Duration most, String description) {
        return of(
                name,
                fallback,
                text -> {
                    Duration value = parseDuration(text);
                    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
                        throw new IllegalArgumentException("expected " + show(least) + " to " + show(most));
                    }
                    return value;
                },
                description);
    }

    /** The same option, whose value never appears in any text that this library writes. */
    public Option<T> asSecret() {
        return new Option<>(name, fallback, parser, description, true);
    }

    /** Its name in a URI. */
    public String name() {
        return name;
    }

    /** Its value when left out. */
    public T fallback() {
        return fallback;
    }

    /** What it does, in one sentence. */
    public String description() {
        return description;
    }

    /** Whether its value must not be shown. */
    public boolean isSecret() {
        return secret;
    }

    T parse(String text) {
        return parser.apply(text);
    }

    @Override
    public String toString() {
        return name;
    }

    private static Duration parseDuration(String text) {
        int digits = 0;
        while (digits < text.length() && Character.isDigit(text.charAt(digits))) {
            digits++;
        }
        if (digits > 0 && digits <= 12) {
            long amount = Long.parseLong(text.substring(0, digits));
            switch (text.substring(digits)) {
                case "ms" -> {
                    return Duration.ofMillis(amount);
                }
                case "s" -> {
                    return Duration.ofSeconds(amount);
                }
                case "m" -> {
                    return Duration.ofMinutes(amount);
                }
                case "h" -> {
                    return Duration.ofHours(amount);
                }
                default -> {}
            }
        }
        throw new IllegalArgumentException("expected a duration such as 250ms, 5s, 2m or 1h");
    }

    private static String show(Duration d) {
        return d.toMillis() % 1000 == 0 ? d.toSeconds() + "s" : d.toMillis() + "ms";
    }
}

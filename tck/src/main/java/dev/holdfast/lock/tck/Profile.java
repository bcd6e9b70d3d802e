package dev.holdfast.lock.tck;

import java.util.Locale;

/** How many rounds are run: set the system property, or configuration parameter of JUnit, {@value #PROPERTY} to {@code quick} (the default) or {@code full}. */
public enum Profile {
    /** Few rounds: minutes for all backends together. */
    QUICK,
    /** All rounds. */
    FULL;

    /** The system property that chooses. */
    public static final String PROPERTY = "holdfast.profile";

    /** The profile of this run. */
    public static Profile current() {
        return of(System.getProperty(PROPERTY, "quick"));
    }

    static Profile of(String name) {
        for (Profile profile : values()) {
            if (profile.name().equalsIgnoreCase(name)) {
                return profile;
            }
        }
        throw new IllegalArgumentException(PROPERTY + " is \"" + name + "\"; expected quick or full");
    }

    int rounds(int quick, int full) {
        return this == QUICK ? quick : full;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

package dev.holdfast.lock.redis;

/** How much is run: {@code -Dholdfast.profile=full} for all of it. */
final class Profile {
    private Profile() {}

    static int rounds(int quick, int full) {
        return "full".equals(System.getProperty("holdfast.profile")) ? full : quick;
    }
}

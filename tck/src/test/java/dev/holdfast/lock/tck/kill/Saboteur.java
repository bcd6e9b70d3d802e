package dev.holdfast.lock.tck.kill;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * A backend with one broken promise.
 *
 * @param name what it does
 * @param fair whether the server below has a queue
 * @param durable whether the server below keeps its data when it is killed
 * @param twist makes a new one for each run
 * @param message a part of what its check says
 * @param convictedBy the check that is meant to convict it
 * @param mayFail every check that may, that one included, without {@code required_}
 */
record Saboteur(
        String name,
        boolean fair,
        boolean durable,
        Supplier<Twist> twist,
        String message,
        String convictedBy,
        Set<String> mayFail) {

    /** On a fair and durable server. */
    static Saboteur of(String name, Supplier<Twist> twist, String message, String convictedBy, String... others) {
        Set<String> mayFail = new TreeSet<>(Arrays.asList(others));
        mayFail.add(convictedBy);
        return new Saboteur(name, true, true, twist, message, convictedBy, mayFail);
    }

    Saboteur onUnfairServer() {
        return new Saboteur(name, false, durable, twist, message, convictedBy, mayFail);
    }

    Saboteur onForgetfulServer() {
        return new Saboteur(name, fair, false, twist, message, convictedBy, mayFail);
    }

    @Override
    public String toString() {
        return name;
    }
}

package dev.holdfast.lock.redis;

import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.BackendException.Kind;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a failure means for a lock request. */
final class RedisErrors {
    /** Redis 6 puts an error from inside a script behind the place where it happened. */
    private static final Pattern IN_SCRIPT = Pattern.compile("@user_script: ?\\d+: ?-?([A-Z]+) ");

    private static final Pattern CODE = Pattern.compile("-?([A-Z]+)\\b.*", Pattern.DOTALL);

    /** Answers of a server that will do it when its state has changed: it changed nothing now. */
    private static final Set<String> PASSING =
            Set.of("BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF", "NOREPLICAS", "OOM", "TRYAGAIN");

    private static final String CLUSTER = "; Redis Cluster is not supported: the token counter lives in another slot";

    private static final Map<String, String> WAYS_OUT = Map.of(
            "NOAUTH", "; put user and password into the URI, as in redis://user:password@host",
            "WRONGPASS", "; check user and password",
            "NOPERM", "; the README of this provider lists the permissions it needs",
            "READONLY", "; it is a replica: use the primary's address",
            "WRONGTYPE", "; the key belongs to something else: choose another namespace",
            "MISCONF", "; its disk does not take what it wants to save",
            "OOM", "; it has no memory left below its maxmemory",
            "MOVED", CLUSTER,
            "CROSSSLOT", CLUSTER,
            "ASK", CLUSTER);

    private RedisErrors() {}

    /** The server answered with an error. */
    static BackendException answered(String server, String what, String error, Throwable cause) {
        String code = code(error);
        boolean passing = PASSING.contains(code) || error.contains("max number of clients reached");
        return new BackendException(
                passing ? Kind.UNAVAILABLE : Kind.REFUSED,
                server + " answered to " + what + ": " + error + WAYS_OUT.getOrDefault(code, ""),
                cause);
    }

    /** The request was sent, and no answer came. */
    static BackendException unanswered(String server, String what, boolean timedOut, Throwable cause) {
        return new BackendException(
                Kind.UNCLEAR,
                server + (timedOut ? " did not answer to " + what + " in time" : " broke the connection during " + what)
                        + "; it may have been carried out",
                cause);
    }

    /** Nothing was sent. */
    static BackendException unreachable(String server, String why, @Nullable Throwable cause) {
        return new BackendException(Kind.UNAVAILABLE, server + ": " + why, cause);
    }

    /** The first word of an error, in capitals by custom: what kind it is. */
    static String code(String error) {
        Matcher inScript = IN_SCRIPT.matcher(error);
        if (inScript.find()) {
            return inScript.group(1);
        }
        Matcher plain = CODE.matcher(error);
        return plain.matches() ? plain.group(1) : "";
    }
}

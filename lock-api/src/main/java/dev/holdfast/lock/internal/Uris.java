package dev.holdfast.lock.internal;

import dev.holdfast.lock.LockOptions;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** The text form of {@link LockOptions}. {@code java.net.URI} knows one host only. */
public final class Uris {
    private static final Pattern SCHEME = Pattern.compile("[a-z][a-z0-9+.-]*");
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]+");
    private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9._-]+)?");

    private Uris() {}

    /** Reads a URI into a builder and returns what is wrong with it; no problem text shows what could be a password. */
    public static List<String> parse(String uri, LockOptions.Builder into) {
        List<String> problems = new ArrayList<>();
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(uri)) {
            return List.of("it has a lone surrogate, which cannot be written as UTF-8");
        }
        String rest = uri;
        int colon = rest.indexOf(':');
        if (!rest.startsWith("//")) {
            if (colon < 0 || !SCHEME.matcher(rest.substring(0, colon)).matches()) {
                return List.of(
                        "it must begin with a scheme, as in redis://host:6379, or with // for the only provider there is");
            }
            into.scheme(rest.substring(0, colon));
            rest = rest.substring(colon + 1);
            if (!rest.isEmpty() && !rest.startsWith("//") && !rest.startsWith("?")) {
                return List.of("after the scheme it must go on with //");
            }
        }
        rest = rest.startsWith("//") ? rest.substring(2) : rest;
        if (afterHosts(rest).indexOf('@') >= 0) {
            // What was read as path or options may be the rest of a password; nothing of it is shown.
            return List.of("there is an @ after the hosts: percent-encode / ? @ in user and password, and @ elsewhere");
        }
        int query = rest.indexOf('?');
        if (query >= 0) {
            options(rest.substring(query + 1), into, problems);
            rest = rest.substring(0, query);
        }
        int slash = rest.indexOf('/');
        if (slash >= 0) {
            into.path(decode(rest.substring(slash + 1), "the path", problems));
            rest = rest.substring(0, slash);
        }
        int at = rest.lastIndexOf('@');
        if (at >= 0) {
            credentials(rest.substring(0, at), into, problems);
            rest = rest.substring(at + 1);
        }
        if (!rest.isEmpty()) {
            String[] hosts = rest.split(",", -1);
            for (int i = 0; i < hosts.length; i++) {
                if (!host(hosts[i], into)) {
                    // The text is not shown: with a missing @ it may be a password.
                    problems.add("host number " + (i + 1)
                            + " is not of the form host, host:port or [IPv6]:port with a port from 1 to 65535"
                            + " (percent-encode / ? @ in user and password)");
                }
            }
        }
        return problems;
    }

    private static String afterHosts(String rest) {
        for (int i = 0; i < rest.length(); i++) {
            if (rest.charAt(i) == '/' || rest.charAt(i) == '?') {
                return rest.substring(i);
            }
        }
        return "";
    }

    private static void credentials(String text, LockOptions.Builder into, List<String> problems) {
        int colon = text.indexOf(':');
        String user = colon < 0 ? text : text.substring(0, colon);
        if (!user.isEmpty()) {
            into.user(decode(user, "the user", problems));
        }
        if (colon >= 0) {
            into.password(decode(text.substring(colon + 1), "the password", problems));
        }
    }

    private static boolean host(String text, LockOptions.Builder into) {
        String host = text;
        String port = "";
        boolean valid;
        if (text.startsWith("[") && text.contains("]")) {
            int end = text.indexOf(']');
            host = text.substring(1, end);
            String after = text.substring(end + 1);
            valid = IPV6.matcher(host).matches() && (after.isEmpty() || after.startsWith(":"));
            port = after.isEmpty() ? "" : after.substring(1);
            valid &= after.isEmpty() || !port.isEmpty();
        } else {
            int colon = text.indexOf(':');
            if (colon >= 0) {
                host = text.substring(0, colon);
                port = text.substring(colon + 1);
            }
            valid = HOST.matcher(host).matches() && (colon < 0 || !port.isEmpty());
        }
        int number = port(port);
        if (!valid || number < 0) {
            return false;
        }
        into.host(host, number);
        return true;
    }

    private static int port(String text) {
        if (text.isEmpty()) {
            return 0;
        }
        if (text.length() > 5 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return -1;
        }
        int port = Integer.parseInt(text);
        return port >= 1 && port <= 65535 ? port : -1;
    }

    private static void options(String query, LockOptions.Builder into, List<String> problems) {
        Set<String> seen = new HashSet<>();
        for (String pair : query.split("&", -1)) {
            if (pair.isEmpty()) {
                continue;
            }
            int equals = pair.indexOf('=');
            if (equals <= 0) {
                problems.add("an option is not of the form name=value");
                continue;
            }
            String name = decode(pair.substring(0, equals), "an option's name", problems);
            if (!seen.add(name)) {
                problems.add("option \"" + name + "\" is given twice");
            }
            into.option(name, decode(pair.substring(equals + 1), "option \"" + name + "\"", problems));
        }
    }

    private static String decode(String text, String what, List<String> problems) {
        if (text.indexOf('%') < 0) {
            return text;
        }
        byte[] in = text.getBytes(StandardCharsets.UTF_8);
        ByteBuffer out = ByteBuffer.allocate(in.length);
        for (int i = 0; i < in.length; i++) {
            if (in[i] != '%') {
                out.put(in[i]);
                continue;
            }
            int high = i + 2 < in.length ? Character.digit(in[i + 1], 16) : -1;
            int low = i + 2 < in.length ? Character.digit(in[i + 2], 16) : -1;
            if (high < 0 || low < 0) {
                problems.add(what + " has a % that is not followed by two hexadecimal digits; write a plain % as %25");
                return "";
            }
            out.put((byte) (high * 16 + low));
            i += 2;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(out.flip())
                    .toString();
        } catch (CharacterCodingException e) {
            problems.add(what + " is not UTF-8 after percent-decoding");
            return "";
        }
    }

    /** Writes options as a URI, with secrets hidden. */
    public static String format(LockOptions options, Map<String, String> values, Predicate<String> secret) {
        StringBuilder out = new StringBuilder();
        if (!options.scheme().isEmpty()) {
            out.append(options.scheme()).append(':');
        }
        out.append("//");
        options.user().ifPresent(u -> out.append(encode(u)));
        if (options.password().isPresent()) {
            out.append(":***");
        }
        if (options.user().isPresent() || options.password().isPresent()) {
            out.append('@');
        }
        String separator = "";
        for (InetSocketAddress host : options.hosts(0)) {
            String name = host.getHostString();
            out.append(separator).append(name.indexOf(':') >= 0 ? "[" + name + "]" : name);
            if (host.getPort() != 0) {
                out.append(':').append(host.getPort());
            }
            separator = ",";
        }
        if (!options.path().isEmpty()) {
            out.append('/').append(encode(options.path()).replace("%2F", "/"));
        }
        separator = "?";
        for (Map.Entry<String, String> value : values.entrySet()) {
            out.append(separator).append(encode(value.getKey())).append('=');
            out.append(secret.test(value.getKey()) ? "***" : encode(value.getValue()));
            separator = "&";
        }
        return out.toString();
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}

package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.Option;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;

/**
 * How one client reaches its server: the options, read and checked against each other.
 *
 * @param host the server; empty if the application brought its own client object
 * @param port its port
 * @param database the number of its database
 * @param user who to log in as
 * @param password never shown
 * @param namespace what keys begin with
 * @param operationTimeout the limit of one request, in nanoseconds
 * @param poolSize how many requests may be on their way at one time
 * @param assume what the user states about the server, where it cannot be seen
 * @param tls how to secure the connection
 */
record RedisSettings(
        String host,
        int port,
        int database,
        Optional<String> user,
        Optional<String> password,
        String namespace,
        long operationTimeout,
        int poolSize,
        Set<Assumption> assume,
        Optional<SSLContext> tls) {
    /** What a server may not let us see. */
    enum Assumption {
        APPENDFSYNC_ALWAYS,
        NOEVICTION,
        NO_FAILOVER;

        String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    static final Option<Integer> POOL_SIZE =
            Option.number("pool-size", 16, 1, 1000, "how many requests of one client may be on their way at one time");
    static final Option<Set<Assumption>> ASSUME = Option.of(
            "assume",
            Set.of(),
            RedisSettings::assumptions,
            "what you state about a server that does not show its settings: "
                    + Arrays.stream(Assumption.values()).map(Assumption::text).collect(Collectors.joining(", ")));
    static final Option<Boolean> TLS = Option.flag("tls", false, "whether the connection is secured by TLS");
    static final Option<String> TLS_CA =
            Option.text("tls-ca", "", "a PEM file with the certificates to trust, in place of Java's own");
    static final Option<String> TLS_CERT =
            Option.text("tls-cert", "", "a PEM file with this client's certificate, if the server asks for one");
    static final Option<String> TLS_KEY =
            Option.text("tls-key", "", "a PEM file with the unencrypted PKCS #8 key of that certificate");

    static final List<Option<?>> OPTIONS = List.of(POOL_SIZE, ASSUME, TLS, TLS_CA, TLS_CERT, TLS_KEY);
    /** Those that have a meaning where the application brought its own client object. */
    static final List<Option<?>> OPTIONS_ON_A_CLIENT = List.of(ASSUME);

    private static final int DEFAULT_PORT = 6379;

    /** @throws LockConfigurationException with all problems */
    static RedisSettings read(LockOptions options) {
        LockOptions.Reader in = options.reader(OPTIONS);
        List<InetSocketAddress> hosts = options.hosts(DEFAULT_PORT);
        in.require(!hosts.isEmpty(), "there is no host; give one, as in redis://localhost:6379");
        in.require(hosts.size() <= 1, "there are " + hosts.size() + " hosts, and this provider locks on one server");
        in.require(
                options.user().isEmpty() || options.password().isPresent(),
                "there is a user without a password, as in redis://user:password@host");
        int database = 0;
        if (!options.path().isEmpty()) {
            boolean number =
                    options.path().length() <= 6 && options.path().chars().allMatch(c -> c >= '0' && c <= '9');
            in.require(
                    number,
                    "the path is \"" + options.path() + "\"; it is the number of a database, as in redis://host/0");
            database = number ? Integer.parseInt(options.path()) : 0;
        }
        boolean tls = in.get(TLS);
        String authorities = in.get(TLS_CA);
        String certificate = in.get(TLS_CERT);
        String key = in.get(TLS_KEY);
        in.require(
                tls || (authorities.isEmpty() && certificate.isEmpty() && key.isEmpty()),
                "tls-ca, tls-cert and tls-key need tls=true");
        in.require(certificate.isEmpty() == key.isEmpty(), "tls-cert and tls-key go together");
        SSLContext context = null;
        if (tls && certificate.isEmpty() == key.isEmpty()) {
            try {
                context = RedisTls.context(authorities, certificate, key);
            } catch (IOException e) {
                in.require(false, String.valueOf(e.getMessage()));
            }
        }
        String namespace = in.get(LockOptions.NAMESPACE);
        long operationTimeout = in.get(LockOptions.OPERATION_TIMEOUT).toNanos();
        int poolSize = in.get(POOL_SIZE);
        Set<Assumption> assume = in.get(ASSUME);
        in.finish();
        return new RedisSettings(
                hosts.get(0).getHostString(),
                hosts.get(0).getPort(),
                database,
                options.user(),
                options.password(),
                namespace,
                operationTimeout,
                poolSize,
                assume,
                Optional.ofNullable(context));
    }

    /** For an application's own client object, which knows all about the connection. */
    static RedisSettings readForClient(LockOptions options) {
        LockOptions.Reader in = options.reader(OPTIONS_ON_A_CLIENT);
        in.require(
                options.hosts(DEFAULT_PORT).isEmpty()
                        && options.user().isEmpty()
                        && options.password().isEmpty()
                        && options.path().isEmpty(),
                "the client object that was passed in decides on host, login and database; leave them out");
        String namespace = in.get(LockOptions.NAMESPACE);
        long operationTimeout = in.get(LockOptions.OPERATION_TIMEOUT).toNanos();
        Set<Assumption> assume = in.get(ASSUME);
        in.finish();
        return new RedisSettings(
                "",
                DEFAULT_PORT,
                0,
                Optional.empty(),
                Optional.empty(),
                namespace,
                operationTimeout,
                POOL_SIZE.fallback(),
                assume,
                Optional.empty());
    }

    private static Set<Assumption> assumptions(String text) {
        EnumSet<Assumption> all = EnumSet.noneOf(Assumption.class);
        for (String word : text.split(",", -1)) {
            all.add(Arrays.stream(Assumption.values())
                    .filter(a -> a.text().equals(word.strip()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("expected a list of "
                            + Arrays.stream(Assumption.values())
                                    .map(Assumption::text)
                                    .collect(Collectors.joining(", ")))));
        }
        return Collections.unmodifiableSet(all);
    }

    /** The server, as messages call it. */
    String server() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "RedisSettings[" + server() + "/" + database + ", namespace " + namespace
                + (tls.isPresent() ? ", tls" : "") + "]";
    }
}

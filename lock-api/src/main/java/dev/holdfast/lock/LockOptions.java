package dev.holdfast.lock;

import dev.holdfast.lock.internal.Uris;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a backend is and how it is used, from a URI or a builder; both are checked the same way.
 *
 * <pre>scheme://[user[:password]@]host[:port][,host…][/path][?option=value&amp;…]</pre>
 *
 * User, password, path and options may be percent-encoded; {@code / ? @} have to be in the former two, and {@code @} in the latter. The path is the backend's own: Redis database, MySQL schema, ZooKeeper chroot, etcd
 * prefix. Immutable. No secret appears in {@link #toString()} or in any message.
 */
public final class LockOptions {
    private static final Pattern NAMESPACE_FORM = Pattern.compile("[A-Za-z0-9._-]{0,64}");
    private static final Pattern SECRET_NAME =
            Pattern.compile("(?i).*(pass|pwd|secret|token|credential|key).*", Pattern.DOTALL);

    /** Keeps the names of different applications on one backend apart. */
    public static final Option<String> NAMESPACE = Option.of(
            "namespace",
            "holdfast",
            text -> {
                if (!NAMESPACE_FORM.matcher(text).matches()) {
                    throw new IllegalArgumentException("expected at most 64 characters of A-Z a-z 0-9 . _ -");
                }
                return text;
            },
            "keeps the locks of different applications apart");

    /** How long one request to the servers may take before its outcome counts as unclear. */
    public static final Option<Duration> OPERATION_TIMEOUT = Option.duration(
            "operation-timeout",
            Duration.ofSeconds(2),
            Duration.ofMillis(10),
            Duration.ofMinutes(5),
            "how long one request to the servers may take");

    /** How long {@link LockClient#close()} may take to release what is held. */
    public static final Option<Duration> CLOSE_TIMEOUT = Option.duration(
            "close-timeout",
            Duration.ofSeconds(5),
            Duration.ZERO,
            Duration.ofMinutes(5),
            "how long closing the client may take");

    /** The options that every backend has. */
    public static final List<Option<?>> COMMON = List.of(NAMESPACE, OPERATION_TIMEOUT, CLOSE_TIMEOUT);

    private final String scheme;
    private final @Nullable String user;
    private final @Nullable String password;
    private final List<InetSocketAddress> hosts;
    private final String path;
    private final Map<String, String> values;
    /** The options that a reader has declared to be secret, whatever their names. */
    private final Set<String> secrets = ConcurrentHashMap.newKeySet();

    private LockOptions(Builder b) {
        scheme = b.scheme;
        user = b.user;
        password = b.password;
        hosts = List.copyOf(b.hosts);
        path = b.path;
        values = Collections.unmodifiableMap(new TreeMap<>(b.values));
    }

    /**
     * Reads a URI. A URI without a scheme ({@code //host:port}) has an empty {@link #scheme()}.
     *
     * @throws LockConfigurationException listing everything that is wrong with it
     */
    public static LockOptions parse(String uri) {
        Builder builder = new Builder("");
        List<String> problems = Uris.parse(uri, builder);
        if (!problems.isEmpty()) {
            throw new LockConfigurationException("the URI cannot be read", problems);
        }
        return builder.build();
    }

    /** Starts without hosts or options. */
    public static Builder builder(String scheme) {
        return new Builder(scheme);
    }

    /** Which provider is meant; empty for "the only one there is". */
    public String scheme() {
        return scheme;
    }

    /** The user to authenticate as. */
    public Optional<String> user() {
        return Optional.ofNullable(user);
    }

    /** The password to authenticate with. Never log it. */
    public Optional<String> password() {
        return Optional.ofNullable(password);
    }

    /** The servers, unresolved; empty if none was named. */
    public List<InetSocketAddress> hosts(int defaultPort) {
        return hosts.stream()
                .map(h -> h.getPort() == 0 ? InetSocketAddress.createUnresolved(h.getHostString(), defaultPort) : h)
                .toList();
    }

    /** What follows the hosts, without its first slash. */
    public String path() {
        return path;
    }

    /** Begins to read typed values for a provider that knows these options besides the {@linkplain #COMMON common ones}. */
    public Reader reader(List<Option<?>> known) {
        return new Reader(known);
    }

    /** The same options for another scheme. */
    LockOptions withScheme(String scheme) {
        Builder b = new Builder(scheme);
        b.user = user;
        b.password = password;
        b.hosts.addAll(hosts);
        b.path = path;
        b.values.putAll(values);
        LockOptions copy = b.build();
        copy.secrets.addAll(secrets);
        return copy;
    }

    /** The URI of these options with every secret replaced by {@code ***}. */
    @Override
    public String toString() {
        return Uris.format(
                this,
                values,
                name -> secrets.contains(name) || SECRET_NAME.matcher(name).matches());
    }

    /**
     * Reads typed values and collects every problem, so that all are reported together. Unknown options are problems.
     *
     * <pre>{@code
     * var in = options.reader(OPTIONS);
     * var settings = new Settings(in.get(DATABASE), in.get(TLS));
     * in.require(settings.database() < 16, "…");
     * in.finish();
     * }</pre>
     */
    public final class Reader {
        private final Map<String, Option<?>> known = new LinkedHashMap<>();
        private final List<String> problems = new ArrayList<>();

        private Reader(List<Option<?>> options) {
            COMMON.forEach(o -> known.put(o.name(), o));
            options.forEach(o -> {
                known.put(o.name(), o);
                if (o.isSecret()) {
                    secrets.add(o.name());
                }
            });
            for (String name : values.keySet()) {
                if (!known.containsKey(name)) {
                    problems.add(
                            "unknown option \"" + name + "\"; " + scheme + " has " + String.join(", ", known.keySet()));
                }
            }
            // All of them, so that a problem is reported with the others whether or not its value is asked for.
            known.values().forEach(this::get);
        }

        /** The value of an option, or what it is when left out; the latter, and a problem noted, if its text cannot be read. */
        public <T> T get(Option<T> option) {
            String text = values.get(option.name());
            if (text == null) {
                return option.fallback();
            }
            try {
                return option.parse(text);
            } catch (IllegalArgumentException e) {
                boolean hidden =
                        option.isSecret() || SECRET_NAME.matcher(option.name()).matches();
                note("option " + option.name() + " is \"" + (hidden ? "***" : text) + "\"; " + e.getMessage());
                return option.fallback();
            }
        }

        private void note(String problem) {
            if (!problems.contains(problem)) {
                problems.add(problem);
            }
        }

        /** Whether the option was given. */
        public boolean has(Option<?> option) {
            return values.containsKey(option.name());
        }

        /** Notes a problem unless the condition holds. */
        public void require(boolean condition, String problem) {
            if (!condition) {
                note(problem);
            }
        }

        /**
         * Ends the reading.
         *
         * @throws LockConfigurationException listing all problems, if there is one
         */
        public void finish() {
            if (!problems.isEmpty()) {
                throw new LockConfigurationException("cannot open " + LockOptions.this, problems);
            }
        }
    }

    /** Collects options in code. Not for use by several threads. */
    public static final class Builder {
        private String scheme;
        private @Nullable String user;
        private @Nullable String password;
        private final List<InetSocketAddress> hosts = new ArrayList<>();
        private String path = "";
        private final Map<String, String> values = new TreeMap<>();

        private Builder(String scheme) {
            this.scheme = Objects.requireNonNull(scheme, "scheme");
        }

        /** See {@link LockOptions#scheme()}. */
        public Builder scheme(String scheme) {
            this.scheme = Objects.requireNonNull(scheme, "scheme");
            return this;
        }

        /** See {@link LockOptions#user()}. */
        public Builder user(String user) {
            this.user = Objects.requireNonNull(user, "user");
            return this;
        }

        /** See {@link LockOptions#password()}. */
        public Builder password(String password) {
            this.password = Objects.requireNonNull(password, "password");
            return this;
        }

        /** Adds a server; port 0 means the backend's usual one. */
        public Builder host(String host, int port) {
            hosts.add(InetSocketAddress.createUnresolved(host, port));
            return this;
        }

        /** See {@link LockOptions#path()}. */
        public Builder path(String path) {
            this.path = Objects.requireNonNull(path, "path");
            return this;
        }

        /** Sets an option by the text it would have in a URI. */
        public Builder option(String name, String value) {
            values.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
            return this;
        }

        /** Builds the options. Values are checked when a client is opened with them. */
        public LockOptions build() {
            return new LockOptions(this);
        }
    }
}

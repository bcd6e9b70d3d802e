package dev.holdfast.lock.memory;

import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.Option;
import java.util.List;

/**
 * The options of the memory backend.
 *
 * @param server which of the process's servers
 * @param namespace keeps applications apart
 * @param fair whether waiters queue at the server
 * @param operationTimeout how long a request may take, in nanoseconds
 */
record MemorySettings(String server, String namespace, boolean fair, long operationTimeout) {
    static final Option<Boolean> FAIR = Option.flag("fair", true, "whether waiters are served in order of arrival");
    static final List<Option<?>> OPTIONS = List.of(FAIR);

    static MemorySettings of(LockOptions options) {
        LockOptions.Reader in = options.reader(OPTIONS);
        var hosts = options.hosts(0);
        in.require(hosts.size() <= 1, "memory has one server for a name; name at most one, as in memory://jobs");
        in.require(options.user().isEmpty() && options.password().isEmpty(), "memory has no users");
        in.require(options.path().isEmpty(), "memory has no path; use the option namespace");
        MemorySettings settings = new MemorySettings(
                hosts.isEmpty() ? "" : hosts.get(0).getHostString(),
                in.get(LockOptions.NAMESPACE),
                in.get(FAIR),
                in.get(LockOptions.OPERATION_TIMEOUT).toNanos());
        in.finish();
        return settings;
    }
}

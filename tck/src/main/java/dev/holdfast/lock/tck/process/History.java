package dev.holdfast.lock.tck.process;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What several processes of one machine did with locks, on its monotonic clock, which they share on Linux. Only what is certain counts: a hold begins
 * for certain when the acquire has returned, and is certain until the last moment at which it was seen to be held. Safe for use by several threads.
 */
public final class History {
    private final Map<String, Hold> holds = new HashMap<>();

    /**
     * One acquisition that was granted.
     *
     * @param process who acquired
     * @param name the lock
     * @param id the acquisition
     * @param token its token, if there are tokens
     * @param asked when the acquire was called
     * @param from when it had returned
     * @param until the last moment at which it was held for certain
     */
    public record Hold(String process, String name, String id, OptionalLong token, long asked, long from, long until) {
        @Override
        public String toString() {
            return "%s held %s by %s%s from %.3f to %.3f ms"
                    .formatted(
                            process,
                            name,
                            id,
                            token.isPresent() ? " with token " + token.getAsLong() : "",
                            from / 1e6,
                            until / 1e6);
        }
    }

    /** An empty history. */
    public History() {}

    /** Notes a grant. */
    public synchronized void granted(
            String process, String name, String id, OptionalLong token, long asked, long returned) {
        Hold before = holds.put(id, new Hold(process, name, id, token, asked, returned, returned));
        if (before != null) {
            throw new IllegalArgumentException("the id " + id + " was granted twice: " + before);
        }
    }

    /** Notes that an acquisition was seen to be held: before its release was called, or because its holder said so. */
    public synchronized void held(String id, long at) {
        Hold h = holds.get(id);
        if (h == null) {
            throw new IllegalArgumentException("the id " + id + " was never granted");
        }
        if (at - h.until > 0) {
            holds.put(id, new Hold(h.process, h.name, h.id, h.token, h.asked, h.from, at));
        }
    }

    /** All holds, by their beginning. */
    public synchronized List<Hold> holds() {
        List<Hold> sorted = new ArrayList<>(holds.values());
        sorted.sort(Comparator.comparingLong(Hold::from));
        return sorted;
    }

    /** What must not be: holds of one name that overlap for certain, and grants whose token is not above that of an earlier one. */
    public List<String> violations() {
        Map<String, List<Hold>> byName = new HashMap<>();
        holds().forEach(h ->
                byName.computeIfAbsent(h.name, n -> new ArrayList<>()).add(h));
        List<String> violations = new ArrayList<>();
        byName.values().forEach(ofName -> check(ofName, violations));
        return violations;
    }

    private static void check(Collection<Hold> ofName, List<String> violations) {
        Hold last = null;
        Hold newest = null;
        for (Hold h : ofName) {
            if (last != null && h.from - last.until < 0) {
                violations.add("two hold at once: " + last + ", and " + h);
            }
            if (last == null || h.until - last.until > 0) {
                last = h;
            }
            if (newest != null
                    && h.token.isPresent()
                    && newest.from - h.asked < 0
                    && h.token.getAsLong() <= newest.token.orElse(Long.MIN_VALUE)) {
                violations.add("the token does not rise: " + newest + ", then " + h);
            }
            if (newest == null || h.token.orElse(Long.MIN_VALUE) > newest.token.orElse(Long.MIN_VALUE)) {
                newest = h;
            }
        }
    }
}

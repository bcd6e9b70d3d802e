package dev.holdfast.lock.tck;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Which strings are names, and that different ones are different locks. */
abstract class NamesChecks {
    NamesChecks() {}

    /** Families of names that look alike to some backend; within a family all differ. */
    private static List<List<String>> alike() {
        String a64 = "a".repeat(64);
        String a255 = "a".repeat(255);
        String a1000 = "a".repeat(1000);
        return List.of(
                List.of("Order-1", "order-1", "ORDER-1"),
                List.of("blank", "blank ", " blank", "blank  ", "blank\t", "blank\n"),
                List.of("\u00e9", "e\u0301", "e", "\u00c9", "\u00e8"),
                List.of("\u00df", "ss", "\u1e9e", "SS"),
                List.of("\ufb01", "fi"),
                List.of("nul", "nul\0", "nul\0b", "nul\0c", "\0nul"),
                List.of("a/b", "a//b", "a", "a/", "/a", "/", "//", "///", "a/b/", "a/./b", "a/../a/b", ".", ".."),
                List.of("p", "pa", "pat", "path", "path/1", "path/10"),
                List.of("x", "x/0", "x/lock-0000000001", "x/lock-0000000002", "zookeeper", "zookeeper/quota"),
                List.of(a64, a64 + "a", a64 + "b", a255, a255 + "a", a255 + "b", a1000, a1000 + "a", a1000 + "b"),
                List.of("Aa", "BB", "AaAa", "BBBB", "AaBB", "BBAa"),
                List.of("{x}", "x}", "{x", "{{x}}", "x{y}", "x{y}z"),
                List.of("a:b", "a::b", "a:", ":a", "a%3Ab", "a%3ab", "a%253Ab"),
                List.of("a*", "a?", "a[b]", "a_", "a%", "a\\", "a'", "a\"", "a;b", "a--"),
                List.of("1", "01", "1.0", "+1", " 1", "1e0"),
                List.of("\u0130", "i", "I", "\u0131"),
                List.of("\ud83d\ude00", "\ud83d\ude01", "?", "\ufffd"),
                List.of("\ufeffbom", "bom"),
                List.of("\u202eabc", "abc", "cba"));
    }

    private static List<String> all() {
        TreeSet<String> all = new TreeSet<>();
        alike().forEach(all::addAll);
        return new ArrayList<>(all);
    }

    @Test
    @Rule("M1")
    final void required_M1_anyStringUpTo1024BytesIsAName(Scene s) throws Exception {
        Actor a = s.client();
        List<String> names = new ArrayList<>(all());
        names.add("x".repeat(1024));
        names.add("\u00e9".repeat(512));
        names.add("\ud83d\ude00".repeat(256));
        StringBuilder control = new StringBuilder();
        for (char c = 0; c < 0x20; c++) {
            control.append(c);
        }
        names.add(control.append('\u007f').append('\u0085').append('\u2028').toString());
        Random random = new Random(4711);
        for (int i = 0; i < s.rounds(20, 500); i++) {
            names.add(random(random, 1 + random.nextInt(40)));
        }
        for (String x : names) {
            Lease lease = a.granted(s.ask(x));
            s.same("the name of the lease", x, lease.name());
            a.releases(lease);
        }
    }

    private static String random(Random random, int length) {
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            int c = random.nextInt(4) > 0 ? random.nextInt(0x80) : random.nextInt(0x10000);
            if (!Character.isSurrogate((char) c)) {
                text.append((char) c);
            }
        }
        return text.toString();
    }

    @Test
    @Rule("M2")
    final void required_M2_otherStringsAreRefused(Scene s) throws Exception {
        Actor a = s.client();
        Map<String, String> wrong = new LinkedHashMap<>();
        wrong.put("the empty string", "");
        wrong.put("1025 bytes", "x".repeat(1025));
        wrong.put("513 characters of 2 bytes", "\u00e9".repeat(513));
        wrong.put("257 characters of 4 bytes", "\ud83d\ude00".repeat(257));
        wrong.put("a lone high surrogate", "a\ud83d");
        wrong.put("a lone low surrogate", "\ude00a");
        wrong.put("two surrogates in the wrong order", "\ude00\ud83d");
        for (Map.Entry<String, String> entry : wrong.entrySet()) {
            try {
                throw s.failure(
                        "%s was accepted as a name: %s",
                        entry.getKey(), a.locks().tryAcquire(LockRequest.of(entry.getValue())));
            } catch (IllegalArgumentException e) {
                s.log(entry.getKey() + " is refused: " + e.getMessage());
            }
        }
    }

    @Test
    @Rule("M3")
    final void required_M3_differentNamesAreDifferentLocks(Scene s) throws Exception {
        Actor a = s.client();
        Actor b = s.client();
        for (List<String> family : alike()) {
            Map<String, Lease> held = new LinkedHashMap<>();
            for (String x : family) {
                Lease lease = a.tryAcquire(s.askLong(x))
                        .orElseThrow(() -> s.failure(
                                "\"%s\" is busy while only these are held: %s; one of them is the same lock to the backend",
                                x, held.keySet()));
                held.put(x, lease);
            }
            for (String x : family) {
                b.refused(s.ask(x), "A holds this very name: " + held.get(x));
            }
            List<String> open = new ArrayList<>(family);
            while (!open.isEmpty()) {
                String x = open.remove(open.size() / 2);
                Lease lease = held.get(x);
                s.check(lease != null, "no lease for %s", x);
                if (lease != null) {
                    a.releases(lease);
                }
                for (String still : open) {
                    b.refused(s.ask(still), "A released another name, \"" + x + "\", and not this");
                }
                b.releases(b.granted(s.ask(x)));
            }
        }
    }

    @Test
    @Rule("M4")
    final void required_M4_namespacesAreApart(Scene s) throws Exception {
        List<Actor> clients = List.of(
                s.client(),
                s.client("namespace=orders"),
                s.client("namespace=Orders"),
                s.client("namespace=orders.a"),
                s.client("namespace="));
        for (String x : List.of(s.name(), "a", "a.a", "orders", "/a", ":a")) {
            List<Lease> held = new ArrayList<>();
            for (Actor client : clients) {
                held.add(client.tryAcquire(s.ask(x))
                        .orElseThrow(() -> s.failure(
                                "%s was refused \"%s\", which only clients with other name spaces hold: %s",
                                client, x, held)));
            }
            for (int i = 0; i < clients.size(); i++) {
                clients.get(i).releases(held.get(i));
            }
        }
        Lease one = clients.get(1).granted(s.ask("a.b"));
        Lease other = clients.get(3)
                .tryAcquire(s.ask("b"))
                .orElseThrow(() -> s.failure(
                        "\"b\" in the name space orders.a is busy, and only \"a.b\" in orders is held: %s", one));
        clients.get(1).releases(one);
        clients.get(3).releases(other);
        Actor same = s.client("namespace=orders");
        String x = s.name();
        Lease held = clients.get(1).granted(s.ask(x));
        same.refused(s.ask(x), "a client with the same name space holds it: " + held);
    }
}

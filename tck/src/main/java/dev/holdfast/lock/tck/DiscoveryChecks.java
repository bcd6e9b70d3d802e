package dev.holdfast.lock.tck;

import dev.holdfast.lock.Fairness;
import dev.holdfast.lock.Fault;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockGuarantees;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.LockProviders;
import dev.holdfast.lock.Option;
import dev.holdfast.lock.Property;
import dev.holdfast.lock.Reentrancy;
import dev.holdfast.lock.Require;
import dev.holdfast.lock.Safety;
import dev.holdfast.lock.spi.LockProvider;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Finding, configuring and opening. */
abstract class DiscoveryChecks {
    private static final String SECRET = "hunter2-do-not-show";

    DiscoveryChecks() {}

    @Test
    @Rule("D1")
    final void required_D1_foundUnderItsSchemeOnce(Scene s) throws Exception {
        String scheme = s.route().provider().scheme();
        s.check(
                scheme.matches("[a-z0-9-]+"),
                "the scheme is \"%s\"; it has lower case letters, digits and hyphens only",
                scheme);
        List<String> found = LockProviders.all().stream()
                .filter(p -> p.scheme().equals(scheme))
                .map(p -> p.getClass().getName())
                .toList();
        s.check(
                found.size() == 1,
                "ServiceLoader finds %s for \"%s\" (META-INF/services/%s must list it once)",
                found.isEmpty() ? "nothing" : found,
                scheme,
                LockProvider.class.getName());
    }

    @Test
    @Rule("D1")
    final void required_D1_markedForShadedJars(Scene s) throws Exception {
        String marker = "META-INF/holdfast/" + s.route().provider().scheme();
        s.check(
                DiscoveryChecks.class.getClassLoader().getResource(marker) != null,
                "there is no file %s, by which a jar that lost its service file is recognised",
                marker);
    }

    @Test
    @Rule("D2")
    final void required_D2_unknownOptionIsRefusedNamingIt(Scene s) throws Exception {
        Route route = s.route();
        String message = refused(s, route, s.options(route, "no-such-option=1"));
        s.check(
                message.contains("no-such-option"),
                "the message does not name the option that is not known: %s",
                message);
        Stream.concat(LockOptions.COMMON.stream(), route.provider().options().stream())
                .map(Option::name)
                .forEach(known -> s.check(
                        message.contains(known), "the message does not list the option %s: %s", known, message));
    }

    @Test
    @Rule("D2")
    final void required_D2_optionsAreCheckedBeforeServersAreCalled(Scene s) throws Exception {
        Route route = s.route();
        route.cut();
        String message = refused(s, route, s.options(route, "no-such-option=1"));
        s.check(message.contains("no-such-option"), "with servers that cannot be reached the message is: %s", message);
    }

    @Test
    @Rule("D3")
    final void required_D3_allProblemsAreReportedTogether(Scene s) throws Exception {
        Route route = s.route();
        String message =
                refused(s, route, s.options(route, "no-such-option=1", "operation-timeout=soon", "namespace=a b"));
        for (String problem : List.of("no-such-option", "soon", "a b")) {
            s.check(
                    message.contains(problem),
                    "three options are wrong, and the message says nothing of \"%s\": %s",
                    problem,
                    message);
        }
    }

    private static String refused(Scene s, Route route, LockOptions options) {
        try (LockClient client = s.open(route, options)) {
            throw s.failure("%s was opened with wrong options", client);
        } catch (LockConfigurationException e) {
            // Not the whole message, which shows the options as they were given.
            return String.join("\n", e.problems());
        } catch (LockException e) {
            throw s.failure("wrong options were not reported as LockConfigurationException but as %s", e);
        }
    }

    @Test
    @Rule("D4")
    final void required_D4_effectiveClaimsNoMoreThanDeclared(Scene s) throws Exception {
        LockGuarantees declared = s.declared();
        LockGuarantees effective = s.effective();
        s.same("declared() of a second call", declared, s.route().provider().declared());
        for (Property property : Property.values()) {
            Set<Fault> more = EnumSet.noneOf(Fault.class);
            more.addAll(effective.faults(property));
            more.removeAll(declared.faults(property));
            s.check(more.isEmpty(), "%s is effective under %s, which is not declared", property, more);
        }
        notMore(s, "scope", declared.scope(), effective.scope());
        notMore(s, "fencing", declared.fencing(), effective.fencing());
        notMore(s, "reentrancy", declared.reentrancy(), effective.reentrancy());
        notMore(s, "fairness", declared.fairness(), effective.fairness());
        notMore(s, "waiting", declared.waiting(), effective.waiting());
        s.same("the effective hold model", declared.hold(), effective.hold());
    }

    private static <E extends Enum<E>> void notMore(Scene s, String dimension, E declared, E effective) {
        s.check(
                effective.compareTo(declared) <= 0,
                "%s is %s in effect, which is more than the declared %s",
                dimension,
                effective,
                declared);
    }

    @Test
    @Rule("D5")
    final void required_D5_effectiveNeedsNothingAndLoweredClaimsAreExplained(Scene s) throws Exception {
        LockClient client = s.client().locks();
        s.check(
                client.guarantees().needs().isEmpty(),
                "effective guarantees are what is there, and these still need %s",
                client.guarantees().needs());
        boolean lowered = !client.guarantees()
                .equals(client.declared().toBuilder().needs().build());
        s.check(
                !lowered || !client.observations().isEmpty(),
                "the effective guarantees differ from the declared ones and no observation says why:\n  declared  %s\n  effective %s",
                client.declared(),
                client.guarantees());
    }

    @Test
    @Rule("D6")
    final void required_D6_unmetRequirementIsRefusedAtOpening(Scene s) throws Exception {
        Route route = s.route();
        Require require = unmet(s);
        try (LockClient client = s.open(route, s.options(route), require)) {
            throw s.failure("%s was opened although %s is required and it offers %s", client, require, s.effective());
        } catch (LockConfigurationException e) {
            String message = String.valueOf(e.getMessage());
            for (String reason : require.unmetBy(s.effective())) {
                s.check(message.contains(reason), "the message does not say \"%s\": %s", reason, message);
            }
        } catch (LockException e) {
            throw s.failure("an unmet requirement was not reported as LockConfigurationException but as %s", e);
        }
    }

    private static Require unmet(Scene s) {
        LockGuarantees g = s.effective();
        if (g.safety() != Safety.CORRECTNESS) {
            return Require.correctness();
        }
        if (g.fairness() != Fairness.FIFO) {
            return Require.fifo();
        }
        if (g.reentrancy() != Reentrancy.PER_OWNER) {
            return Require.reentrant();
        }
        for (Property property : Property.values()) {
            for (Fault fault : Fault.values()) {
                if (fault.isClaimable() && !g.survives(property, fault)) {
                    return Require.survives(property, fault);
                }
            }
        }
        throw new SkippedCheck(SkipReason.NOT_APPLICABLE, "everything that can be required is offered");
    }

    @Test
    @Rule("D7")
    final void required_D7_secretsAreNotShown(Scene s) throws Exception {
        Route route = s.route();
        LockOptions options = route.options().user("somebody").password(SECRET).build();
        StringBuilder seen = new StringBuilder(options.toString());
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                synchronized (seen) {
                    seen.append('\n').append(entry.getMessage());
                    describe(entry.getThrown(), seen);
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger root = Logger.getLogger("");
        Logger own = Logger.getLogger("dev.holdfast");
        Level before = own.getLevel();
        handler.setLevel(Level.ALL);
        root.addHandler(handler);
        own.setLevel(Level.ALL);
        try (LockClient client = s.open(route, options)) {
            synchronized (seen) {
                seen.append('\n').append(client).append('\n').append(client.guarantees());
            }
            try (Lease lease = client.acquire(s.ask(s.name()))) {
                synchronized (seen) {
                    seen.append('\n').append(lease);
                }
            }
        } catch (LockException e) {
            synchronized (seen) {
                describe(e, seen);
            }
        } finally {
            own.setLevel(before);
            root.removeHandler(handler);
        }
        synchronized (seen) {
            Thread.getAllStackTraces().keySet().forEach(t -> seen.append('\n').append(t.getName()));
            int at = seen.indexOf(SECRET);
            s.check(
                    at < 0,
                    "the password is shown: %s",
                    at < 0
                            ? ""
                            : seen.substring(
                                    Math.max(0, at - 120), Math.min(seen.length(), at + SECRET.length() + 20)));
        }
    }

    private static void describe(@org.jspecify.annotations.Nullable Throwable failure, StringBuilder into) {
        for (Throwable e = failure; e != null; e = e.getCause()) {
            into.append('\n').append(e);
        }
    }
}

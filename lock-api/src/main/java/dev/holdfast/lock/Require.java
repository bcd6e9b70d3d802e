package dev.holdfast.lock;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * A guarantee that an application cannot do without, checked when a client is opened and again after every reconnect. Each implies a scope
 * wider than one process.
 */
public final class Require {
    private final String text;
    private final Function<LockGuarantees, List<String>> unmet;

    private Require(String text, Function<LockGuarantees, List<String>> unmet) {
        this.text = text;
        this.unmet = unmet;
    }

    /** {@link Safety#CORRECTNESS}: durable tokens that rise across every fault that can occur. */
    public static Require correctness() {
        return new Require("correctness", g -> {
            if (g.safety() == Safety.CORRECTNESS) {
                return List.of();
            }
            List<String> reasons = new ArrayList<>();
            if (g.fencing() != Fencing.DURABLE) {
                reasons.add("fencing is " + g.fencing() + ", needed DURABLE");
            }
            Set<Fault> open = EnumSet.allOf(Fault.class);
            open.removeIf(f -> !f.isClaimable() || g.survives(Property.TOKEN_ORDER, f));
            if (!open.isEmpty()) {
                reasons.add("token order does not survive " + open);
            }
            return reasons;
        });
    }

    /** Fencing tokens at least this strong. */
    public static Require fencing(Fencing least) {
        return new Require(
                "fencing:" + least,
                g -> g.fencing().compareTo(least) >= 0
                        ? List.of()
                        : List.of("fencing is " + g.fencing() + ", needed " + least));
    }

    /**
     * A property kept under each of these faults.
     *
     * @throws IllegalArgumentException for a fault that nobody can claim, or if none is named
     */
    public static Require survives(Property property, Fault... faults) {
        if (faults.length == 0) {
            throw new IllegalArgumentException("name at least one fault that " + property + " must survive");
        }
        EnumSet<Fault> needed = EnumSet.noneOf(Fault.class);
        Collections.addAll(needed, faults);
        for (Fault fault : needed) {
            if (!fault.isClaimable()) {
                throw new IllegalArgumentException("no provider can claim to survive " + fault);
            }
        }
        return new Require("survives:" + property + ":" + needed, g -> {
            EnumSet<Fault> open = EnumSet.copyOf(needed);
            open.removeIf(f -> g.survives(property, f));
            return open.isEmpty() ? List.of() : List.of(property + " does not survive " + open);
        });
    }

    /** {@link Reentrancy#PER_OWNER}. */
    public static Require reentrant() {
        return new Require(
                "reentrant",
                g -> g.reentrancy() == Reentrancy.PER_OWNER ? List.of() : List.of("reentrancy is " + g.reentrancy()));
    }

    /** {@link Fairness#FIFO}. */
    public static Require fifo() {
        return new Require(
                "fifo", g -> g.fairness() == Fairness.FIFO ? List.of() : List.of("fairness is " + g.fairness()));
    }

    /** What is missing in these guarantees, one reason each; empty if the requirement is met. */
    public List<String> unmetBy(LockGuarantees guarantees) {
        List<String> reasons = new ArrayList<>(unmet.apply(guarantees));
        if (guarantees.scope() == Scope.PROCESS) {
            reasons.add("scope is PROCESS, needed SERVER or CLUSTER");
        }
        return reasons;
    }

    @Override
    public String toString() {
        return text;
    }
}

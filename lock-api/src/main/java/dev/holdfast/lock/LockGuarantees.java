package dev.holdfast.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a provider promises, as a small matrix of properties and faults. <em>Declared</em> guarantees hold when the settings of {@link #needs()}
 * are met; <em>effective</em> ones are what the live servers were seen to offer. The TCK tests every claim.
 */
public final class LockGuarantees {
    private static final Set<Fault> PROGRESS_FAULTS =
            Collections.unmodifiableSet(EnumSet.of(Fault.SERVER_RESTART, Fault.NODE_LOSS, Fault.NODE_PARTITION));

    private final Scope scope;
    private final Set<Fault> exclusion;
    private final Set<Fault> tokenOrder;
    private final Set<Fault> progress;
    private final Set<Fault> impossible;
    private final Fencing fencing;
    private final HoldModel hold;
    private final Duration orphanBound;
    private final Reentrancy reentrancy;
    private final Fairness fairness;
    private final Waiting waiting;
    private final String toleratedNodeLosses;
    private final List<String> needs;

    private LockGuarantees(Builder b) {
        List<String> missing = new ArrayList<>();
        scope = answered(b.scope, "scope", missing, Scope.PROCESS);
        exclusion = answered(b.exclusion, "exclusion", missing, Set.of());
        tokenOrder = answered(b.tokenOrder, "tokenOrder", missing, Set.of());
        progress = answered(b.progress, "progress", missing, Set.of());
        impossible = answered(b.impossible, "impossible", missing, Set.of());
        fencing = answered(b.fencing, "fencing", missing, Fencing.NONE);
        hold = answered(b.hold, "hold", missing, HoldModel.LEASE);
        orphanBound = answered(b.orphanBound, "orphanBound", missing, Duration.ZERO);
        reentrancy = answered(b.reentrancy, "reentrancy", missing, Reentrancy.NONE);
        fairness = answered(b.fairness, "fairness", missing, Fairness.NONE);
        waiting = answered(b.waiting, "waiting", missing, Waiting.POLLED);
        toleratedNodeLosses = answered(b.toleratedNodeLosses, "toleratedNodeLosses", missing, "");
        needs = answered(b.needs, "needs", missing, List.of());
        if (!missing.isEmpty()) {
            throw new IllegalStateException("guarantees without an answer: " + String.join(", ", missing));
        }
        List<String> wrong = new ArrayList<>();
        for (Property property : Property.values()) {
            for (Fault fault : faults(property)) {
                if (!fault.isClaimable()) {
                    wrong.add(property + " under " + fault + ": nobody can claim this fault");
                } else if (impossible.contains(fault)) {
                    wrong.add(property + " under " + fault + ": the fault is listed as impossible here");
                } else if (property == Property.PROGRESS && !PROGRESS_FAULTS.contains(fault)) {
                    wrong.add("PROGRESS can be claimed for " + PROGRESS_FAULTS + " only, not for " + fault);
                }
            }
        }
        if (!Collections.disjoint(impossible, EnumSet.of(Fault.EMPTY_RESTART, Fault.BACKUP_RESTORE))) {
            wrong.add("EMPTY_RESTART and BACKUP_RESTORE are possible everywhere");
        }
        if (fencing.compareTo(Fencing.ORDERED) < 0 && !tokenOrder.isEmpty()) {
            wrong.add("tokenOrder needs fencing ORDERED or DURABLE, and it is " + fencing);
        }
        if (fencing == Fencing.DURABLE && tokenOrder.isEmpty()) {
            wrong.add("fencing DURABLE needs the faults it survives in tokenOrder, and there are none");
        }
        if (orphanBound.isNegative() || orphanBound.isZero()) {
            wrong.add("orphanBound is " + orphanBound + "; it must be positive");
        }
        if (!wrong.isEmpty()) {
            throw new IllegalStateException("guarantees that cannot be: " + String.join("; ", wrong));
        }
    }

    private static <T> T answered(@Nullable T value, String name, List<String> missing, T stand) {
        if (value == null) {
            missing.add(name);
            return stand;
        }
        return value;
    }

    /** Starts with every dimension unanswered; {@link Builder#build()} refuses to leave one so. */
    public static Builder builder() {
        return new Builder();
    }

    /** Starts from these guarantees, to lower or to sharpen them. */
    public Builder toBuilder() {
        Builder b = new Builder();
        b.scope = scope;
        b.exclusion = exclusion;
        b.tokenOrder = tokenOrder;
        b.progress = progress;
        b.impossible = impossible;
        b.fencing = fencing;
        b.hold = hold;
        b.orphanBound = orphanBound;
        b.reentrancy = reentrancy;
        b.fairness = fairness;
        b.waiting = waiting;
        b.toleratedNodeLosses = toleratedNodeLosses;
        b.needs = needs;
        return b;
    }

    /**
     * What these guarantees are good for, derived from the rest: {@link Safety#CORRECTNESS} only if tokens are durable and rise across every
     * fault that can occur here. Even then correctness needs a resource that checks the token, see {@link FencedResource}: a lease cannot stop a
     * paused holder from acting late.
     */
    public Safety safety() {
        Set<Fault> uncovered = EnumSet.noneOf(Fault.class);
        for (Fault fault : Fault.values()) {
            if (fault.isClaimable() && !tokenOrder.contains(fault) && !impossible.contains(fault)) {
                uncovered.add(fault);
            }
        }
        return fencing == Fencing.DURABLE && uncovered.isEmpty() ? Safety.CORRECTNESS : Safety.EFFICIENCY;
    }

    /** Whether a property is kept under a fault: claimed, or the fault cannot occur here. */
    public boolean survives(Property property, Fault fault) {
        return faults(property).contains(fault) || impossible.contains(fault);
    }

    /** The faults that a property is claimed to survive. */
    public Set<Fault> faults(Property property) {
        return switch (property) {
            case EXCLUSION -> exclusion;
            case TOKEN_ORDER -> tokenOrder;
            case PROGRESS -> progress;
        };
    }

    /** Who is excluded. */
    public Scope scope() {
        return scope;
    }

    /** The faults under which nobody else is granted while a promise runs. */
    public Set<Fault> exclusion() {
        return exclusion;
    }

    /** The faults across which tokens keep rising. */
    public Set<Fault> tokenOrder() {
        return tokenOrder;
    }

    /** The faults under which acquire and release complete again. */
    public Set<Fault> progress() {
        return progress;
    }

    /** The faults that cannot occur here, by topology or, in effective guarantees, by observation. */
    public Set<Fault> impossible() {
        return impossible;
    }

    /** What the tokens are good for. */
    public Fencing fencing() {
        return fencing;
    }

    /** What frees the lock of a dead holder. */
    public HoldModel hold() {
        return hold;
    }

    /** The longest a dead holder can block the others, with the default lease and the settings at hand. */
    public Duration orphanBound() {
        return orphanBound;
    }

    /** Whether an owner can nest. */
    public Reentrancy reentrancy() {
        return reentrancy;
    }

    /** In which order clients are served. */
    public Fairness fairness() {
        return fairness;
    }

    /** How waiters learn of a release. */
    public Waiting waiting() {
        return waiting;
    }

    /** How many nodes may be lost, as text: "none", "a minority", or, in effective guarantees, with numbers: "1 of 3". */
    public String toleratedNodeLosses() {
        return toleratedNodeLosses;
    }

    /** The settings under which declared guarantees hold; empty in effective ones. */
    public List<String> needs() {
        return needs;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LockGuarantees g && asList().equals(g.asList());
    }

    @Override
    public int hashCode() {
        return asList().hashCode();
    }

    private List<Object> asList() {
        return List.of(
                scope,
                exclusion,
                tokenOrder,
                progress,
                impossible,
                fencing,
                hold,
                orphanBound,
                reentrancy,
                fairness,
                waiting,
                toleratedNodeLosses,
                needs);
    }

    @Override
    public String toString() {
        return ("LockGuarantees[%s, scope %s, fencing %s, hold %s up to %s, reentrancy %s, fairness %s, waiting %s, tolerated node losses %s,"
                        + " exclusion %s, token order %s, progress %s, impossible %s, needs %s]")
                .formatted(
                        safety(),
                        scope,
                        fencing,
                        hold,
                        orphanBound,
                        reentrancy,
                        fairness,
                        waiting,
                        toleratedNodeLosses,
                        exclusion,
                        tokenOrder,
                        progress,
                        impossible,
                        needs);
    }

    /** Collects the answers. Not for use by several threads. */
    public static final class Builder {
        private @Nullable Scope scope;
        private @Nullable Set<Fault> exclusion;
        private @Nullable Set<Fault> tokenOrder;
        private @Nullable Set<Fault> progress;
        private @Nullable Set<Fault> impossible;
        private @Nullable Fencing fencing;
        private @Nullable HoldModel hold;
        private @Nullable Duration orphanBound;
        private @Nullable Reentrancy reentrancy;
        private @Nullable Fairness fairness;
        private @Nullable Waiting waiting;
        private @Nullable String toleratedNodeLosses;
        private @Nullable List<String> needs;

        private Builder() {}

        /** See {@link LockGuarantees#scope()}. */
        public Builder scope(Scope scope) {
            this.scope = Objects.requireNonNull(scope, "scope");
            return this;
        }

        /** See {@link LockGuarantees#exclusion()}. */
        public Builder exclusion(Fault... faults) {
            this.exclusion = set(faults);
            return this;
        }

        /** See {@link LockGuarantees#tokenOrder()}. */
        public Builder tokenOrder(Fault... faults) {
            this.tokenOrder = set(faults);
            return this;
        }

        /** See {@link LockGuarantees#progress()}. */
        public Builder progress(Fault... faults) {
            this.progress = set(faults);
            return this;
        }

        /** See {@link LockGuarantees#impossible()}. */
        public Builder impossible(Fault... faults) {
            this.impossible = set(faults);
            return this;
        }

        /** See {@link LockGuarantees#fencing()}. */
        public Builder fencing(Fencing fencing) {
            this.fencing = Objects.requireNonNull(fencing, "fencing");
            return this;
        }

        /** See {@link LockGuarantees#hold()}. */
        public Builder hold(HoldModel hold) {
            this.hold = Objects.requireNonNull(hold, "hold");
            return this;
        }

        /** See {@link LockGuarantees#orphanBound()}. */
        public Builder orphanBound(Duration orphanBound) {
            this.orphanBound = Objects.requireNonNull(orphanBound, "orphanBound");
            return this;
        }

        /** See {@link LockGuarantees#reentrancy()}. */
        public Builder reentrancy(Reentrancy reentrancy) {
            this.reentrancy = Objects.requireNonNull(reentrancy, "reentrancy");
            return this;
        }

        /** See {@link LockGuarantees#fairness()}. */
        public Builder fairness(Fairness fairness) {
            this.fairness = Objects.requireNonNull(fairness, "fairness");
            return this;
        }

        /** See {@link LockGuarantees#waiting()}. */
        public Builder waiting(Waiting waiting) {
            this.waiting = Objects.requireNonNull(waiting, "waiting");
            return this;
        }

        /** See {@link LockGuarantees#toleratedNodeLosses()}. */
        public Builder toleratedNodeLosses(String toleratedNodeLosses) {
            this.toleratedNodeLosses = Objects.requireNonNull(toleratedNodeLosses, "toleratedNodeLosses");
            return this;
        }

        /** See {@link LockGuarantees#needs()}. */
        public Builder needs(String... needs) {
            this.needs = List.of(needs);
            return this;
        }

        /** Takes faults out of {@code exclusion}, {@code tokenOrder} and {@code progress}: the probe saw that they are not survived. */
        public Builder without(Property property, Fault... faults) {
            Supplier<IllegalStateException> unanswered =
                    () -> new IllegalStateException(property.name().toLowerCase(Locale.ROOT) + " has no answer yet");
            switch (property) {
                case EXCLUSION -> exclusion = minus(exclusion, faults, unanswered);
                case TOKEN_ORDER -> tokenOrder = minus(tokenOrder, faults, unanswered);
                case PROGRESS -> progress = minus(progress, faults, unanswered);
            }
            return this;
        }

        /**
         * Builds the guarantees.
         *
         * @throws IllegalStateException if a dimension has no answer or the answers contradict each other; the message lists all of it
         */
        public LockGuarantees build() {
            return new LockGuarantees(this);
        }

        private static Set<Fault> set(Fault... faults) {
            EnumSet<Fault> set = EnumSet.noneOf(Fault.class);
            Collections.addAll(set, faults);
            return Collections.unmodifiableSet(set);
        }

        private static Set<Fault> minus(
                @Nullable Set<Fault> from, Fault[] faults, Supplier<IllegalStateException> unanswered) {
            if (from == null) {
                throw unanswered.get();
            }
            EnumSet<Fault> set = EnumSet.noneOf(Fault.class);
            set.addAll(from);
            set.removeAll(Arrays.asList(faults));
            return Collections.unmodifiableSet(set);
        }
    }
}

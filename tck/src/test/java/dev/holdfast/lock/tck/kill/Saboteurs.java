package dev.holdfast.lock.tck.kill;

import dev.holdfast.lock.Fairness;
import dev.holdfast.lock.Fault;
import dev.holdfast.lock.Fencing;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockGuarantees;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.ReleaseOutcome;
import dev.holdfast.lock.spi.AcquireAttempt;
import dev.holdfast.lock.spi.AcquireResult;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.Hold;
import dev.holdfast.lock.spi.HoldState;
import dev.holdfast.lock.spi.LockBackend;
import dev.holdfast.lock.spi.LockBackend.Observed;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.ReleaseSignals;
import dev.holdfast.lock.spi.ReleaseSignals.Subscription;
import dev.holdfast.lock.spi.TimeSource;
import java.text.Normalizer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/** Drivers that break one promise each. */
final class Saboteurs {
    private Saboteurs() {}

    static List<Saboteur> all() {
        List<Saboteur> all = new ArrayList<>();
        all.addAll(discovery());
        all.addAll(exclusion());
        all.addAll(waiting());
        all.addAll(lease());
        all.addAll(renewal());
        all.addAll(release());
        all.addAll(fencing());
        all.addAll(loss());
        all.addAll(names());
        all.addAll(errors());
        all.addAll(lifecycle());
        return all;
    }

    // ---- discovery

    private static Twist reporting(UnaryOperator<List<String>> change) {
        return new Twist() {
            @Override
            LockBackend open(LockProvider provider, LockOptions options, TimeSource time) throws BackendException {
                try {
                    return provider.open(options, time);
                } catch (LockConfigurationException e) {
                    throw new LockConfigurationException("cannot open", change.apply(e.problems()));
                }
            }
        };
    }

    private static List<Saboteur> discovery() {
        return List.of(
                Saboteur.of(
                        "has a scheme nobody can write",
                        () -> new Twist() {
                            @Override
                            String scheme(LockProvider provider) {
                                return "Memory!";
                            }
                        },
                        "the scheme is \"Memory!\"",
                        "D1_foundUnderItsSchemeOnce",
                        "D1_markedForShadedJars"),
                Saboteur.of(
                        "does not name the option that is wrong",
                        () -> reporting(problems -> List.of("an option is wrong")),
                        "does not name the option",
                        "D2_unknownOptionIsRefusedNamingIt",
                        "D2_optionsAreCheckedBeforeServersAreCalled",
                        "D3_allProblemsAreReportedTogether"),
                Saboteur.of(
                        "does not list the options there are",
                        () -> reporting(problems -> problems.stream()
                                .map(p -> p.replaceAll("; memory has .*", ""))
                                .toList()),
                        "does not list the option",
                        "D2_unknownOptionIsRefusedNamingIt"),
                Saboteur.of(
                        "reports one problem at a time",
                        () -> reporting(problems -> problems.subList(0, 1)),
                        "says nothing of",
                        "D3_allProblemsAreReportedTogether"),
                Saboteur.of(
                        "connects before it checks its options",
                        () -> new Twist() {
                            @Override
                            LockBackend open(LockProvider provider, LockOptions options, TimeSource time)
                                    throws BackendException {
                                try {
                                    LockBackend first = provider.open(
                                            LockOptions.builder("memory").build(), time);
                                    Subscription probe = ((ReleaseSignals) first)
                                            .subscribe("probe", () -> {}, time.nanoTime() + 1_000_000);
                                    probe.close();
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                                return provider.open(options, time);
                            }
                        },
                        "not reported as LockConfigurationException",
                        "D2_optionsAreCheckedBeforeServersAreCalled"),
                Saboteur.of(
                        "claims more in effect than it declares",
                        () -> new Twist() {
                            @Override
                            LockGuarantees declared(LockProvider provider) {
                                return provider.declared().toBuilder()
                                        .fairness(Fairness.NONE)
                                        .build();
                            }
                        },
                        "fairness is FIFO in effect",
                        "D4_effectiveClaimsNoMoreThanDeclared",
                        "D5_effectiveNeedsNothingAndLoweredClaimsAreExplained"),
                Saboteur.of(
                        "still needs something in effect",
                        () -> new Twist() {
                            @Override
                            Observed observed(Client client) {
                                return new Observed(
                                        client.memory.observed().effective().toBuilder()
                                                .needs("a good day")
                                                .build(),
                                        List.of("none"));
                            }
                        },
                        "these still need [a good day]",
                        "D5_effectiveNeedsNothingAndLoweredClaimsAreExplained"),
                Saboteur.of(
                                "does not say why it offers less",
                                () -> new Twist() {
                                    @Override
                                    Observed observed(Client client) {
                                        return new Observed(
                                                client.memory.observed().effective(), List.of());
                                    }
                                },
                                "no observation says why",
                                "D5_effectiveNeedsNothingAndLoweredClaimsAreExplained")
                        .onUnfairServer(),
                Saboteur.of(
                        "shows the password in an error",
                        () -> new Twist() {
                            @Override
                            LockBackend open(LockProvider provider, LockOptions options, TimeSource time)
                                    throws BackendException {
                                if (options.password().isPresent()) {
                                    throw new LockConfigurationException(
                                            "cannot log in",
                                            List.of("wrong password: "
                                                    + options.password().get()));
                                }
                                return provider.open(options, time);
                            }
                        },
                        "the password is shown",
                        "D7_secretsAreNotShown"));
    }

    // ---- exclusion

    private static List<Saboteur> exclusion() {
        return List.of(
                Saboteur.of(
                        "grants whoever asks",
                        () -> new Twist() {
                            @Override
                            AcquireResult acquire(Client client, AcquireAttempt attempt, long deadline)
                                    throws BackendException, InterruptedException {
                                AcquireResult result = client.memory.acquire(attempt, deadline);
                                return isGranted(result) ? result : steal(client, attempt, deadline);
                            }
                        },
                        "was granted",
                        "E1_secondClientIsRefused",
                        "C1_closingEndsWaiters",
                        "C3_closingTwiceIsHarmless",
                        "C6_closingOneClientLeavesOthersAlone",
                        "C8_idleNamesCostNoServerMemory",
                        "E1_contendersWhoAskAtOnceAreGrantedOneByOne",
                        "E1_heldAcrossServerRestart",
                        "E4_differentNamesDoNotExclude",
                        "E5_counterLosesNoUpdate",
                        "F1_tokensRiseInOrderOfGrantUnderContention",
                        "F6_failedAttemptsDoNotChangeTheToken",
                        "L1_serverHoldsForTheWholeLease",
                        "L1_serverHoldsForTheWholeLeaseAfterARenewal",
                        "L4_tooShortALeaseIsRoundedUp",
                        "L6_fixedLeaseIsLostAtItsEnd",
                        "L7_maxHoldEndsARenewedLease",
                        "L9_lateReleaseOfAnExpiredHoldChecksTheOwner",
                        "M3_differentNamesAreDifferentLocks",
                        "M4_namespacesAreApart",
                        "N1_renewedLeaseIsKept",
                        "N4_firstRefusalEndsRenewal",
                        "O1_sameOwnerNests",
                        "O2_lastReleaseFrees",
                        "O7_selfDeadlockExplainsItself",
                        "P3_repeatedAttemptFindsItsOwnMark",
                        "R1_marksAreOfTheAcquisitionAndNotOfTheClient",
                        "R1_releaseFreesOnlyItsOwnAcquisition",
                        "R2_repeatedReleaseChangesNothing",
                        "R2_resentReleaseHurtsNobody",
                        "S4_cutOffHolderKnowsBeforeAnotherIsGranted",
                        "W10_oppositeOrderEndsWithinTheLimits",
                        "W1_zeroWaitMakesOneAttempt",
                        "W2_busyNotBeforeTheLimitAndSoonAfter",
                        "W2_waitersInOneClientEachKeepTheirLimit",
                        "W4_acquireReportsBusyAsTimeout",
                        "W5_grantedSoonAfterRelease",
                        "W6_interruptedWaiterEndsAndLeavesNothing",
                        "W8_waiterThatGivesUpDoesNotBlockThoseBehind",
                        "W9_servedInOrderOfArrival",
                        "X3_unclearAcquireHoldsNothing"),
                Saboteur.of(
                                "looks first and takes then",
                                () -> new Twist() {
                                    @Override
                                    AcquireResult acquire(Client client, AcquireAttempt attempt, long deadline)
                                            throws BackendException, InterruptedException {
                                        boolean free = !server().isHeld(client.namespace, attempt.name());
                                        if (!free) {
                                            return client.memory.acquire(attempt, deadline);
                                        }
                                        pass(client.time, Duration.ofNanos(100_000));
                                        AcquireResult result = client.memory.acquire(attempt, deadline);
                                        return isGranted(result) ? result : steal(client, attempt, deadline);
                                    }
                                },
                                "two hold",
                                "E1_contendersWhoAskAtOnceAreGrantedOneByOne",
                                "E5_counterLosesNoUpdate",
                                "W8_waiterThatGivesUpDoesNotBlockThoseBehind")
                        .onUnfairServer(),
                Saboteur.of(
                        "has a lock table for each client",
                        () -> new Twist() {
                            private final AtomicLong number = new AtomicLong();

                            @Override
                            LockBackend open(LockProvider provider, LockOptions options, TimeSource time)
                                    throws BackendException {
                                provider.open(options, time).close();
                                return provider.open(
                                        LockOptions.builder("memory")
                                                .option("namespace", "client-" + number.incrementAndGet())
                                                .build(),
                                        time);
                            }
                        },
                        "B was granted",
                        "E1_secondClientIsRefused",
                        "C1_closingEndsWaiters",
                        "C3_closingTwiceIsHarmless",
                        "C6_closingOneClientLeavesOthersAlone",
                        "C8_idleNamesCostNoServerMemory",
                        "E1_contendersWhoAskAtOnceAreGrantedOneByOne",
                        "E1_heldAcrossServerRestart",
                        "E4_differentNamesDoNotExclude",
                        "E5_counterLosesNoUpdate",
                        "F1_tokensRiseAcrossClients",
                        "F1_tokensRiseAcrossServerRestart",
                        "F1_tokensRiseAfterRevocation",
                        "F1_tokensRiseInOrderOfGrantUnderContention",
                        "F1_tokensRisePastTheLimitsOfSmallerNumbers",
                        "F1_tokensRiseWhoeverHoldsAndHoweverItEnds",
                        "F4_tokensAreNeverRepeated",
                        "F6_failedAttemptsDoNotChangeTheToken",
                        "L1_serverHoldsForTheWholeLease",
                        "L1_serverHoldsForTheWholeLeaseAfterARenewal",
                        "L4_tooShortALeaseIsRoundedUp",
                        "L6_fixedLeaseIsLostAtItsEnd",
                        "L7_maxHoldEndsARenewedLease",
                        "L9_lateReleaseOfAnExpiredHoldChecksTheOwner",
                        "M3_differentNamesAreDifferentLocks",
                        "M4_namespacesAreApart",
                        "N1_renewedLeaseIsKept",
                        "N4_firstRefusalEndsRenewal",
                        "N4_refusedRenewalProlongsNobody",
                        "O1_sameOwnerNests",
                        "O2_lastReleaseFrees",
                        "O7_selfDeadlockExplainsItself",
                        "P3_repeatedAttemptFindsItsOwnMark",
                        "R1_marksAreOfTheAcquisitionAndNotOfTheClient",
                        "R1_releaseFreesOnlyItsOwnAcquisition",
                        "R2_repeatedReleaseChangesNothing",
                        "R2_resentReleaseHurtsNobody",
                        "S3_revokedHoldIsLostInTime",
                        "S4_cutOffHolderKnowsBeforeAnotherIsGranted",
                        "W10_oppositeOrderEndsWithinTheLimits",
                        "W1_zeroWaitMakesOneAttempt",
                        "W2_busyNotBeforeTheLimitAndSoonAfter",
                        "W2_waitersInOneClientEachKeepTheirLimit",
                        "W4_acquireReportsBusyAsTimeout",
                        "W6_interruptedWaiterEndsAndLeavesNothing",
                        "W8_waiterThatGivesUpDoesNotBlockThoseBehind",
                        "X3_unclearAcquireHoldsNothing"),
                Saboteur.of(
                                "forgets everything in a restart",
                                () -> new Twist() {
                                    @Override
                                    LockGuarantees declared(LockProvider provider) {
                                        return provider.declared().toBuilder()
                                                .exclusion(durable(
                                                        provider.declared().exclusion()))
                                                .tokenOrder(durable(
                                                        provider.declared().tokenOrder()))
                                                .fencing(Fencing.DURABLE)
                                                .build();
                                    }

                                    @Override
                                    Observed observed(Client client) {
                                        LockGuarantees g =
                                                client.memory.observed().effective();
                                        return new Observed(
                                                g.toBuilder()
                                                        .exclusion(durable(g.exclusion()))
                                                        .tokenOrder(durable(g.tokenOrder()))
                                                        .fencing(Fencing.DURABLE)
                                                        .build(),
                                                List.of());
                                    }
                                },
                                "given before the restart, still runs",
                                "E1_heldAcrossServerRestart",
                                "F1_tokensRiseAcrossServerRestart",
                                "X5_sameClientWorksAfterAServerRestart")
                        .onForgetfulServer(),
                Saboteur.of(
                        "takes the client for the owner",
                        () -> new Twist() {
                            @Override
                            int contendersPerName(Client client) {
                                return 2;
                            }

                            @Override
                            AcquireResult acquire(Client client, AcquireAttempt attempt, long deadline)
                                    throws BackendException, InterruptedException {
                                Held holder = current.get(client.namespace + "/" + attempt.name());
                                AcquireResult result = client.memory.acquire(attempt, deadline);
                                return isGranted(result) || holder == null || holder.released || holder.client != client
                                        ? result
                                        : steal(client, attempt, deadline);
                            }
                        },
                        "another thread of the same client holds it",
                        "E2_secondCallerOfTheSameClientIsRefused",
                        "E1_contendersWhoAskAtOnceAreGrantedOneByOne",
                        "E5_counterLosesNoUpdate",
                        "F1_tokensRiseInOrderOfGrantUnderContention",
                        "O3_withoutAskingNothingNests",
                        "O7_selfDeadlockExplainsItself",
                        "W5_grantedSoonAfterRelease"));
    }

    private static Fault[] durable(Set<Fault> faults) {
        Set<Fault> more = EnumSet.copyOf(faults);
        more.add(Fault.SERVER_RESTART);
        more.add(Fault.POWER_LOSS);
        return more.toArray(Fault[]::new);
    }

    // ---- waiting

    private static List<Saboteur> waiting() {
        return List.of(
                Saboteur.of(
                        "counts latency against a wait of zero",
                        () -> new Twist() {
                            @Override
                            AcquireResult acquire(Client client, AcquireAttempt attempt, long deadline)
                                    throws BackendException, InterruptedException {
                                long from = client.time.nanoTime();
                                AcquireResult result = client.memory.acquire(attempt, deadline);
                                if (result instanceof AcquireResult.Granted granted
                                        && !attempt.mayQueue()
                                        && client.time.nanoTime() - from > 90_000_000) {
                                    ReleaseOutcome unused = granted.hold().release(deadline);
                                    return new AcquireResult.Busy(Duration.ofSeconds(1));
                                }
                                return result;
                            }
                        },
                        "was told that it is busy",
                        "W1_latencyDoesNotCountAgainstZeroWait"),
                Saboteur.of(
                        "waits a little where it must not wait",
                        () -> new Twist() {
                            @Override
                            AcquireResult acquire(Client client, AcquireAttempt attempt, long deadline)
                                    throws BackendException, InterruptedException {
                                AcquireResult result = client.memory.acquire(attempt, deadline);
                                if (!isGranted(result) && !attempt.mayQueue()) {
                                    pass(client.time, Duration.ofMillis(300));
                                }
                                return result;
                            }
                        },
                        "a wait of zero for a busy name took 300 ms",
                        "W1_zeroWaitMakesOneAttempt"),
                Saboteur.of(
                                "promises signals and sends none",
                                () -> new Twist() {
                                    @Override
                                    Subscription subscribe(
                                            Client client, String name, Runnable mayBeFree, long deadline) {
                                        return () -> {};
                                    }
                                },
                                "",
                                "W5_grantedSoonAfterRelease",
                                "W8_waiterThatGivesUpDoesNotBlockThoseBehind")
                        .onUnfairServer(),
                Saboteur.of(
                                "loses signals that come early",
                                () -> new Twist() {
                                    @Override
                                    Subscription subscribe(
                                            Client client, String name, Runnable mayBeFree, long deadline)
                                            throws BackendException, InterruptedException {
                                        long from = client.time.nanoTime() + 2_000_000;
                                        return super.subscribe(
                                                client,
                                                name,
                                                () -> {
                                                    if (client.time.nanoTime() - from > 0) {
                                                        mayBeFree.run();
                                                    }
                                                },
                                                deadline);
                                    }
                                },
                                "",
                                "W5_grantedSoonAfterRelease")
                        .onUnfairServer(),
                Saboteur.of(
                        "does not let a waiter be interrupted",
                        () -> new Twist() {
                            @Override
                            AcquireResult await(
                                    Client client, AcquireAttempt attempt, AcquireResult.Place place, long deadline)
                                    throws BackendException, InterruptedException {
                                boolean interrupted = false;
                                while (true) {
                                    try {
                                        AcquireResult result = place.await(deadline);
                                        if (interrupted) {
                                            Thread.currentThread().interrupt();
                                        }
                                        return result;
                                    } catch (InterruptedException e) {
                                        interrupted = true;
                                    }
                                }
                            }
                        },
                        "should have ended",
                        "W6_interruptedWaiterEndsAndLeavesNothing"),
                Saboteur.of(
                        "leaves its place in the queue behind",
                        () -> new Twist() {
                            @Override
                            void leave(Client client, AcquireResult.Place place, long deadline) {}
                        },
                        "",
                        "W8_waiterThatGivesUpDoesNotBlockThoseBehind",
                        "C1_closingEndsWaiters",
                        "L6_fixedLeaseIsLostAtItsEnd",
                        "L7_maxHoldEndsARenewedLease",
                        "W10_oppositeOrderEndsWithinTheLimits",
                        "W6_interruptedWaiterEndsAndLeavesNothing"),
                Saboteur.of(
                        "claims an order that it does not keep",
                        () -> new Twist() {
                            @Override
                            AcquireAttempt attempt(AcquireAttempt attempt) {
                                return new Changed(attempt) {
                                    @Override
                                    public boolean mayQueue() {
                                        return false;
                                    }
                                };
                            }

                            @Override
                            Subscription subscribe(Client client, String name, Runnable mayBeFree, long deadline)
                                    throws BackendException, InterruptedException {
                                // Later clients hear of a release first.
                                long after = 10_000_000L - 500_000L * (clients.indexOf(client) % 10);
                                return super.subscribe(
                                        client,
                                        name,
                                        () -> {
                                            TimeSource.Timer unused =
                                                    client.time.schedule(mayBeFree, client.time.nanoTime() + after);
                                        },
                                        deadline);
                            }
                        },
                        "the order of the clients' first waiters",
                        "W9_servedInOrderOfArrival"));
    }

    // ---- lease

    private static Twist leased(UnaryOperator<Duration> atServer) {
        return new Twist() {
            @Override
            AcquireAttempt attempt(AcquireAttempt attempt) {
                return new Changed(attempt) {
                    @Override
                    public Duration lease() {
                        return atServer.apply(super.lease());
                    }
                };
            }

            @Override
            HoldState renew(Held held, Duration lease, long deadline) throws BackendException, InterruptedException {
                return held.memory.renew(atServer.apply(lease), deadline);
            }
        };
    }

    private static List<Saboteur> lease() {
        return List.of(
                Saboteur.of(
                        "never lets a lease end",
                        () -> leased(lease -> lease.plusHours(10)),
                        "its holder died",
                        "L8_deadHolderBlocksForItsLeaseOnly",
                        "L1_serverHoldsForTheWholeLease",
                        "L9_lateReleaseOfAnExpiredHoldChecksTheOwner",
                        "N4_refusedRenewalProlongsNobody",
                        "S4_cutOffHolderKnowsBeforeAnotherIsGranted",
                        "W5_grantedSoonAfterTheLeaseEnds"),
                Saboteur.of(
                        "lets a lease end at half of it",
                        () -> leased(lease -> lease.dividedBy(2)),
                        "not before",
                        "L1_serverHoldsForTheWholeLease",
                        "L1_serverHoldsForTheWholeLeaseAfterARenewal",
                        "L2_remainingFallsToZero",
                        "L6_fixedLeaseIsLostAtItsEnd",
                        "N3_shortOutageCostsNothing",
                        "S4_cutOffHolderKnowsBeforeAnotherIsGranted",
                        "S5_lossIsToldWhenThePromiseEnds"),
                Saboteur.of(
                        "lets a lease end a little early",
                        () -> leased(lease -> lease.multipliedBy(97).dividedBy(100)),
                        "not before",
                        "L1_serverHoldsForTheWholeLease",
                        "L1_serverHoldsForTheWholeLeaseAfterARenewal",
                        "L6_fixedLeaseIsLostAtItsEnd",
                        "S4_cutOffHolderKnowsBeforeAnotherIsGranted"),
                Saboteur.of(
                        "counts a grant from its answer",
                        () -> new Twist() {
                            @Override
                            AcquireResult acquire(Client client, AcquireAttempt attempt, long deadline)
                                    throws BackendException, InterruptedException {
                                AcquireResult result = client.memory.acquire(attempt, deadline);
                                return result instanceof AcquireResult.Granted granted
                                        ? new AcquireResult.Granted(granted.hold(), client.time.nanoTime())
                                        : result;
                            }
                        },
                        "each way is promised for",
                        "L3_promiseCountsFromBeforeTheRequest"),
                Saboteur.of(
                        "counts a renewal from its answer",
                        () -> new Twist() {
                            @Override
                            HoldState renew(Held held, Duration lease, long deadline)
                                    throws BackendException, InterruptedException {
                                HoldState state = held.memory.renew(lease, deadline);
                                return state instanceof HoldState.Held
                                        ? new HoldState.Held(held.client.time.nanoTime())
                                        : state;
                            }
                        },
                        "a renewal over a link",
                        "L3_renewedPromiseCountsFromBeforeTheRenewal"),
                Saboteur.of(
                        "shortens long leases",
                        () -> new Twist() {
                            @Override
                            Duration effectiveLease(Client client, Duration requested, boolean renewed) {
                                return requested.compareTo(Duration.ofSeconds(20)) > 0
                                        ? Duration.ofSeconds(20)
                                        : super.effectiveLease(client, requested, renewed);
                            }
                        },
                        "and 20000 ms given",
                        "L4_leasesAreNeverShortened"),
                Saboteur.of(
                        "takes leases that are too short for it",
                        () -> new Twist() {
                            @Override
                            Duration effectiveLease(Client client, Duration requested, boolean renewed) {
                                return requested;
                            }
                        },
                        "",
                        "L4_tooShortALeaseIsRoundedUp",
                        "R4_closeThrowsNothingAndTheBodysExceptionWins"));
    }

    // ---- renewal

    private static List<Saboteur> renewal() {
        return List.of(
                Saboteur.of(
                        "forgets holds that are renewed for long",
                        () -> new Twist() {
                            @Override
                            HoldState renew(Held held, Duration lease, long deadline)
                                    throws BackendException, InterruptedException {
                                long now = held.client.time.nanoTime();
                                if (held.renewals() > 5) {
                                    boolean unused = server().revoke(held.client.namespace, held.attempt.name());
                                    return new HoldState.Held(now);
                                }
                                return held.memory.renew(lease, deadline);
                            }
                        },
                        "A holds and renews it",
                        "N1_renewedLeaseIsKept"),
                Saboteur.of(
                        "takes silence for a renewal",
                        () -> new Twist() {
                            @Override
                            HoldState renew(Held held, Duration lease, long deadline) throws InterruptedException {
                                try {
                                    return held.memory.renew(lease, deadline);
                                } catch (BackendException e) {
                                    return new HoldState.Held(held.client.time.nanoTime());
                                }
                            }
                        },
                        "no renewal can have been answered",
                        "N2_unansweredRenewalsProlongNothing",
                        "L2_heldEndsInTimeWithoutServers",
                        "N6_hangingRenewalsDelayNoLossSignal",
                        "S4_cutOffHolderKnowsBeforeAnotherIsGranted"),
                Saboteur.of(
                        "takes silence for a loss",
                        () -> new Twist() {
                            @Override
                            HoldState renew(Held held, Duration lease, long deadline) throws InterruptedException {
                                try {
                                    return held.memory.renew(lease, deadline);
                                } catch (BackendException e) {
                                    return lost();
                                }
                            }
                        },
                        "an outage of a quarter of the lease was a loss",
                        "N3_shortOutageCostsNothing",
                        "L2_heldEndsInTimeWithoutServers"),
                Saboteur.of(
                        "renews whoever holds the name",
                        () -> new Twist() {
                            @Override
                            AcquireAttempt attempt(AcquireAttempt attempt) {
                                return new Stretched(attempt);
                            }

                            @Override
                            HoldState renew(Held held, Duration lease, long deadline)
                                    throws BackendException, InterruptedException {
                                HoldState state = held.memory.renew(lease, deadline);
                                Held other = current.get(held.client.namespace + "/" + held.attempt.name());
                                if (state instanceof HoldState.Lost && other != null) {
                                    ((Stretched) other.attempt).factor = 5;
                                    AcquireResult unused = held.client.memory.acquire(other.attempt, deadline);
                                }
                                return state;
                            }
                        },
                        "has nothing to renew",
                        "N4_refusedRenewalProlongsNobody",
                        "F1_tokensRiseAfterRevocation"),
                Saboteur.of(
                        "goes on renewing after the release",
                        () -> new Twist() {
                            @Override
                            ReleaseOutcome release(Held held, long deadline)
                                    throws BackendException, InterruptedException {
                                ReleaseOutcome outcome = held.memory.release(deadline);
                                if (held.renewals() == 1 && outcome == ReleaseOutcome.RELEASED && !held.released) {
                                    TimeSource.Timer unused = held.client.time.schedule(
                                            () -> held.client.time.execute(() -> {
                                                try {
                                                    AcquireResult unused2 = held.client.memory.acquire(
                                                            held.attempt, held.client.time.nanoTime());
                                                } catch (BackendException | InterruptedException e) {
                                                    // It cannot.
                                                }
                                            }),
                                            held.client.time.nanoTime() + 5_000_000);
                                }
                                return outcome;
                            }
                        },
                        "which nobody held, and was told that it is busy",
                        "N5_noRenewalAfterRelease"),
                Saboteur.of(
                        "brings a lock back by a late renewal",
                        () -> new Twist() {
                            @Override
                            HoldState renew(Held held, Duration lease, long deadline)
                                    throws BackendException, InterruptedException {
                                try {
                                    return held.memory.renew(lease, deadline);
                                } catch (BackendException e) {
                                    if (e.kind() == BackendException.Kind.UNCLEAR) {
                                        TimeSource.Timer unused = held.client.time.schedule(
                                                () -> held.client.time.execute(() -> {
                                                    try {
                                                        AcquireResult unused2 = held.client.memory.acquire(
                                                                held.attempt, held.client.time.nanoTime());
                                                    } catch (BackendException | InterruptedException x) {
                                                        // It cannot.
                                                    }
                                                }),
                                                held.client.time.nanoTime() + 5_000_000);
                                    }
                                    throw e;
                                }
                            }
                        },
                        "its late renewal is no reason to be busy",
                        "N5_lateRenewalBringsNothingBack"),
                Saboteur.of(
                        "renews one hold after the other",
                        () -> new Twist() {
                            private final Map<Client, CompletableFuture<Void>> busy = new ConcurrentHashMap<>();

                            @Override
                            HoldState renew(Held held, Duration lease, long deadline)
                                    throws BackendException, InterruptedException {
                                CompletableFuture<Void> mine = new CompletableFuture<>();
                                while (true) {
                                    CompletableFuture<Void> other = busy.putIfAbsent(held.client, mine);
                                    if (other == null) {
                                        break;
                                    }
                                    if (!held.client.time.await(
                                            other,
                                            held.client.time.nanoTime()
                                                    + Duration.ofSeconds(2).toNanos())) {
                                        throw new BackendException(BackendException.Kind.UNAVAILABLE, "busy", null);
                                    }
                                }
                                try {
                                    return held.memory.renew(
                                            lease,
                                            deadline + Duration.ofSeconds(2).toNanos());
                                } finally {
                                    busy.remove(held.client);
                                    mine.complete(null);
                                }
                            }
                        },
                        "others were lost",
                        "N6_hangingRenewalDelaysNoOther"));
    }

    /** Asks for a longer lease from some moment on. */
    private static final class Stretched extends Twist.Changed {
        volatile int factor = 1;

        Stretched(AcquireAttempt attempt) {
            super(attempt);
        }

        @Override
        public Duration lease() {
            return super.lease().multipliedBy(factor);
        }
    }

    // ---- release

    private static List<Saboteur> release() {
        return List.of(
                Saboteur.of(
                        "releases whoever holds the name",
                        () -> new Twist() {
                            @Override
                            ReleaseOutcome release(Held held, long deadline)
                                    throws BackendException, InterruptedException {
                                ReleaseOutcome outcome = held.memory.release(deadline);
                                return outcome == ReleaseOutcome.NOT_HELD
                                                && server().revoke(held.client.namespace, held.attempt.name())
                                        ? ReleaseOutcome.RELEASED
                                        : outcome;
                            }
                        },
                        "",
                        "R1_releaseFreesOnlyItsOwnAcquisition",
                        "L9_lateReleaseOfAnExpiredHoldChecksTheOwner",
                        "R1_marksAreOfTheAcquisitionAndNotOfTheClient",
                        "R2_resentReleaseHurtsNobody"),
                Saboteur.of(
                        "keeps what was released for a moment",
                        () -> new Twist() {
                            @Override
                            ReleaseOutcome release(Held held, long deadline)
                                    throws BackendException, InterruptedException {
                                if (!(held.check(deadline) instanceof HoldState.Held)) {
                                    return held.memory.release(deadline);
                                }
                                TimeSource time = held.client.time;
                                var unusedTimer = time.schedule(
                                        () -> time.execute(() -> {
                                            try {
                                                var unusedOutcome = held.memory.release(time.nanoTime() + 500_000_000);
                                            } catch (BackendException | InterruptedException e) {
                                                // It is too late.
                                            }
                                        }),
                                        time.nanoTime() + Duration.ofMillis(30).toNanos());
                                return ReleaseOutcome.RELEASED;
                            }
                        },
                        "which nobody held, and was told that it is busy",
                        "E3_freeForEveryClientAfterRelease",
                        "C2_closingReleasesWhatIsHeld",
                        "C3_closingTwiceIsHarmless",
                        "C8_idleNamesCostNoClientMemory",
                        "F1_tokensRiseAcrossClients",
                        "F1_tokensRisePastTheLimitsOfSmallerNumbers",
                        "F4_tokensAreNeverRepeated",
                        "F5_lostDataIsRefusedAndTheGrantGivenBack",
                        "M1_anyStringUpTo1024BytesIsAName",
                        "M3_differentNamesAreDifferentLocks",
                        "N4_firstRefusalEndsRenewal",
                        "N5_noRenewalAfterRelease",
                        "O2_lastReleaseFrees",
                        "O4_anotherOwnerDoesNotNest",
                        "O8_everyAcquisitionHasItsOwnId",
                        "R2_repeatedReleaseChangesNothing",
                        "R5_releaseWorksOnAnInterruptedThread",
                        "R7_anyThreadCanRelease",
                        "W10_oppositeOrderEndsWithinTheLimits",
                        "W1_zeroWaitMakesOneAttempt",
                        "W5_grantedSoonAfterRelease",
                        "X3_unclearAcquireHoldsNothing"),
                Saboteur.of(
                        "takes the client for the mark of a release",
                        () -> new Twist() {
                            @Override
                            ReleaseOutcome release(Held held, long deadline)
                                    throws BackendException, InterruptedException {
                                ReleaseOutcome outcome = held.memory.release(deadline);
                                Held other = current.get(held.client.namespace + "/" + held.attempt.name());
                                return outcome == ReleaseOutcome.NOT_HELD
                                                && other != null
                                                && other.client == held.client
                                        ? other.memory.release(deadline)
                                        : outcome;
                            }
                        },
                        "and has released the first",
                        "R1_marksAreOfTheAcquisitionAndNotOfTheClient"),
                Saboteur.of(
                        "reports a release that did nothing as done",
                        () -> new Twist() {
                            @Override
                            ReleaseOutcome release(Held held, long deadline)
                                    throws BackendException, InterruptedException {
                                ReleaseOutcome unused = held.memory.release(deadline);
                                return ReleaseOutcome.RELEASED;
                            }
                        },
                        "should be NOT_HELD, and is RELEASED",
                        "R1_releaseFreesOnlyItsOwnAcquisition"),
                Saboteur.of(
                        "reports a release without an answer as done",
                        () -> new Twist() {
                            @Override
                            ReleaseOutcome release(Held held, long deadline) throws InterruptedException {
                                try {
                                    return held.memory.release(deadline);
                                } catch (BackendException e) {
                                    return ReleaseOutcome.RELEASED;
                                }
                            }
                        },
                        "should be UNKNOWN, and is RELEASED",
                        "R3_unansweredReleaseIsRepeated",
                        "R1_marksAreOfTheAcquisitionAndNotOfTheClient",
                        "R2_resentReleaseHurtsNobody",
                        "R3_lostAnswerIsUnknownAndTheNameIsFree",
                        "R6_sameClientCanAcquireAfterAFailedRelease"),
                Saboteur.of(
                        "takes its time for a release",
                        () -> new Twist() {
                            @Override
                            ReleaseOutcome release(Held held, long deadline)
                                    throws BackendException, InterruptedException {
                                try {
                                    return held.memory.release(deadline);
                                } catch (BackendException e) {
                                    pass(held.client.time, Duration.ofSeconds(3));
                                    throw e;
                                }
                            }
                        },
                        "a release without a server took",
                        "R3_unansweredReleaseIsRepeated",
                        "R6_sameClientCanAcquireAfterAFailedRelease"));
    }

    // ---- fencing

    private static List<Saboteur> fencing() {
        return List.of(
                Saboteur.of(
                        "counts tokens in each client",
                        () -> new Twist() {
                            private final Map<Client, AtomicLong> counters = new ConcurrentHashMap<>();
                            private final Map<Held, Long> tokens = Collections.synchronizedMap(new WeakHashMap<>());

                            @Override
                            OptionalLong token(Held held) {
                                return OptionalLong.of(tokens.computeIfAbsent(
                                        held,
                                        h -> counters.computeIfAbsent(h.client, c -> new AtomicLong())
                                                .incrementAndGet()));
                            }
                        },
                        "ended by closing its client",
                        "F1_tokensRiseAcrossClients",
                        "F1_tokensRiseAcrossServerRestart",
                        "F1_tokensRiseAfterRevocation",
                        "F1_tokensRiseInOrderOfGrantUnderContention",
                        "F1_tokensRisePastTheLimitsOfSmallerNumbers",
                        "F1_tokensRiseWhoeverHoldsAndHoweverItEnds",
                        "F4_tokensAreNeverRepeated",
                        "F5_lostDataIsRefusedAndTheGrantGivenBack"),
                Saboteur.of(
                        "has tokens of 32 bits",
                        () -> new Twist() {
                            @Override
                            OptionalLong token(Held held) {
                                return OptionalLong.of(held.memory.token().getAsLong() << 32 >> 32);
                            }
                        },
                        "",
                        "F1_tokensRisePastTheLimitsOfSmallerNumbers"),
                Saboteur.of(
                        "has tokens that are floating-point numbers",
                        () -> new Twist() {
                            @Override
                            OptionalLong token(Held held) {
                                return OptionalLong.of(
                                        (long) (double) held.memory.token().getAsLong());
                            }
                        },
                        "",
                        "F1_tokensRisePastTheLimitsOfSmallerNumbers"),
                Saboteur.of(
                        "has a new token for each renewal",
                        () -> new Twist() {
                            @Override
                            OptionalLong token(Held held) {
                                return OptionalLong.of(held.memory.token().getAsLong() + held.renewals());
                            }
                        },
                        "the token during renewals",
                        "F2_tokenIsPositiveAndConstant",
                        "F6_failedAttemptsDoNotChangeTheToken"),
                Saboteur.of(
                        "has a zero in place of no token",
                        () -> new Twist() {
                            @Override
                            LockGuarantees declared(LockProvider provider) {
                                return without(provider.declared());
                            }

                            @Override
                            Observed observed(Client client) {
                                return new Observed(
                                        without(client.memory.observed().effective()), List.of());
                            }

                            private LockGuarantees without(LockGuarantees g) {
                                return g.toBuilder()
                                        .fencing(Fencing.NONE)
                                        .tokenOrder()
                                        .build();
                            }

                            @Override
                            OptionalLong token(Held held) {
                                return OptionalLong.of(held.memory.token().getAsLong());
                            }
                        },
                        "findToken() should be OptionalLong.empty",
                        "F3_noTokenIsNoNumber"),
                Saboteur.of(
                        "counts failed attempts into the holder's token",
                        () -> new Twist() {
                            private final Map<String, AtomicLong> failed = new ConcurrentHashMap<>();

                            @Override
                            AcquireResult acquire(Client client, AcquireAttempt attempt, long deadline)
                                    throws BackendException, InterruptedException {
                                AcquireResult result = client.memory.acquire(attempt, deadline);
                                if (isGranted(result)) {
                                    failed.remove(attempt.name());
                                } else {
                                    long unused = failed.computeIfAbsent(attempt.name(), n -> new AtomicLong())
                                            .incrementAndGet();
                                }
                                return result;
                            }

                            @Override
                            OptionalLong token(Held held) {
                                AtomicLong more = failed.get(held.attempt.name());
                                return OptionalLong.of(
                                        held.memory.token().getAsLong() + (more == null ? 0 : more.get()));
                            }
                        },
                        "A's token after B's failed attempt",
                        "F6_failedAttemptsDoNotChangeTheToken",
                        "F1_tokensRiseInOrderOfGrantUnderContention",
                        "E1_contendersWhoAskAtOnceAreGrantedOneByOne"));
    }

    // ---- loss

    private static List<Saboteur> loss() {
        return List.of(
                Saboteur.of(
                        "does not notice that a hold was taken away",
                        () -> new Twist() {
                            @Override
                            HoldState renew(Held held, Duration lease, long deadline)
                                    throws BackendException, InterruptedException {
                                long now = held.client.time.nanoTime();
                                HoldState state = held.memory.renew(lease, deadline);
                                return state instanceof HoldState.Lost ? new HoldState.Held(now) : state;
                            }
                        },
                        "A notices that",
                        "S3_revokedHoldIsLostInTime",
                        "F1_tokensRiseAfterRevocation",
                        "N4_firstRefusalEndsRenewal"),
                Saboteur.of(
                        "does not look after holds that are not renewed",
                        () -> new Twist() {
                            @Override
                            HoldState check(Held held, long deadline) {
                                return new HoldState.Held(held.client.time.nanoTime());
                            }
                        },
                        "a fixed lease, was revoked",
                        "S3_revokedHoldIsLostInTime"),
                Saboteur.of(
                        "loses all holds of a client when one is lost",
                        () -> new Twist() {
                            @Override
                            HoldState renew(Held held, Duration lease, long deadline)
                                    throws BackendException, InterruptedException {
                                HoldState state = held.memory.renew(lease, deadline);
                                if (state instanceof HoldState.Lost lost) {
                                    for (Held other : current.values()) {
                                        if (other.client == held.client) {
                                            other.attempt.lost(lost.cause(), lost.detail());
                                        }
                                    }
                                }
                                return state;
                            }
                        },
                        "another name was revoked, and A lost this",
                        "S3_revokedHoldIsLostInTime"));
    }

    // ---- names

    private static Twist named(UnaryOperator<String> mapping) {
        return new Twist() {
            @Override
            AcquireAttempt attempt(AcquireAttempt attempt) {
                return new Changed(attempt) {
                    @Override
                    public String name() {
                        return mapping.apply(super.name());
                    }
                };
            }

            @Override
            Subscription subscribe(Client client, String name, Runnable mayBeFree, long deadline)
                    throws BackendException, InterruptedException {
                return super.subscribe(client, mapping.apply(name), mayBeFree, deadline);
            }
        };
    }

    private static Saboteur names(String name, UnaryOperator<String> mapping) {
        return Saboteur.of(
                name, () -> named(mapping), "is the same lock to the backend", "M3_differentNamesAreDifferentLocks");
    }

    private static List<Saboteur> names() {
        return List.of(
                names("takes upper case for lower case", n -> n.toLowerCase(Locale.ROOT)),
                names("does not see blanks at the end", String::stripTrailing),
                names("ends names at a NUL", n -> n.indexOf('\0') > 0 ? n.substring(0, n.indexOf('\0')) : n),
                names("cuts names at 64 characters", n -> n.substring(0, Math.min(64, n.length()))),
                names("takes composed for decomposed characters", n -> Normalizer.normalize(n, Normalizer.Form.NFC)),
                names("normalizes paths", n -> n.replaceAll("/+", "/")),
                names("keys names by their hash code", n -> n.startsWith("tck-") ? n : Integer.toString(n.hashCode())),
                Saboteur.of(
                        "has no name spaces",
                        () -> new Twist() {
                            @Override
                            LockBackend open(LockProvider provider, LockOptions options, TimeSource time)
                                    throws BackendException {
                                provider.open(options, time).close();
                                return provider.open(
                                        LockOptions.builder("memory").build(), time);
                            }
                        },
                        "which only clients with other name spaces hold",
                        "M4_namespacesAreApart",
                        "F1_tokensRisePastTheLimitsOfSmallerNumbers"),
                Saboteur.of(
                        "joins name space and name by a dot",
                        () -> new Twist() {
                            @Override
                            LockBackend open(LockProvider provider, LockOptions options, TimeSource time)
                                    throws BackendException {
                                String space =
                                        options.reader(provider.options()).get(LockOptions.NAMESPACE);
                                if (!space.startsWith("orders")) {
                                    return provider.open(options, time);
                                }
                                LockBackend joined = provider.open(
                                        LockOptions.builder("memory")
                                                .option("namespace", "joined")
                                                .build(),
                                        time);
                                return new Joined(joined, space);
                            }
                        },
                        "in the name space orders.a is busy",
                        "M4_namespacesAreApart"),
                Saboteur.of(
                        "refuses names with a slash",
                        () -> new Twist() {
                            @Override
                            AcquireResult acquire(Client client, AcquireAttempt attempt, long deadline)
                                    throws BackendException, InterruptedException {
                                if (attempt.name().contains("/")) {
                                    throw new BackendException(BackendException.Kind.REFUSED, "invalid path", null);
                                }
                                return client.memory.acquire(attempt, deadline);
                            }
                        },
                        "LockRefusedException",
                        "M1_anyStringUpTo1024BytesIsAName",
                        "M3_differentNamesAreDifferentLocks",
                        "M4_namespacesAreApart"));
    }

    private record Joined(LockBackend memory, String space) implements LockBackend {
        private static final Map<AcquireAttempt, AcquireAttempt> ATTEMPTS =
                Collections.synchronizedMap(new WeakHashMap<>());

        private AcquireAttempt of(AcquireAttempt attempt) {
            return ATTEMPTS.computeIfAbsent(attempt, a -> new Twist.Changed(a) {
                @Override
                public String name() {
                    return space + "." + super.name();
                }
            });
        }

        @Override
        public Observed observed() {
            return memory.observed();
        }

        @Override
        public Duration effectiveLease(Duration requested, boolean renewed) {
            return memory.effectiveLease(requested, renewed);
        }

        @Override
        public AcquireResult acquire(AcquireAttempt attempt, long deadline)
                throws BackendException, InterruptedException {
            return memory.acquire(of(attempt), deadline);
        }

        @Override
        public boolean abandon(AcquireAttempt attempt, long deadline) throws BackendException, InterruptedException {
            return memory.abandon(of(attempt), deadline);
        }

        @Override
        public void close() {}
    }

    // ---- errors

    /** What an acquire does when it fails. */
    private interface OnFailure {
        AcquireResult instead(Twist.Client client, AcquireAttempt attempt, BackendException failure, long deadline)
                throws BackendException, InterruptedException;
    }

    private static Twist failing(OnFailure reaction) {
        return new Twist() {
            @Override
            AcquireResult acquire(Client client, AcquireAttempt attempt, long deadline)
                    throws BackendException, InterruptedException {
                try {
                    return client.memory.acquire(attempt, deadline);
                } catch (BackendException e) {
                    return reaction.instead(client, attempt, e, deadline);
                }
            }
        };
    }

    private static List<Saboteur> errors() {
        return List.of(
                Saboteur.of(
                        "reports servers that are gone as busy",
                        () -> failing(
                                (client, attempt, failure, deadline) -> new AcquireResult.Busy(Duration.ofMillis(100))),
                        "although it cannot reach any server",
                        "X1_refusedConnectionsAreUnavailable",
                        "X1_pausedServersAreUnavailable",
                        "X1_silentServersAreUnavailableInTime",
                        "X3_unclearAcquireHoldsNothing",
                        "X4_lateRequestHoldsNothingForLong",
                        "X4_lateRequestIsUndoneInTheBackground",
                        "X5_sameClientWorksAfterAServerRestart",
                        "X5_sameClientWorksAfterAnOutage"),
                Saboteur.of(
                        "reports servers that are gone as a refusal",
                        () -> failing((client, attempt, failure, deadline) -> {
                            throw failure.kind() == BackendException.Kind.UNAVAILABLE
                                    ? new BackendException(BackendException.Kind.REFUSED, "gone", failure)
                                    : failure;
                        }),
                        "and not LockUnavailableException",
                        "X1_refusedConnectionsAreUnavailable",
                        "X2_unavailableIsTriedAgainUntilTheLimit",
                        "X5_sameClientWorksAfterAServerRestart",
                        "X5_sameClientWorksAfterAnOutage"),
                Saboteur.of(
                        "grants when nobody answers",
                        () -> failing((client, attempt, failure, deadline) ->
                                new AcquireResult.Granted(new NoHold(), client.time.nanoTime())),
                        "its own",
                        "X1_silentServersAreUnavailableInTime",
                        "P3_repeatedAttemptFindsItsOwnMark",
                        "X1_pausedServersAreUnavailable",
                        "X1_refusedConnectionsAreUnavailable",
                        "X2_unavailableIsTriedAgainUntilTheLimit",
                        "X3_unclearAcquireHoldsNothing",
                        "X4_lateRequestHoldsNothingForLong",
                        "X4_lateRequestIsUndoneInTheBackground",
                        "X5_sameClientWorksAfterAServerRestart",
                        "X5_sameClientWorksAfterAnOutage"),
                Saboteur.of(
                        "does not stop at its deadline",
                        () -> failing((client, attempt, failure, deadline) -> {
                            Twist.pass(client.time, Duration.ofSeconds(1));
                            throw failure;
                        }),
                        "took",
                        "X1_silentServersAreUnavailableInTime",
                        "X1_refusedConnectionsAreUnavailable"),
                Saboteur.of(
                        "says that an unclear request changed nothing",
                        () -> failing((client, attempt, failure, deadline) -> {
                            throw new BackendException(BackendException.Kind.UNAVAILABLE, "no answer", failure);
                        }),
                        "whatever it did has to be undone",
                        "X3_unclearAcquireHoldsNothing",
                        "X4_lateRequestIsUndoneInTheBackground"),
                Saboteur.of(
                        "does not find its own mark",
                        () -> new Twist() {
                            private final Map<AcquireAttempt, List<AcquireAttempt>> marks =
                                    Collections.synchronizedMap(new WeakHashMap<>());

                            @Override
                            AcquireResult acquire(Client client, AcquireAttempt attempt, long deadline)
                                    throws BackendException, InterruptedException {
                                AcquireAttempt again = new Changed(attempt);
                                List<AcquireAttempt> all =
                                        marks.computeIfAbsent(attempt, a -> new CopyOnWriteArrayList<>());
                                boolean unused = all.add(again);
                                AcquireResult result = client.memory.acquire(again, deadline);
                                if (isGranted(result)) {
                                    marks.remove(attempt);
                                }
                                return result;
                            }

                            @Override
                            boolean abandon(Client client, AcquireAttempt attempt, long deadline)
                                    throws BackendException, InterruptedException {
                                boolean done = true;
                                for (AcquireAttempt each : marks.getOrDefault(attempt, List.of())) {
                                    done &= client.memory.abandon(each, deadline);
                                }
                                return done;
                            }
                        },
                        "nobody but A itself has asked for it",
                        "P3_repeatedAttemptFindsItsOwnMark"),
                Saboteur.of(
                        "abandons nothing",
                        () -> new Twist() {
                            @Override
                            boolean abandon(Client client, AcquireAttempt attempt, long deadline) {
                                return true;
                            }
                        },
                        "whatever it did has to be undone",
                        "X3_unclearAcquireHoldsNothing",
                        "X3_interruptedRequestHoldsNothing",
                        "X4_lateRequestIsUndoneInTheBackground"),
                Saboteur.of(
                        "abandons once",
                        () -> new Twist() {
                            @Override
                            boolean abandon(Client client, AcquireAttempt attempt, long deadline)
                                    throws BackendException, InterruptedException {
                                boolean unused = client.memory.abandon(attempt, deadline);
                                return true;
                            }
                        },
                        "one release proves nothing",
                        "X4_lateRequestIsUndoneInTheBackground"),
                Saboteur.of(
                        "abandons whoever holds the name",
                        () -> new Twist() {
                            @Override
                            boolean abandon(Client client, AcquireAttempt attempt, long deadline)
                                    throws BackendException, InterruptedException {
                                boolean done = client.memory.abandon(attempt, deadline);
                                boolean unused = server().revoke(client.namespace, attempt.name());
                                return done;
                            }
                        },
                        "what A undoes is its own",
                        "X3_unclearAcquireHoldsNothing",
                        "W6_interruptedWaiterEndsAndLeavesNothing"),
                Saboteur.of(
                        "does not recover from an outage",
                        () -> new Twist() {
                            private final Set<Client> broken = ConcurrentHashMap.newKeySet();

                            @Override
                            AcquireResult acquire(Client client, AcquireAttempt attempt, long deadline)
                                    throws BackendException, InterruptedException {
                                if (broken.contains(client)) {
                                    throw new BackendException(
                                            BackendException.Kind.UNAVAILABLE, "the pool is empty", null);
                                }
                                try {
                                    return client.memory.acquire(attempt, deadline);
                                } catch (BackendException e) {
                                    boolean unused = broken.add(client);
                                    throw e;
                                }
                            }
                        },
                        "",
                        "X5_sameClientWorksAfterAnOutage",
                        "P3_repeatedAttemptFindsItsOwnMark",
                        "X1_pausedServersAreUnavailable",
                        "X2_unavailableIsTriedAgainUntilTheLimit",
                        "X3_unclearAcquireHoldsNothing",
                        "X5_sameClientWorksAfterAServerRestart"));
    }

    /** A hold out of thin air. */
    private static final class NoHold implements Hold {
        private static final AtomicLong TOKENS = new AtomicLong(1L << 60);
        private final long token = TOKENS.incrementAndGet();

        @Override
        public OptionalLong token() {
            return OptionalLong.of(token);
        }

        @Override
        public HoldState renew(Duration lease, long deadline) {
            return new HoldState.Unknown(new IllegalStateException("there is no hold"));
        }

        @Override
        public HoldState check(long deadline) {
            return new HoldState.Unknown(new IllegalStateException("there is no hold"));
        }

        @Override
        public ReleaseOutcome release(long deadline) {
            return ReleaseOutcome.RELEASED;
        }
    }

    // ---- life cycle

    private static List<Saboteur> lifecycle() {
        return List.of(
                Saboteur.of(
                        "does not end a wait when its client is closed",
                        () -> new Twist() {
                            @Override
                            AcquireAttempt attempt(AcquireAttempt attempt) {
                                return new Changed(attempt) {
                                    @Override
                                    public void onCancel(Runnable action) {}
                                };
                            }
                        },
                        "should have ended",
                        "C1_closingEndsWaiters"),
                Saboteur.of(
                        "frees the locks of all clients when one is closed",
                        () -> new Twist() {
                            @Override
                            void close(Client client) {
                                for (Held held : current.values()) {
                                    boolean unused = server().revoke(held.client.namespace, held.attempt.name());
                                }
                            }
                        },
                        "",
                        "C6_closingOneClientLeavesOthersAlone",
                        "C1_closingEndsWaiters"),
                Saboteur.of(
                                "keeps its subscriptions",
                                () -> new Twist() {
                                    @Override
                                    Subscription subscribe(
                                            Client client, String name, Runnable mayBeFree, long deadline)
                                            throws BackendException, InterruptedException {
                                        Subscription unused = super.subscribe(client, name, mayBeFree, deadline);
                                        return () -> {};
                                    }
                                },
                                "the servers have 100 entries of them",
                                "C8_idleNamesCostNoServerMemory",
                                "C5_nothingIsLeftAtTheServers")
                        .onUnfairServer(),
                Saboteur.of(
                        "remembers every name",
                        () -> new Twist() {
                            private final Set<String> names = ConcurrentHashMap.newKeySet();

                            @Override
                            AcquireResult acquire(Client client, AcquireAttempt attempt, long deadline)
                                    throws BackendException, InterruptedException {
                                boolean unused = names.add(attempt.name());
                                return client.memory.acquire(attempt, deadline);
                            }
                        },
                        "the heap has grown by",
                        "C8_idleNamesCostNoClientMemory"));
    }
}

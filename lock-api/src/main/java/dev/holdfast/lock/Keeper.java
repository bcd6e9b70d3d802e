package dev.holdfast.lock;

import dev.holdfast.lock.internal.Lane;
import dev.holdfast.lock.spi.HoldState;
import dev.holdfast.lock.spi.LockBackend;
import dev.holdfast.lock.spi.RenewTogether;
import dev.holdfast.lock.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps holds alive and notices their end: each is renewed (or, when it is not renewed, checked) every third of its lease, and lost when its promise
 * runs out, however long a renewal takes to answer. Only a confirmed renewal prolongs a promise.
 */
final class Keeper {
    /** How many renewals go in one request, where the backend renews together. */
    private static final int BATCH = 256;

    private static final int THREADS = 8;
    private static final long SHORTEST_RETRY = Duration.ofMillis(20).toNanos();
    private static final long LONGEST_RETRY = Duration.ofSeconds(1).toNanos();

    private final TimeSource time;
    private final LockBackend backend;
    private final Runnable housekeeping;
    private final long operationTimeout;
    private final Agenda agenda;
    private final Lane lane;

    /** @param housekeeping run each time something is due; short, does not block */
    Keeper(TimeSource time, LockBackend backend, long operationTimeout, Runnable housekeeping) {
        this.time = time;
        this.backend = backend;
        this.operationTimeout = operationTimeout;
        this.housekeeping = housekeeping;
        agenda = new Agenda(time, this::whenDue);
        lane = new Lane(time, THREADS);
    }

    /** Begins to keep a hold. */
    void keep(Acquisition a, long confirmedAt) {
        putUnlessEnded(a, nextRenewal(a, confirmedAt));
    }

    private void putUnlessEnded(Acquisition a, long due) {
        agenda.put(a, due);
        removeIfEnded(a);
    }

    /** It may have ended meanwhile, and its removal have come before. */
    private void removeIfEnded(Acquisition a) {
        if (!a.promises()) {
            agenda.remove(a);
        }
    }

    void forget(Acquisition a) {
        agenda.remove(a);
    }

    void stop() {
        agenda.stop();
    }

    private static long nextRenewal(Acquisition a, long confirmedAt) {
        return earlier(confirmedAt + a.lease().toNanos() / 3, a.validUntil());
    }

    private static long earlier(long a, long b) {
        return a - b < 0 ? a : b;
    }

    private void whenDue() {
        List<Acquisition> renewals = new ArrayList<>();
        for (Acquisition a : agenda.takeDue(time.nanoTime())) {
            long end = a.validUntil();
            boolean ends = a.due - end >= 0;
            // Until a renewal has answered, the end of the promise is what is due next.
            agenda.putBack(a, end);
            removeIfEnded(a);
            if (a.isHeld() && !ends && a.renewalInFlight() == null) {
                renewals.add(a);
            }
        }
        if (backend instanceof RenewTogether together) {
            List<Acquisition> batch = new ArrayList<>();
            for (Acquisition a : renewals) {
                if (a.isRenewed()) {
                    batch.add(a);
                } else {
                    lane.execute(() -> renew(a));
                }
            }
            for (int from = 0; from < batch.size(); from += BATCH) {
                List<Acquisition> part = batch.subList(from, Math.min(from + BATCH, batch.size()));
                lane.execute(() -> renew(together, part));
            }
        } else {
            renewals.forEach(a -> lane.execute(() -> renew(a)));
        }
        try {
            housekeeping.run();
        } catch (RuntimeException | Error e) {
            LockClient.LOG.log(System.Logger.Level.WARNING, "housekeeping failed", e);
        }
    }

    /** Three quarters of what is left of the promise at most, so that after a lost answer there is time to ask again. */
    private long requestDeadline(Acquisition a, long now) {
        long left = a.validUntil() - now;
        return now + Math.min(operationTimeout, Math.max(left - left / 4, Math.min(left, SHORTEST_RETRY)));
    }

    private void renew(Acquisition a) {
        if (!a.beginRenewal()) {
            return;
        }
        long now = time.nanoTime();
        HoldState state;
        try {
            long deadline = requestDeadline(a, now);
            if (a.isRenewed()) {
                a.sent(now);
                state = a.hold().renew(a.lease(), deadline);
            } else {
                state = a.hold().check(deadline);
            }
        } catch (Throwable e) {
            state = new HoldState.Unknown(e);
        }
        answered(a, state);
    }

    private void renew(RenewTogether together, List<Acquisition> due) {
        List<Acquisition> batch = due.stream().filter(Acquisition::beginRenewal).toList();
        if (batch.isEmpty()) {
            return;
        }
        long now = time.nanoTime();
        long deadline = now + operationTimeout;
        List<RenewTogether.Renewal> renewals = new ArrayList<>(batch.size());
        for (Acquisition a : batch) {
            deadline = earlier(deadline, requestDeadline(a, now));
            a.sent(now);
            renewals.add(new RenewTogether.Renewal(a.hold(), a.lease()));
        }
        List<HoldState> states;
        try {
            states = together.renew(renewals, deadline);
            if (states.size() != batch.size()) {
                throw new IllegalStateException(
                        "the driver answered " + states.size() + " of " + batch.size() + " renewals");
            }
        } catch (Throwable e) {
            // Whatever a driver throws, also by mistake, means that nobody knows.
            HoldState unknown = new HoldState.Unknown(e);
            states = batch.stream().map(a -> unknown).toList();
        }
        for (int i = 0; i < batch.size(); i++) {
            answered(batch.get(i), states.get(i));
        }
    }

    private void answered(Acquisition a, HoldState state) {
        long now = time.nanoTime();
        a.endRenewal();
        if (state instanceof HoldState.Held held) {
            a.confirm(held.confirmedAt(), now);
            if (a.isHeld()) {
                keep(a, held.confirmedAt());
            }
        } else if (state instanceof HoldState.Lost lost) {
            a.lose(new LeaseLoss(lost.cause(), lost.detail()));
        } else if (state instanceof HoldState.Unknown unknown) {
            LockClient.LOG.log(System.Logger.Level.DEBUG, () -> "renewal of " + a + " has no answer", unknown.cause());
            long retry =
                    Math.max(SHORTEST_RETRY, Math.min(LONGEST_RETRY, a.lease().toNanos() / 20));
            if (a.isHeld()) {
                putUnlessEnded(a, earlier(now + retry, a.validUntil()));
            }
        }
    }
}

package dev.holdfast.lock;

import dev.holdfast.lock.spi.TimeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * When something has to be done next for each hold: a binary heap whose places are kept in the acquisitions, so that adding and removing cost a
 * few steps and no memory, and one timer for the earliest. An emptied agenda leaves its timer to fire in vain; a busy one would spend more on
 * cancelling it.
 */
final class Agenda {
    static final int ABSENT = -1;

    private final TimeSource time;
    private final Runnable whenDue;
    private final ReentrantLock lock = new ReentrantLock();
    private Acquisition[] heap = new Acquisition[16];
    private int size;
    private TimeSource.@Nullable Timer timer;
    private long timerAt;
    private boolean stopped;

    /** @param whenDue run by the timer when something may be due */
    Agenda(TimeSource time, Runnable whenDue) {
        this.time = time;
        this.whenDue = whenDue;
    }

    /** Adds a hold, or moves it. */
    void put(Acquisition a, long due) {
        put(a, due, true);
    }

    /** Adds a hold that was taken out, unless somebody else has added it since. */
    void putBack(Acquisition a, long due) {
        put(a, due, false);
    }

    private void put(Acquisition a, long due, boolean moves) {
        lock.lock();
        try {
            if (stopped || !(moves || a.agendaIndex == ABSENT)) {
                return;
            }
            a.due = due;
            if (a.agendaIndex == ABSENT) {
                if (size == heap.length) {
                    heap = Arrays.copyOf(heap, size * 2);
                }
                up(size++, a);
            } else {
                up(a.agendaIndex, a);
                down(a.agendaIndex, a);
            }
            arm();
        } finally {
            lock.unlock();
        }
    }

    void remove(Acquisition a) {
        lock.lock();
        try {
            if (a.agendaIndex != ABSENT) {
                take(a.agendaIndex);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes out what is due now, and what is due so soon that it had better be done in the same go: a thirtieth of its lease. */
    List<Acquisition> takeDue(long now) {
        lock.lock();
        try {
            List<Acquisition> due = new ArrayList<>();
            while (size > 0 && heap[0].due - now <= heap[0].lease().toNanos() / 30) {
                due.add(take(0));
            }
            timer = null;
            arm();
            return due;
        } finally {
            lock.unlock();
        }
    }

    void stop() {
        lock.lock();
        try {
            stopped = true;
            while (size > 0) {
                take(size - 1);
            }
            if (timer != null) {
                timer.cancel();
                timer = null;
            }
        } finally {
            lock.unlock();
        }
    }

    private void arm() {
        if (stopped || size == 0 || (timer != null && timerAt - heap[0].due <= 0)) {
            return;
        }
        if (timer != null) {
            timer.cancel();
        }
        timerAt = heap[0].due;
        timer = time.schedule(whenDue, timerAt);
    }

    private Acquisition take(int index) {
        Acquisition taken = heap[index];
        Acquisition last = heap[--size];
        clear(size);
        if (index < size) {
            up(index, last);
            down(last.agendaIndex, last);
        }
        taken.agendaIndex = ABSENT;
        return taken;
    }

    @SuppressWarnings("NullAway") // places at and after size are empty
    private void clear(int index) {
        heap[index] = null;
    }

    private void up(int index, Acquisition a) {
        int at = index;
        while (at > 0) {
            int parent = (at - 1) >>> 1;
            if (heap[parent].due - a.due <= 0) {
                break;
            }
            set(at, heap[parent]);
            at = parent;
        }
        set(at, a);
    }

    private void down(int index, Acquisition a) {
        int at = index;
        for (int child; (child = 2 * at + 1) < size; ) {
            if (child + 1 < size && heap[child + 1].due - heap[child].due < 0) {
                child++;
            }
            if (a.due - heap[child].due <= 0) {
                break;
            }
            set(at, heap[child]);
            at = child;
        }
        set(at, a);
    }

    private void set(int index, Acquisition a) {
        heap[index] = a;
        a.agendaIndex = index;
    }
}

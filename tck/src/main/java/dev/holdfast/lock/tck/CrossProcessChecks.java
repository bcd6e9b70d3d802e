package dev.holdfast.lock.tck;

import dev.holdfast.lock.FencedResource;
import dev.holdfast.lock.Fencing;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.ReleaseOutcome;
import dev.holdfast.lock.Scope;
import dev.holdfast.lock.StaleTokenException;
import dev.holdfast.lock.tck.process.History;
import dev.holdfast.lock.tck.process.TakerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Two JVMs and not two threads; a pause of a real process and not of a clock. */
abstract class CrossProcessChecks {
    CrossProcessChecks() {}

    private static TakerProcess taker(Scene s, String who, History history) throws Exception {
        s.applies(s.effective().scope() != Scope.PROCESS, "the scope is one process");
        s.applies(!s.clock().isVirtual(), "another process has real time");
        TakerProcess taker = TakerProcess.start(who, s.harness().uri(), history);
        s.undo(taker::close);
        s.log("process " + who + " is started");
        return taker;
    }

    private static TakerProcess.Grant granted(Scene s, TakerProcess taker, String name, Duration wait)
            throws Exception {
        String answer = taker.acquire(name, wait, s.lease());
        s.log("the process asked for " + name + ": " + answer);
        s.check(answer.startsWith("granted"), "another process asked for %s, which was free: %s", name, answer);
        return TakerProcess.grant(answer);
    }

    @Test
    @Rule({"E1", "E3"})
    final void required_E1_processesExcludeEachOther(Scene s) throws Exception {
        TakerProcess process = taker(s, "P", new History());
        Actor a = s.client();
        String x = s.name();
        granted(s, process, x, Duration.ZERO);
        a.refused(s.ask(x), "another process holds it");
        a.refusedFor(s.lease(), s.ask(x), "another process holds it, and renews it");
        s.same("the state in the other process", LeaseState.HELD.toString(), process.state(x));
        s.same("its release", ReleaseOutcome.RELEASED.toString(), process.release(x));
        Lease own = a.granted(s.ask(x));
        String answer = process.acquire(x, Duration.ofMillis(100), s.lease());
        s.check(answer.equals("busy"), "another process was told \"%s\" while A holds it: %s", answer, Scene.show(own));
        a.releases(own);
        granted(s, process, x, Duration.ZERO);
    }

    @Test
    @Rule({"E5", "F1"})
    final void required_E5_contendingProcessesNeverOverlap(Scene s) throws Exception {
        History history = new History();
        String x = s.name();
        int rounds = s.rounds(40, 500);
        List<TakerProcess> processes = new ArrayList<>();
        for (String who : List.of("P", "Q")) {
            processes.add(taker(s, who, history));
        }
        for (TakerProcess process : processes) {
            process.send("loop " + x + " " + rounds + " 1");
        }
        for (TakerProcess process : processes) {
            process.finishLoop(x, Duration.ofSeconds(60));
        }
        s.same("the number of holds", 2 * rounds, history.holds().size());
        s.check(
                history.violations().isEmpty(),
                "the merged history of two processes is wrong:\n  %s",
                String.join("\n  ", history.violations()));
    }

    @Test
    @Rule({"S4", "F1", "S5"})
    final void required_S4_pausedHolderIsLateAndItsWriteIsRefused(Scene s) throws Exception {
        History history = new History();
        TakerProcess process = taker(s, "P", history);
        Actor a = s.client();
        String x = s.name();
        TakerProcess.Grant late = granted(s, process, x, Duration.ZERO);
        process.stop();
        s.log("P is stopped");
        long stopped = s.now();
        Lease next = a.grantedWithin(
                s.lease().multipliedBy(2).plus(s.handOff()),
                s.ask(x),
                "its holder is stopped for longer than its lease");
        s.within(
                "granting what a stopped process held",
                stopped,
                s.now(),
                s.lease().plus(s.handOff()));
        boolean tokens = s.effective().fencing().compareTo(Fencing.ORDERED) >= 0;
        FencedResource table = FencedResource.inMemory("table");
        AtomicInteger writes = new AtomicInteger();
        if (tokens) {
            s.check(
                    next.token() > late.token().orElseThrow(),
                    "the token after the pause is %d, and the stopped holder has %s",
                    next.token(),
                    late.token());
            table.admit(next, writes::incrementAndGet);
        }
        process.cont();
        s.log("P goes on");
        s.same("the state in the process that was stopped", LeaseState.LOST.toString(), process.state(x));
        if (tokens) {
            try {
                table.admit(late.token().orElseThrow(), late.id(), writes::incrementAndGet);
                throw s.failure("the late write of the stopped holder was admitted");
            } catch (StaleTokenException e) {
                s.log("its late write is refused: " + e.getMessage());
            }
            s.same("the number of writes", 1, writes.get());
        }
        s.sleep(s.lease().dividedBy(2));
        s.check(next.isHeld(), "A lost its lease when the stopped process went on: %s", Scene.show(next));
        s.same("the release in the process that was stopped", ReleaseOutcome.NOT_HELD.toString(), process.release(x));
        a.releases(next);
    }

    @Test
    @Rule({"L8", "W5"})
    final void required_L8_killedHolderBlocksForItsLeaseOnly(Scene s) throws Exception {
        TakerProcess process = taker(s, "P", new History());
        Actor a = s.client();
        String x = s.name();
        granted(s, process, x, Duration.ZERO);
        s.sleep(s.lease().dividedBy(2));
        process.kill();
        s.log("P is killed");
        a.grantedWithin(s.lease().plus(s.handOff()), s.ask(x), "its holder was killed");
    }

    @Test
    @Rule("C7")
    final void required_C7_processEndsWithoutClosing(Scene s) throws Exception {
        TakerProcess process = taker(s, "P", new History());
        granted(s, process, s.name(), Duration.ZERO);
        process.send("leave");
        s.check(
                process.ends(Duration.ofSeconds(5)),
                "the main method of a process with an open client has returned, and the process still runs after 5 s");
    }
}

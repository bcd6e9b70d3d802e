package dev.holdfast.lock.tck;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockRequest;
import dev.holdfast.lock.ReleaseOutcome;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** A client in a scene: named, on a way of its own, and with a record of what it did. */
final class Actor {
    private final Scene scene;
    private final String name;
    private final Route route;
    /** What was granted, so that no lease becomes garbage, which would be released, before the scene is over. */
    private final Queue<Lease> granted = new ConcurrentLinkedQueue<>();

    private @Nullable LockClient locks;

    Actor(Scene scene, String name, Route route) {
        this.scene = scene;
        this.name = name;
        this.route = route;
    }

    void open(String... options) {
        locks = scene.clock().open(route.provider(), scene.options(route, options));
    }

    LockClient locks() {
        return Objects.requireNonNull(locks, "not open");
    }

    Route route() {
        return route;
    }

    @Override
    public String toString() {
        return name;
    }

    // ---- calls

    /** Acquires, waiting as the request says; must be granted. */
    Lease acquire(LockRequest request) throws InterruptedException {
        try {
            Lease lease = locks().acquire(request);
            granted.add(lease);
            say("acquired " + lease);
            return lease;
        } catch (LockException e) {
            say("failed to acquire " + request.name() + ": " + e);
            throw unexpected(request, e);
        }
    }

    /** Tries, waiting as the request says; throws what the client throws. */
    Optional<Lease> tryAcquire(LockRequest request) throws InterruptedException {
        try {
            Optional<Lease> lease = locks().tryAcquire(request);
            lease.ifPresent(granted::add);
            say(lease.map(l -> "acquired " + l).orElse("found " + request.name() + " busy"));
            return lease;
        } catch (LockException | InterruptedException | IllegalStateException e) {
            say("failed to acquire " + request.name() + ": " + e);
            throw e;
        }
    }

    private Optional<Lease> answered(LockRequest request) throws InterruptedException {
        try {
            return tryAcquire(request);
        } catch (LockException e) {
            throw unexpected(request, e);
        }
    }

    private AssertionError unexpected(LockRequest request, LockException e) {
        AssertionError failure = scene.failure(
                "%s asked for %s from servers that answer, and got %s: %s",
                name, request.name(), e.getClass().getSimpleName(), e.getMessage());
        failure.initCause(e);
        return failure;
    }

    /** Acquires at once; the name must be free. */
    Lease granted(LockRequest request) throws InterruptedException {
        return answered(request)
                .orElseThrow(() -> scene.failure(
                        "%s asked for %s, which nobody held, and was told that it is busy", name, request.name()));
    }

    /** Acquires within a limit; the name must be free, or become so, in time. */
    Lease grantedWithin(Duration limit, LockRequest request, String why) throws InterruptedException {
        long from = scene.now();
        Optional<Lease> lease = answered(request.waitUpTo(limit));
        return lease.orElseThrow(() -> scene.failure(
                "%s waited %s for %s and was not granted it, although %s",
                name, Scene.text(scene.since(from)), request.name(), why));
    }

    /** Asks once; the name must be busy. */
    void refused(LockRequest request, String why) throws InterruptedException {
        Optional<Lease> lease = answered(request);
        scene.check(
                lease.isEmpty(),
                "%s was granted %s (%s), although %s",
                name,
                request.name(),
                lease.map(Scene::show).orElse(""),
                why);
    }

    /** Asks until a limit; the name must stay busy. */
    void refusedFor(Duration limit, LockRequest request, String why) throws InterruptedException {
        refused(request.waitUpTo(limit), why);
    }

    ReleaseOutcome release(Lease lease) {
        ReleaseOutcome outcome = lease.release();
        say("released " + lease.name() + ": " + outcome);
        return outcome;
    }

    /** Releases what must be held. */
    void releases(Lease lease) {
        scene.same(name + "'s release of " + lease.name(), ReleaseOutcome.RELEASED, release(lease));
    }

    /** Makes a connection and uses it, so that the next request is the one that the check means. */
    Actor warm() throws InterruptedException {
        releases(granted(scene.ask(scene.name())));
        return this;
    }

    // ---- faults

    void hold() {
        route.hold();
        say("is cut off in silence");
    }

    void cut() {
        route.cut();
        say("has its connections reset");
    }

    void mend() {
        route.mend();
        say("is connected again");
    }

    void delay(Duration each) {
        route.delay(each);
        say("has " + Scene.text(each) + " to the servers and back");
    }

    void dropNextReply() {
        route.dropNextReply();
        say("will not get its next answer");
    }

    void delayNextRequest() {
        route.delayNextRequest();
        say("will have its next request held up");
    }

    void deliver() {
        route.deliver();
        say("has its late request delivered");
    }

    // ---- the end

    void close() {
        locks().close();
        say("is closed");
    }

    void end() throws Exception {
        try {
            if (locks != null) {
                locks.close();
            }
        } finally {
            route.close();
        }
    }

    private void say(String what) {
        scene.log(name + " " + what);
    }
}

package dev.holdfast.lock.redis;

import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.ReleaseSignals.Subscription;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is needed of a Redis client library, and all that may know one. All methods are called by many threads at once, and return, or throw, soon
 * after their deadline. Failures carry the kinds of {@link BackendException}: UNAVAILABLE if nothing was sent, UNCLEAR if there was no answer, and
 * for an answered error what {@link RedisErrors} makes of it.
 */
interface RedisConnector {
    /**
     * An answer.
     *
     * @param value a Long or bytes
     * @param sentAt the time source's value before the answered request was sent
     */
    record Reply(Object value, long sentAt) {}

    /** What one of several calls came to: an answer or a failure. */
    record Outcome(@Nullable Reply reply, @Nullable BackendException failure) {}

    /** Runs a script in one round trip, or two if the server does not know it yet. */
    Reply run(RedisScript script, long deadline, byte[]... keysAndArguments)
            throws BackendException, InterruptedException;

    /** Runs a script many times in few round trips; the answers are in the order of the calls. A failure leaves the calls after it without effect or unknown. */
    List<Outcome> runEach(RedisScript script, List<byte[][]> calls, long deadline) throws InterruptedException;

    /**
     * What a server says about itself.
     *
     * @param info its INFO, by field; empty if that was refused
     * @param infoRefusal why
     * @param config CONFIG GET of the parameters asked for; one that it does not have is left out; empty if that was refused
     * @param configRefusal why
     */
    record Facts(Map<String, String> info, String infoRefusal, Map<String, String> config, String configRefusal) {}

    /** Looks at the server, over a connection of its own, so that no lock has to wait for it. */
    Facts look(List<String> parameters, long deadline) throws BackendException, InterruptedException;

    /** Publishes an empty message. */
    void publish(String channel, long deadline) throws BackendException, InterruptedException;

    /**
     * Listens to a channel, over one connection for all of them. When this returns, the server has confirmed.
     *
     * @param signal run for each message, and when messages may have been missed; does not block
     */
    Subscription subscribe(String channel, Runnable signal, long deadline)
            throws BackendException, InterruptedException;

    /** Whether messages arrive: false while the connection for them is down. */
    boolean isListening();

    /**
     * Runs this whenever a connection failed, so that the server may be another one, or another process, from now on.
     *
     * @param trouble does not block
     */
    void onTrouble(Runnable trouble);

    /** Closes what it opened; leaves no thread, connection or subscription. */
    void close();
}

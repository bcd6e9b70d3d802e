package dev.holdfast.lock.redis;

import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.ReleaseSignals.Subscription;
import dev.holdfast.lock.spi.TimeSource;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.util.KeyValue;

/** Talks to the server through Jedis. */
final class JedisConnector implements RedisConnector {
    /** How much is sent before answers are read: with room to spare less than a socket's send buffer. */
    private static final int CHUNK_BYTES = OwnLinks.SEND_BUFFER / 4;

    private final JedisLinks links;
    private final TimeSource time;
    private final JedisSubscriber subscriber;

    JedisConnector(JedisLinks links, TimeSource time, long operationTimeout) {
        this.links = links;
        this.time = time;
        subscriber = new JedisSubscriber(links, time, operationTimeout);
    }

    @Override
    public Reply run(RedisScript script, long deadline, byte[]... keysAndArguments)
            throws BackendException, InterruptedException {
        return call(script.toString(), deadline, link -> {
            long sentAt = time.nanoTime();
            try {
                return new Reply(
                        link.connection().executeCommand(command(Command.EVALSHA, script, keysAndArguments)), sentAt);
            } catch (JedisNoScriptException e) {
                // The server has restarted, or was told to forget its scripts.
                sentAt = time.nanoTime();
                return new Reply(
                        link.connection().executeCommand(command(Command.EVAL, script, keysAndArguments)), sentAt);
            }
        });
    }

    private static CommandArguments command(Command command, RedisScript script, byte[]... keysAndArguments) {
        CommandArguments arguments = new CommandArguments(command)
                .add(command == Command.EVAL ? script.source() : script.sha())
                .add(script.keys());
        for (byte[] argument : keysAndArguments) {
            arguments.add(argument);
        }
        return arguments;
    }

    @Override
    public List<Outcome> runEach(RedisScript script, List<byte[][]> calls, long deadline) throws InterruptedException {
        List<Outcome> outcomes = new ArrayList<>(calls.size());
        try {
            while (outcomes.size() < calls.size()) {
                int from = outcomes.size();
                int to = chunkEnd(calls, from);
                outcomes.addAll(chunk(script, calls.subList(from, to), deadline));
            }
        } catch (BackendException e) {
            while (outcomes.size() < calls.size()) {
                outcomes.add(new Outcome(null, e));
            }
        }
        return outcomes;
    }

    private static int chunkEnd(List<byte[][]> calls, int from) {
        int bytes = 0;
        int end = from;
        while (end < calls.size() && (end == from || bytes < CHUNK_BYTES)) {
            bytes += 100;
            for (byte[] argument : calls.get(end)) {
                bytes += argument.length + 10;
            }
            end++;
        }
        return end;
    }

    private List<Outcome> chunk(RedisScript script, List<byte[][]> calls, long deadline)
            throws BackendException, InterruptedException {
        List<Outcome> outcomes = new ArrayList<>(calls.size());
        boolean[] unknown = new boolean[calls.size()];
        try {
            call(script.toString(), deadline, link -> {
                long sentAt = time.nanoTime();
                for (byte[][] call : calls) {
                    link.connection().sendCommand(command(Command.EVALSHA, script, call));
                }
                // Sends it.
                var unused = link.connection().getMany(0);
                for (int i = 0; i < unknown.length; i++) {
                    try {
                        outcomes.add(new Outcome(new Reply(link.connection().getUnflushedObject(), sentAt), null));
                    } catch (JedisNoScriptException e) {
                        unknown[i] = true;
                        outcomes.add(new Outcome(null, answered(script.toString(), e)));
                    } catch (JedisDataException e) {
                        outcomes.add(new Outcome(null, answered(script.toString(), e)));
                    }
                }
                return unknown;
            });
        } catch (BackendException e) {
            while (outcomes.size() < calls.size()) {
                outcomes.add(new Outcome(null, e));
            }
        }
        for (int i = 0; i < unknown.length; i++) {
            if (unknown[i]) {
                // Seldom: the server did not know the script.
                outcomes.set(i, runOne(script, calls.get(i), deadline));
            }
        }
        return outcomes;
    }

    private Outcome runOne(RedisScript script, byte[][] call, long deadline) throws InterruptedException {
        try {
            return new Outcome(run(script, deadline, call), null);
        } catch (BackendException e) {
            return new Outcome(null, e);
        }
    }

    @Override
    public Facts look(List<String> parameters, long deadline) throws BackendException, InterruptedException {
        JedisLinks.Link link = links.dedicate(deadline);
        boolean inStep = false;
        boolean silent = false;
        try {
            link.deadline(deadline, time.nanoTime());
            String infoRefusal = "";
            Map<String, String> info = Map.of();
            try {
                info = info(link);
            } catch (JedisDataException e) {
                infoRefusal = refusal("INFO", e);
            }
            String configRefusal = "";
            Map<String, String> config = Map.of();
            try {
                config = config(link, parameters);
            } catch (JedisDataException e) {
                configRefusal = refusal("CONFIG GET", e);
            }
            inStep = true;
            return new Facts(info, infoRefusal, config, configRefusal);
        } catch (JedisException e) {
            silent = timedOut(e);
            throw RedisErrors.unanswered(links.server(), "INFO", silent, e);
        } finally {
            if (inStep) {
                links.giveBack(link);
            } else {
                links.discard(link, !silent);
            }
        }
    }

    private String refusal(String what, JedisDataException e) throws BackendException {
        BackendException refused = answered(what, e);
        if (refused.kind() != BackendException.Kind.REFUSED) {
            throw refused;
        }
        return String.valueOf(refused.getMessage());
    }

    private static Map<String, String> info(JedisLinks.Link link) {
        Map<String, String> fields = new TreeMap<>();
        String text = text(link.connection().executeCommand(Command.INFO));
        for (String line : text.split("\r?\n", -1)) {
            int colon = line.indexOf(':');
            if (colon > 0 && !line.startsWith("#")) {
                fields.put(line.substring(0, colon), line.substring(colon + 1));
            }
        }
        return fields;
    }

    private static Map<String, String> config(JedisLinks.Link link, List<String> parameters) {
        Map<String, String> values = new TreeMap<>();
        for (String parameter : parameters) {
            List<?> pair = (List<?>) link.connection()
                    .executeCommand(
                            new CommandArguments(Command.CONFIG).add("GET").add(parameter));
            if (pair.size() == 2) {
                values.put(text(pair.get(0)), text(pair.get(1)));
            } else if (pair.size() == 1 && pair.get(0) instanceof KeyValue<?, ?> entry) {
                // An application's connection may speak RESP3, which has maps.
                values.put(text(entry.getKey()), text(entry.getValue()));
            }
        }
        return values;
    }

    private static String text(Object bytes) {
        return new String((byte[]) bytes, StandardCharsets.UTF_8);
    }

    @Override
    public void publish(String channel, long deadline) throws BackendException, InterruptedException {
        CommandArguments arguments =
                new CommandArguments(Command.PUBLISH).add(channel).add("");
        var unused = call("PUBLISH", deadline, link -> link.connection().executeCommand(arguments));
    }

    private interface Call<T> {
        T on(JedisLinks.Link link);
    }

    private <T> T call(String what, long deadline, Call<T> call) throws BackendException, InterruptedException {
        JedisLinks.Link link = links.borrow(deadline);
        boolean inStep = false;
        boolean silent = false;
        try {
            link.deadline(deadline, time.nanoTime());
            T result = call.on(link);
            inStep = true;
            return result;
        } catch (JedisDataException e) {
            // An error in full: the next answer on this connection is the next question's.
            inStep = true;
            throw answered(what, e);
        } catch (JedisException e) {
            silent = timedOut(e);
            throw RedisErrors.unanswered(links.server(), what, silent, e);
        } finally {
            if (inStep) {
                links.giveBack(link);
            } else {
                links.discard(link, !silent);
            }
        }
    }

    private static boolean timedOut(JedisException e) {
        return e.getCause() instanceof SocketTimeoutException;
    }

    private BackendException answered(String what, JedisDataException e) {
        return RedisErrors.answered(links.server(), what, String.valueOf(e.getMessage()), e);
    }

    @Override
    public Subscription subscribe(String channel, Runnable signal, long deadline)
            throws BackendException, InterruptedException {
        return subscriber.subscribe(channel, signal, deadline);
    }

    @Override
    public boolean isListening() {
        return subscriber.isListening();
    }

    @Override
    public void onTrouble(Runnable trouble) {
        links.onTrouble(trouble);
    }

    @Override
    public void close() {
        subscriber.stop();
        links.close();
        subscriber.awaitEnd();
    }
}

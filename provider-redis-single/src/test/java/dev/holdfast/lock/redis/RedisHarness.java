package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.tck.Harness;
import dev.holdfast.lock.tck.Route;
import dev.holdfast.lock.tck.nodes.LinkRoute;
import dev.holdfast.lock.tck.nodes.Node;
import dev.holdfast.lock.tck.nodes.Ready;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import redis.clients.jedis.Jedis;

/** One Redis in a container, with every hook of the kit. */
final class RedisHarness implements Harness {
    private static final String NAMESPACE = "holdfast";

    private final String configuration;
    private final Node node;

    RedisHarness(String configuration, String... settings) {
        this.configuration = configuration;
        List<String> command = new ArrayList<>(List.of("redis-server", "--save", ""));
        command.addAll(List.of(settings));
        node = Node.of(
                        "redis",
                        "redis:8.0",
                        6379,
                        Ready.answering("PING\r\n", "+PONG"),
                        container -> container.withCommand(command.toArray(String[]::new)))
                .start();
    }

    private <T> T ask(Function<Jedis, T> question) {
        InetSocketAddress address = node.published();
        try (Jedis admin = new Jedis(address.getHostString(), address.getPort(), 2000)) {
            return question.apply(admin);
        }
    }

    @Override
    public Route route() {
        return LinkRoute.to(
                new RedisLockProvider(),
                node,
                at -> LockOptions.builder("redis").host(at.getHostString(), at.getPort()));
    }

    @Override
    public String configuration() {
        return configuration;
    }

    @Override
    public String uri() {
        return "redis://" + node.published().getHostString() + ":"
                + node.published().getPort();
    }

    @Override
    public void revoke(String name) {
        if (ask(admin -> admin.del(new RedisNames(NAMESPACE).key(name))) != 1) {
            throw new IllegalStateException(name + " is not held");
        }
    }

    @Override
    public void kill() {
        node.kill();
    }

    @Override
    public void start() {
        node.restart();
    }

    @Override
    public void wipe() {
        ask(Jedis::flushAll);
    }

    @Override
    public void pause() {
        node.pause();
    }

    @Override
    public void resume() {
        node.resume();
    }

    @Override
    public void setLastToken(String namespace, long token) {
        ask(admin -> admin.set(
                new RedisNames(namespace).counter(), Long.toString(token).getBytes(StandardCharsets.US_ASCII)));
    }

    @Override
    public long leftovers() {
        return ask(admin -> {
            long keys = admin.keys("*").stream()
                    .filter(key -> !key.endsWith(":token"))
                    .count();
            return keys + admin.pubsubChannels().size();
        });
    }

    @Override
    public void close() {
        node.close();
    }
}

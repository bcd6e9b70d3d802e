package dev.holdfast.lock.tck.nodes;

import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.tck.Route;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** A client's way over TCP, with a {@link Link} of its own to each node; the faults strike all of them at once. */
public final class LinkRoute implements Route {
    private final LockProvider provider;
    private final List<Link> links;
    private final Supplier<LockOptions.Builder> options;

    private LinkRoute(LockProvider provider, List<Link> links, Supplier<LockOptions.Builder> options) {
        this.provider = provider;
        this.links = List.copyOf(links);
        this.options = options;
    }

    /**
     * A way to one node.
     *
     * @param options what reaches the node by the address it is given
     */
    public static LinkRoute to(
            LockProvider provider, Node node, Function<InetSocketAddress, LockOptions.Builder> options) {
        Link link = Link.to(node::address);
        return new LinkRoute(provider, List.of(link), () -> options.apply(link.address()));
    }

    /** A way to several nodes. */
    public static LinkRoute to(
            LockProvider provider, List<Node> nodes, Function<List<InetSocketAddress>, LockOptions.Builder> options) {
        List<Link> links = nodes.stream().map(node -> Link.to(node::address)).toList();
        return new LinkRoute(
                provider,
                links,
                () -> options.apply(links.stream().map(Link::address).toList()));
    }

    /** The link to each node. */
    public List<Link> links() {
        return links;
    }

    @Override
    public LockProvider provider() {
        return provider;
    }

    @Override
    public LockOptions.Builder options() {
        return options.get();
    }

    @Override
    public void hold() {
        links.forEach(Link::hold);
    }

    @Override
    public void cut() {
        links.forEach(Link::cut);
    }

    @Override
    public void mend() {
        links.forEach(Link::mend);
    }

    @Override
    public void delay(Duration each) {
        links.forEach(link -> link.delay(each));
    }

    @Override
    public void dropNextReply() {
        links.forEach(Link::dropNextReply);
    }

    @Override
    public void delayNextRequest() {
        links.forEach(Link::delayNextRequest);
    }

    @Override
    public void deliver() {
        links.forEach(Link::deliver);
    }

    @Override
    public int connections() {
        return links.stream().mapToInt(Link::connections).sum();
    }

    @Override
    public void close() {
        links.forEach(Link::close);
    }
}

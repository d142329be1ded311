package io.vertxscr.cluster.accept;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AttributeKey;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.spi.transport.Transport;
import io.vertxscr.cluster.admission.UnprovenConnections.Bounds;
import io.vertxscr.cluster.admission.UnprovenConnections.Handling;
import io.vertxscr.cluster.admission.UnprovenConnections;
import io.vertxscr.cluster.tls.Credentials;
import io.vertxscr.model.Limits;
import java.net.SocketAddress;
import java.util.function.Consumer;

/**
 * Transport of Vert.x whose servers bound the connections of whoever has not proved to be let in.
 *
 * <p>Vert.x has no bound on them; here each port has its {@link UnprovenConnections}. Where connections come faster
 * than they are closed, they are not accepted but wait in the kernel. What those send who have proved to be members is
 * bounded by {@link BusFrames}.
 */
public final class GuardedTransport implements io.vertx.core.transport.Transport {
  /**
   * Connections to a TLS server that have not proved membership. More than on the cluster's port: when a job begins,
   * all daemons may call one at the same moment, and a message on its way through a closed connection is lost.
   */
  private static final int MAX_UNPROVEN = 1024;
  /** Connections that are being closed, or wait for that. */
  private static final int MAX_CLOSING = 64;
  private static final AttributeKey<UnprovenConnections<Channel>> UNPROVEN = AttributeKey.valueOf("scr-unproven");

  private final long proofMs;

  public GuardedTransport() {
    this(Limits.MAX_PROOF_MS);
  }

  /** The same with another time until the other side of a connection must have proved to be let in. */
  public GuardedTransport(long proofMs) {
    this.proofMs = proofMs;
  }

  /** The other side of an accepted connection has proved to be let in, by other means than TLS. */
  public static void proved(NetSocket socket) {
    proved(((NetSocketInternal) socket).channelHandlerContext().channel());
  }

  /** The same of a channel, or the port that has accepted it has a bound of its own from now on. */
  public static void proved(Channel channel) {
    UnprovenConnections<Channel> unproven = channel.attr(UNPROVEN).get();
    if (unproven != null) {                               // a Unix socket is not guarded
      unproven.left(channel);
    }
  }

  @Override
  public String name() {
    return NIO.name();
  }

  @Override
  public boolean available() {
    return true;
  }

  @Override
  public Throwable unavailabilityCause() {
    throw new IllegalStateException("it is available");
  }

  @Override
  public Transport implementation() {
    return new Guarding(NIO.implementation(), proofMs);
  }

  /** The transport of all platforms, but for what servers accept. */
  private record Guarding(Transport nio, long proofMs) implements Transport {
    @Override
    public boolean supportsDomainSockets() {
      return nio.supportsDomainSockets();
    }

    @Override
    public SocketAddress convert(io.vertx.core.net.SocketAddress address) {
      return nio.convert(address);
    }

    @Override
    public io.vertx.core.net.SocketAddress convert(SocketAddress address) {
      return nio.convert(address);
    }

    @Override
    public IoHandlerFactory ioHandlerFactory() {
      return nio.ioHandlerFactory();
    }

    @Override
    public DatagramChannel datagramChannel() {
      return nio.datagramChannel();
    }

    @Override
    @SuppressWarnings("deprecation")                      // the interface has it so
    public DatagramChannel datagramChannel(InternetProtocolFamily family) {
      return nio.datagramChannel(family);
    }

    @Override
    public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
      return nio.channelFactory(domainSocket);
    }

    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
      return nio.serverChannelFactory(domainSocket);
    }

    @Override
    public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
      nio.configure(options, domainSocket, bootstrap);
      if (domainSocket) {                                 // that one is for its owner alone
        return;
      }
      if (options instanceof HttpServerOptions) {
        bootstrap.handler(new Bound(new Bounds(Limits.MAX_OPERATORS, proofMs,
            "connections to the HTTP port were closed before they had sent a request"), _ -> {}));
      } else if (options.isSsl()) {                       // the event bus
        BusFrames.Unfinished unfinished = new BusFrames.Unfinished(Limits.MAX_UNFINISHED_BUS_BYTES);
        bootstrap.handler(new Bound(new Bounds(MAX_UNPROVEN, proofMs,
            "connections to the event bus had not proved membership and were closed"),
            channel -> channel.pipeline().addLast(new BehindTls(unfinished))));
      } else {
        bootstrap.handler(new Bound(new Bounds(Limits.MAX_STRANGERS, proofMs,
            "connections to the TCP port have not shown the token of this daemon and were closed"), _ -> {}));
      }
    }
  }

  /** Puts the bound of frames behind the TLS of a connection, once that is there. */
  private static final class BehindTls extends ChannelInboundHandlerAdapter {
    private final BusFrames.Unfinished unfinished;

    BehindTls(BusFrames.Unfinished unfinished) {
      this.unfinished = unfinished;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object encrypted) {
      ChannelPipeline pipeline = context.pipeline();
      SslHandler tls = pipeline.get(SslHandler.class);
      pipeline.addAfter(pipeline.context(tls).name(), null, new BusFrames(
          () -> Credentials.fingerprint(tls.engine().getSession().getPeerCertificates()[0]), unfinished));
      tls.handshakeFuture().addListener(handshake -> {
        if (handshake.isSuccess()) {
          proved(context.channel());
        }
      });
      context.fireChannelRead(encrypted);
      pipeline.remove(this);
    }
  }

  /** Sees each connection that a server accepts, before it is initialized. Runs on the thread that accepts. */
  private static final class Bound extends ChannelInboundHandlerAdapter implements Handling<Channel> {
    private final UnprovenConnections<Channel> unproven;
    private final Consumer<Channel> arrange;
    private int closing;
    private Channel server;

    /** @param arrange what else to do with a connection that is accepted */
    Bound(Bounds bounds, Consumer<Channel> arrange) {
      this.unproven = new UnprovenConnections<>(bounds, this);
      this.arrange = arrange;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      server = context.channel();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      Channel channel = (Channel) accepted;
      channel.attr(UNPROVEN).set(unproven);
      unproven.opened(channel);
      channel.closeFuture().addListener(_ -> unproven.left(channel));
      arrange.accept(channel);
      context.fireChannelRead(accepted);
    }

    /** Closes at once: by its tail a connection would wait for an answer that nobody takes. */
    @Override
    public void close(Channel channel) {
      count(1);
      ChannelHandlerContext first = channel.pipeline().firstContext();
      (first == null ? channel.close() : first.close()).addListener(_ -> count(-1));
    }

    @Override
    public void onReader(Channel channel, Runnable action) {
      channel.eventLoop().execute(action);
    }

    private void count(int more) {
      server.eventLoop().execute(() -> {
        closing += more;
        server.config().setAutoRead(closing < MAX_CLOSING);
      });
    }
  }
}

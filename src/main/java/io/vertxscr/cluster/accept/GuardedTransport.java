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
import io.vertxscr.cluster.tls.Credentials;
import io.vertxscr.model.Limits;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * Transport of Vert.x whose servers bound the connections of whoever has not proved to be let in.
 *
 * <p>Anybody can open connections and be silent. Vert.x has no bound on them, and a process without descriptors makes
 * no checkpoint. So only some may wait at a port: the next one has the oldest closed. Where connections come faster
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
  private static final AttributeKey<Boolean> PROVED = AttributeKey.valueOf("scr-proved");

  /** The other side of an accepted connection has proved to be let in, by other means than TLS. */
  public static void proved(NetSocket socket) {
    ((NetSocketInternal) socket).channelHandlerContext().channel().attr(PROVED).set(true);
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
    return new Guarding(NIO.implementation());
  }

  /** The transport of all platforms, but for what servers accept. */
  private record Guarding(Transport nio) implements Transport {
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
        bootstrap.handler(new Bound(Limits.MAX_OPERATORS, _ -> {}));
      } else if (options.isSsl()) {                       // the event bus
        BusFrames.Unfinished unfinished = new BusFrames.Unfinished(Limits.MAX_UNFINISHED_BUS_BYTES);
        bootstrap.handler(new Bound(MAX_UNPROVEN, channel -> channel.pipeline().addLast(new BehindTls(unfinished))));
      } else {
        bootstrap.handler(new Bound(Limits.MAX_STRANGERS, _ -> {}));
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
      context.fireChannelRead(encrypted);
      pipeline.remove(this);
    }
  }

  /** Sees each connection that a server accepts, before it is initialized. Runs on the thread that accepts. */
  private static final class Bound extends ChannelInboundHandlerAdapter {
    private final int most;
    private final Consumer<Channel> arrange;
    /** The oldest first. Some may have ended, or proved themselves. */
    private final Deque<Channel> waiting = new ArrayDeque<>();
    private int closing;

    /** @param arrange what else to do with a connection that is accepted */
    Bound(int most, Consumer<Channel> arrange) {
      this.most = most;
      this.arrange = arrange;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      if (waiting.size() >= most) {
        waiting.removeIf(channel -> !channel.isOpen() || hasProved(channel));
      }
      if (waiting.size() >= most) {
        close(waiting.removeFirst(), context.channel());
      }
      waiting.add((Channel) accepted);
      arrange.accept((Channel) accepted);
      context.fireChannelRead(accepted);
    }

    private void close(Channel oldest, Channel server) {
      closing++;
      server.config().setAutoRead(closing < MAX_CLOSING);
      oldest.close().addListener(_ -> server.eventLoop().execute(() -> {
        closing--;
        server.config().setAutoRead(closing < MAX_CLOSING);
      }));
    }

    private static boolean hasProved(Channel channel) {
      SslHandler tls = channel.pipeline().get(SslHandler.class);
      return tls != null && tls.handshakeFuture().isSuccess() || channel.hasAttr(PROVED);
    }
  }
}

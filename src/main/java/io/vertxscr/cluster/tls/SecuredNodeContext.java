package io.vertxscr.cluster.tls;

import com.hazelcast.instance.EndpointQualifier;
import com.hazelcast.instance.impl.DefaultNodeContext;
import com.hazelcast.instance.impl.DefaultNodeExtension;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.instance.impl.NodeExtension;
import com.hazelcast.internal.networking.Channel;
import com.hazelcast.internal.networking.ChannelInitializer;
import com.hazelcast.internal.server.ServerContext;
import java.util.Optional;
import java.util.function.Function;
import javax.net.ssl.SSLEngine;

/**
 * Makes a member of Hazelcast whose connections all are TLS 1.3 with mutual authentication. Whoever cannot prove to be
 * of the cluster talks to the TLS engine, never to Hazelcast.
 *
 * <p>The open edition has no TLS of its own, but makes its pipelines by way of an extension that can be replaced: an
 * internal interface of the version in the POM, see docs/decisions/0019-tls.md.
 */
public final class SecuredNodeContext extends DefaultNodeContext {
  private final Credentials credentials;
  private final Handshakes handshakes = new Handshakes();

  public SecuredNodeContext(Credentials credentials) {
    this.credentials = credentials;
  }

  /** The address of a daemon that this one has called, and that is of another cluster. */
  public Optional<String> unlike() {
    return handshakes.unlike();
  }

  @Override
  public NodeExtension createNodeExtension(Node node) {
    return new Extension(node);
  }

  private final class Extension extends DefaultNodeExtension {
    Extension(Node node) {
      super(node);
    }

    @Override
    public Function<EndpointQualifier, ChannelInitializer> createChannelInitializerFn(ServerContext server) {
      Function<EndpointQualifier, ChannelInitializer> plain = super.createChannelInitializerFn(server);
      return endpoint -> {
        ChannelInitializer inner = plain.apply(endpoint);
        return channel -> initialize(channel, inner);
      };
    }

    private void initialize(Channel channel, ChannelInitializer inner) throws Exception {
      SSLEngine engine = credentials.engine(channel.isClientMode());
      engine.beginHandshake();
      TlsLink link = new TlsLink(engine, channel, handshakes, node.getJoiner());
      handshakes.begun(channel);
      channel.inboundPipeline().addLast(new TlsInbound(link));
      inner.initChannel(channel);
      channel.outboundPipeline().addLast(new TlsOutbound(link));
    }
  }
}

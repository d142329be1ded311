package io.vertxscr.cluster.tls;

import com.hazelcast.internal.networking.HandlerStatus;
import com.hazelcast.internal.networking.InboundHandler;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decrypts what a connection of Hazelcast receives, in front of its protocol decoder. That one sees no byte before the
 * handshake has succeeded, and no packet that is longer than {@link PacketBound} allows. Runs on an input thread of
 * Hazelcast. {@link TlsOutbound} is the other half, on an output thread; each wakes the other where the handshake needs
 * it.
 *
 * <p>The source buffer is written to between calls, and read within: a convention of Hazelcast's pipelines.
 */
final class TlsInbound extends InboundHandler<ByteBuffer, ByteBuffer> {
  private static final Logger LOG = LoggerFactory.getLogger(TlsInbound.class);
  private static final int SOURCE_BYTES = 1 << 16;

  private final TlsLink link;
  private final SSLEngine engine;
  /** Of one record: the next handler's buffer may be of three bytes. */
  private final ByteBuffer plain;
  private final PacketBound bound = new PacketBound();

  TlsInbound(TlsLink link) {
    this.link = link;
    this.engine = link.engine();
    this.plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize()).limit(0);
  }

  @Override
  public void handlerAdded() {
    initSrcBuffer(Math.max(engine.getSession().getPacketBufferSize(), SOURCE_BYTES));
  }

  @Override
  public HandlerStatus onRead() throws IOException {
    src.flip();
    try {
      while (passOn()) {
        switch (engine.getHandshakeStatus()) {
          case NEED_TASK -> {
            link.runTasks();
            continue;
          }
          case NEED_WRAP -> channel.outboundPipeline().wakeup();
          case NEED_UNWRAP, NEED_UNWRAP_AGAIN, NOT_HANDSHAKING, FINISHED -> {}
        }
        if (!unwrap()) {
          return HandlerStatus.CLEAN;
        }
      }
      return HandlerStatus.DIRTY;
    } catch (SSLException e) {
      link.failed(e);
      throw e;
    } catch (ProtocolException e) {
      LOG.warn("member {} is hung up on: {}", channel.remoteSocketAddress(), e.getMessage());
      throw e;
    } finally {
      src.compact();
    }
  }

  /** Hands decrypted bytes to the next handler. Returns whether it took all. */
  private boolean passOn() {
    int bytes = Math.min(plain.remaining(), dst.remaining());
    dst.put(plain.slice(plain.position(), bytes));
    plain.position(plain.position() + bytes);
    return !plain.hasRemaining();
  }

  /** Decrypts one record. Returns false where there is none that is whole. */
  private boolean unwrap() throws IOException {
    if (!src.hasRemaining()) {
      return false;
    }
    plain.clear();
    SSLEngineResult.HandshakeStatus before = engine.getHandshakeStatus();
    SSLEngineResult result;
    try {
      result = engine.unwrap(src, plain);
    } finally {
      plain.flip();
    }
    bound.pass(plain);
    if (result.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.FINISHED) {
      link.established();
    }
    if (before != SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING && result.getHandshakeStatus() != before) {
      channel.outboundPipeline().wakeup();                // it may have waited for this record
    }
    return switch (result.getStatus()) {
      case OK -> result.bytesConsumed() > 0 || result.bytesProduced() > 0;
      case BUFFER_UNDERFLOW -> false;
      case CLOSED -> throw new EOFException("the other side has ended TLS");
      case BUFFER_OVERFLOW -> throw new SSLException("a record is larger than TLS allows");
    };
  }
}

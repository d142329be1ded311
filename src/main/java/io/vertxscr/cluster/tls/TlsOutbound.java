package io.vertxscr.cluster.tls;

import com.hazelcast.internal.networking.HandlerStatus;
import com.hazelcast.internal.networking.OutboundHandler;
import java.io.EOFException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/**
 * Encrypts what a connection of Hazelcast sends, behind its protocol encoder. Holds it back until the handshake has
 * succeeded. Runs on an output thread; see {@link TlsInbound}.
 *
 * <p>The destination buffer is read between calls, and written to within: a convention of Hazelcast's pipelines.
 */
final class TlsOutbound extends OutboundHandler<ByteBuffer, ByteBuffer> {
  private static final int DESTINATION_BYTES = 1 << 16;

  private final TlsLink link;
  private final SSLEngine engine;

  TlsOutbound(TlsLink link) {
    this.link = link;
    this.engine = link.engine();
  }

  @Override
  public void handlerAdded() {
    initDstBuffer(Math.max(2 * engine.getSession().getPacketBufferSize(), DESTINATION_BYTES));
  }

  @Override
  public HandlerStatus onWrite() throws SSLException, EOFException {
    dst.compact();
    try {
      while (true) {
        switch (engine.getHandshakeStatus()) {
          case NEED_TASK -> {
            link.runTasks();
            continue;
          }
          case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
            channel.inboundPipeline().wakeup();           // it may have the record already
            return HandlerStatus.BLOCKED;
          }
          case NOT_HANDSHAKING, FINISHED -> {
            if (!src.hasRemaining()) {
              return HandlerStatus.CLEAN;
            }
          }
          case NEED_WRAP -> {}
        }
        if (!wrap()) {
          return HandlerStatus.DIRTY;                     // goes on when the socket has taken some
        }
      }
    } catch (SSLException e) {
      link.failed(e);
      throw e;
    } finally {
      dst.flip();
    }
  }

  /** Encrypts one record. Returns false where there is no room for it. */
  private boolean wrap() throws SSLException, EOFException {
    boolean inHandshake = engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NEED_WRAP;
    SSLEngineResult result = engine.wrap(src, dst);
    if (result.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.FINISHED) {
      link.established();
    }
    if (inHandshake && result.getHandshakeStatus() != SSLEngineResult.HandshakeStatus.NEED_WRAP) {
      channel.inboundPipeline().wakeup();                 // it may have a record that nothing could be done with before
    }
    return switch (result.getStatus()) {
      case OK -> true;
      case BUFFER_OVERFLOW -> false;
      case CLOSED -> throw new EOFException("TLS has ended");
      case BUFFER_UNDERFLOW -> throw new SSLException("nothing to encrypt");
    };
  }
}

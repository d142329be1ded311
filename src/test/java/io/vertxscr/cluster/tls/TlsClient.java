package io.vertxscr.cluster.tls;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult;

/** The client's side of TLS on a blocking channel, as plain as it can be. */
public final class TlsClient {
  private final SocketChannel channel;
  private final SSLEngine engine;
  private final ByteBuffer received;
  private final ByteBuffer plain;

  /** Proves itself. @throws IOException if the other side refuses it */
  public TlsClient(SocketChannel channel, SSLEngine engine) throws IOException {
    this.channel = channel;
    this.engine = engine;
    this.received = ByteBuffer.allocate(engine.getSession().getPacketBufferSize()).limit(0);
    this.plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize());
    engine.beginHandshake();
    HandshakeStatus status = engine.getHandshakeStatus();
    while (status != HandshakeStatus.FINISHED && status != HandshakeStatus.NOT_HANDSHAKING) {
      status = switch (status) {
        case NEED_WRAP -> write(ByteBuffer.allocate(0));
        case NEED_TASK -> {
          engine.getDelegatedTask().run();
          yield engine.getHandshakeStatus();
        }
        default -> read().getHandshakeStatus();
      };
    }
  }

  /** Sends bytes; of one record at most. */
  public HandshakeStatus write(ByteBuffer bytes) throws IOException {
    ByteBuffer record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    HandshakeStatus status = engine.wrap(bytes, record).getHandshakeStatus();
    for (record.flip(); record.hasRemaining(); ) {
      channel.write(record);
    }
    return status;
  }

  private SSLEngineResult read() throws IOException {
    while (true) {
      SSLEngineResult result = engine.unwrap(received, plain.clear());
      if (result.getStatus() != SSLEngineResult.Status.BUFFER_UNDERFLOW) {
        return result;
      }
      int count = channel.read(received.compact());
      received.flip();
      if (count < 0) {
        throw new IOException("the other side has hung up");
      }
    }
  }

  /** Returns when the other side has ended the connection, whatever it sends before. */
  public void readToTheEnd() {
    try {
      while (read().getStatus() != SSLEngineResult.Status.CLOSED) {
        // It may greet, or send a ticket.
      }
    } catch (IOException _) {
      // Reset, or closed without a word.
    }
  }
}

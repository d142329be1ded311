package io.vertxscr.cluster.peer;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/**
 * TLS over a channel in blocking mode, for the handshake. What follows in bulk goes in {@link PeerRecords}, or is not
 * encrypted. One thread at a time.
 */
final class PeerTls {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final SSLEngine engine;
  private final SocketChannel socket;
  private final PeerWatchdog.Watch watch;
  /** Received and not decrypted; between calls to be read. */
  private final ByteBuffer received;
  /** Decrypted and not taken; between calls to be read. */
  private final ByteBuffer plain;
  /** Encrypted and not sent; between calls empty. */
  private final ByteBuffer encrypted;

  PeerTls(SSLEngine engine, SocketChannel socket, PeerWatchdog.Watch watch) {
    this.engine = engine;
    this.socket = socket;
    this.watch = watch;
    received = ByteBuffer.allocate(engine.getSession().getPacketBufferSize()).limit(0);
    plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize()).limit(0);
    encrypted = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
  }

  /** Proves both sides to each other. @throws SSLException if one does not trust the other */
  void handshake() throws IOException {
    engine.beginHandshake();
    while (true) {
      switch (engine.getHandshakeStatus()) {
        case NEED_TASK -> runTasks();
        case NEED_WRAP -> {
          wrap(NOTHING.duplicate());
          flush();
        }
        case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> unwrap(plain.clear());
        case NOT_HANDSHAKING, FINISHED -> {
          plain.limit(0);
          return;
        }
      }
    }
  }

  /** Fills what remains of the buffer. */
  void readFully(ByteBuffer into) throws IOException {
    while (into.hasRemaining()) {
      if (plain.hasRemaining()) {
        int bytes = Math.min(plain.remaining(), into.remaining());
        into.put(plain.slice(plain.position(), bytes));
        plain.position(plain.position() + bytes);
      } else {
        plain.clear();
        unwrap(plain);
        plain.flip();
      }
    }
  }

  void writeFully(ByteBuffer from) throws IOException {
    while (from.hasRemaining()) {
      wrap(from);
      flush();
    }
  }

  /**
   * The records that follow on the connection.
   *
   * @param client which end this is
   * @throws ScrException CORRUPT if something has followed already
   */
  PeerRecords records(boolean client) throws SSLException {
    end();
    return new PeerRecords((ExtendedSSLSession) engine.getSession(), client, socket, watch);
  }

  /** What follows on the connection is not of TLS. @throws ScrException CORRUPT if something has followed already */
  void end() {
    if (plain.hasRemaining() || received.hasRemaining()) {
      throw new ScrException(Fault.CORRUPT, "bytes between the handshake and the first request");
    }
  }

  private void wrap(ByteBuffer from) throws IOException {
    SSLEngineResult result = engine.wrap(from, encrypted);
    switch (result.getStatus()) {
      case OK -> {}
      case CLOSED -> throw new EOFException("connection closed");
      case BUFFER_OVERFLOW, BUFFER_UNDERFLOW -> throw new SSLException("a record is larger than TLS allows");
    }
  }

  private void flush() throws IOException {
    encrypted.flip();
    while (encrypted.hasRemaining()) {
      socket.write(encrypted);
      watch.moved();
    }
    encrypted.clear();
  }

  /** Decrypts one record, and receives what is missing of it. */
  private void unwrap(ByteBuffer into) throws IOException {
    while (true) {
      SSLEngineResult result = engine.unwrap(received, into);
      switch (result.getStatus()) {
        case OK -> {
          runTasks();
          return;
        }
        case BUFFER_UNDERFLOW -> receive();
        case CLOSED -> throw new EOFException("connection closed");
        case BUFFER_OVERFLOW -> throw new SSLException("a record is larger than TLS allows");
      }
    }
  }

  private void receive() throws IOException {
    received.compact();
    try {
      if (socket.read(received) < 0) {
        throw new EOFException("connection closed");
      }
      watch.moved();
    } finally {
      received.flip();
    }
  }

  private void runTasks() {
    for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
      task.run();
    }
  }
}

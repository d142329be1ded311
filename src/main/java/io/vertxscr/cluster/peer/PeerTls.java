package io.vertxscr.cluster.peer;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/**
 * TLS over a channel in blocking mode. One thread at a time.
 *
 * <p>What is encrypted and decrypted lies in arrays of the heap: there the JDK's AES-GCM takes a third of the time that
 * it needs for direct buffers, which is more than the additional copy. Decrypted bytes go into the caller's buffer at
 * once where a whole record fits.
 */
final class PeerTls {
  private static final int RECEIVE_BYTES = 64 * 1024;
  private static final int RECORDS_AT_ONCE = 4;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final SSLEngine engine;
  private final SocketChannel socket;
  private final PeerWatchdog.Watch watch;
  private final int recordBytes;
  /** Received and not decrypted; between calls to be read. */
  private final ByteBuffer received;
  /** Decrypted and not taken; between calls to be read. */
  private final ByteBuffer plain;
  /** Encrypted and not sent; between calls empty. */
  private final ByteBuffer encrypted;
  private ByteBuffer ofFile;

  PeerTls(SSLEngine engine, SocketChannel socket, PeerWatchdog.Watch watch) {
    this.engine = engine;
    this.socket = socket;
    this.watch = watch;
    recordBytes = engine.getSession().getApplicationBufferSize();
    received = ByteBuffer.allocate(Math.max(RECEIVE_BYTES, engine.getSession().getPacketBufferSize())).limit(0);
    plain = ByteBuffer.allocate(recordBytes).limit(0);
    encrypted = ByteBuffer.allocate(RECORDS_AT_ONCE * engine.getSession().getPacketBufferSize());
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
      } else if (into.remaining() >= recordBytes) {
        unwrap(into);
      } else {
        plain.clear();
        unwrap(plain);
        plain.flip();
      }
    }
  }

  void writeFully(ByteBuffer from) throws IOException {
    while (from.hasRemaining()) {
      if (encrypted.remaining() < engine.getSession().getPacketBufferSize()) {
        flush();
      }
      wrap(from);
    }
    flush();
  }

  /** Sends bytes of a file. Returns how many; 0 at the file's end. */
  long transferFrom(FileChannel file, long position, long bytes) throws IOException {
    if (ofFile == null) {
      ofFile = ByteBuffer.allocateDirect(RECORDS_AT_ONCE * 16 * 1024);
    }
    ofFile.clear().limit((int) Math.min(bytes, ofFile.capacity()));
    int read = file.read(ofFile, position);
    if (read <= 0) {
      return 0;
    }
    writeFully(ofFile.flip());
    return read;
  }

  /** What follows on the connection is not encrypted. @throws ScrException CORRUPT if something has followed already */
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

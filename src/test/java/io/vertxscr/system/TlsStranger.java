package io.vertxscr.system;

import io.vertxscr.cluster.tls.Credentials;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;

/** Client of a port with TLS that keeps the bytes that it has sent, one element for each write. Blocking. */
final class TlsStranger implements AutoCloseable {
  private static final int PATIENCE_MS = 30_000;

  private final Socket socket = new Socket();
  private final SSLEngine engine;
  private final List<byte[]> sent = new ArrayList<>();
  private final ByteBuffer received = ByteBuffer.allocate(1 << 17).limit(0);
  private final ByteBuffer plain = ByteBuffer.allocate(1 << 15);

  /** @param greetingBytes that the server sends before TLS begins */
  TlsStranger(SocketAddress to, Credentials credentials, int greetingBytes) throws IOException {
    engine = credentials.engine(true);
    socket.setSoTimeout(PATIENCE_MS);
    socket.connect((InetSocketAddress) to);
    socket.getInputStream().readNBytes(greetingBytes);
  }

  /** Ends its side of the handshake, which says nothing about what the server thinks of it. */
  void handshake() throws IOException {
    engine.beginHandshake();
    while (true) {
      switch (engine.getHandshakeStatus()) {
        case NEED_TASK -> engine.getDelegatedTask().run();
        case NEED_WRAP -> write();
        case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> unwrap();
        case NOT_HANDSHAKING, FINISHED -> {
          return;
        }
      }
    }
  }

  private void write() throws IOException {
    ByteBuffer record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    engine.wrap(ByteBuffer.allocate(0), record);
    sent.add(Arrays.copyOf(record.array(), record.position()));
    socket.getOutputStream().write(sent.getLast());
  }

  /** One record. @throws IOException where the server has ended the connection, with an alert or without */
  private void unwrap() throws IOException {
    while (true) {
      var result = engine.unwrap(received, plain.clear());
      if (result.getStatus() == Status.CLOSED) {
        throw new EOFException("the server has ended TLS");
      }
      if (result.getStatus() == Status.OK) {
        return;
      }
      received.compact();
      int bytes = socket.getInputStream().read(received.array(), received.position(), received.remaining());
      received.position(received.position() + Math.max(bytes, 0)).flip();
      if (bytes < 0) {
        throw new EOFException("the server has ended the connection");
      }
    }
  }

  /** Waits for the server's first record after the handshake: a ticket of TLS for whom it lets in. */
  void awaitLetIn() throws IOException {
    do {
      unwrap();
    } while (engine.getHandshakeStatus() == HandshakeStatus.NEED_UNWRAP_AGAIN);
  }

  List<byte[]> sent() {
    return sent;
  }

  /** Sends pieces to a port, and waits until the server ends the connection. Returns how many bytes it answered. */
  static int replay(SocketAddress to, List<byte[]> pieces) throws IOException {
    int answered = 0;
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(PATIENCE_MS);
      socket.connect((InetSocketAddress) to);
      for (byte[] piece : pieces) {
        socket.getOutputStream().write(piece);
      }
      for (int bytes = 0; bytes >= 0; bytes = socket.getInputStream().read(new byte[1 << 15])) {
        answered += bytes;
      }
    } catch (SocketException _) {
      // reset
    }
    return answered;
  }

  /** Waits until the server ends a connection; how many bytes it sends before that. */
  static int toTheEnd(SocketChannel channel) throws IOException {
    Socket socket = channel.socket();
    socket.setSoTimeout(PATIENCE_MS);
    try {
      return socket.getInputStream().readAllBytes().length;
    } catch (SocketException _) {
      return 0;                                           // reset
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

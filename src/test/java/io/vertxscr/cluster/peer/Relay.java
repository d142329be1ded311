package io.vertxscr.cluster.peer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Hands on one connection, keeps what the server said, and may flip a bit of it. */
final class Relay implements AutoCloseable {
  private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final int target;
  private final int flippedAt;

  /** @param flippedAt byte of what the server says whose lowest bit is flipped */
  Relay(int target, int flippedAt) throws IOException {
    this.target = target;
    this.flippedAt = flippedAt;
    Thread.ofPlatform().daemon().name("relay").start(this::relay);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** Whether the server has said these bytes, as they are. */
  synchronized boolean saw(byte[] bytes) {
    return said.toString(StandardCharsets.ISO_8859_1).contains(new String(bytes, StandardCharsets.ISO_8859_1));
  }

  private void relay() {
    try (Socket client = listener.accept(); Socket server = new Socket(InetAddress.getLoopbackAddress(), target)) {
      Thread.ofPlatform().daemon().name("relay-back").start(() -> back(server, client));
      copy(client.getInputStream(), server.getOutputStream(), false);
    } catch (IOException _) {
      // one of them has gone
    }
  }

  private void back(Socket server, Socket client) {
    try (client) {
      copy(server.getInputStream(), client.getOutputStream(), true);
    } catch (IOException _) {
      // one of them has gone
    }
  }

  private void copy(InputStream from, OutputStream to, boolean ofServer) throws IOException {
    byte[] buffer = new byte[16 * 1024];
    for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
      if (ofServer) {
        change(buffer, count);
      }
      to.write(buffer, 0, count);
    }
  }

  private synchronized void change(byte[] buffer, int count) {
    int place = flippedAt - said.size();
    if (place >= 0 && place < count) {
      buffer[place] ^= 1;
    }
    said.write(buffer, 0, count);
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}

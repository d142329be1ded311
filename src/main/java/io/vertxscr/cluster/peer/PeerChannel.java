package io.vertxscr.cluster.peer;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLEngine;

/**
 * One TCP connection in blocking mode, either end. One thread reads and writes; any thread may {@link #end} it, which
 * wakes that one.
 */
final class PeerChannel implements AutoCloseable {
  /** Why a connection was ended on purpose: what the blocked thread is told instead of "channel closed". */
  record Ending(Fault fault, String message) {}

  private final String peer;
  private final SocketChannel socket;
  private final PeerWatchdog.Watch watch;
  private final AtomicReference<Ending> ending = new AtomicReference<>();
  private PeerTls tls;
  private PeerRecords records;
  private int requests;

  /** @param peer how messages name the other end */
  PeerChannel(String peer, SocketChannel socket, PeerWatchdog watchdog) {
    this.peer = peer;
    this.socket = socket;
    this.watch = watchdog.watch(this::endForSilence);
  }

  String peer() {
    return peer;
  }

  PeerWatchdog.Watch watch() {
    return watch;
  }

  /** Counts the requests of this connection from 1. */
  int nextRequest() {
    return ++requests;
  }

  /** Requests before this one have shown that the connection works. */
  boolean isUsed() {
    return requests > 0;
  }

  boolean isOpen() {
    return socket.isOpen();
  }

  /** The address of the other end. */
  InetAddress address() {
    return socket.socket().getInetAddress();
  }

  void connect(InetSocketAddress address, int timeoutMs) throws IOException {
    socket.socket().connect(address, timeoutMs);
    withoutDelay();
  }

  /** Headers leave at once; the bulk fills its packets anyway. */
  void withoutDelay() throws IOException {
    socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  /** Proves both sides to each other; what follows is encrypted by TLS. */
  void secure(SSLEngine engine) throws IOException {
    tls = new PeerTls(engine, socket, watch);
    tls.handshake();
  }

  /** What follows is not encrypted any more. Both sides do so at the same byte. */
  void plain() {
    tls.end();
    tls = null;
  }

  /** What follows is encrypted in records of our own. Both sides do so at the same byte. @param client which end */
  void encrypted(boolean client) throws IOException {
    records = tls.records(client);
    tls = null;
  }

  /** Fills what remains of the buffer. */
  void readFully(ByteBuffer into) throws IOException {
    if (records != null) {
      records.readFully(into);
      return;
    }
    if (tls != null) {
      tls.readFully(into);
      return;
    }
    while (into.hasRemaining()) {
      if (socket.read(into) < 0) {
        throw new EOFException("connection closed");
      }
      watch.moved();
    }
  }

  void writeFully(ByteBuffer from) throws IOException {
    if (records != null) {
      records.writeFully(from);
      return;
    }
    if (tls != null) {
      tls.writeFully(from);
      return;
    }
    while (from.hasRemaining()) {
      socket.write(from);
      watch.moved();
    }
  }

  /**
   * Sends bytes of a file, without taking them into this process where they are not encrypted. Returns how many; 0 at
   * the file's end.
   */
  long transferFrom(FileChannel file, long position, long bytes) throws IOException {
    if (records != null) {
      return records.transferFrom(file, position, bytes);
    }
    long sent = file.transferTo(position, bytes, socket);
    watch.moved();
    return sent;
  }

  /** Closes the connection; blocked operations fail with this reason. The first reason stays. */
  void end(Ending why) {
    ending.compareAndSet(null, why);
    close();
  }

  /** Whether it was closed from this side, with a reason. */
  boolean isEnded() {
    return ending.get() != null;
  }

  /** Translates an error of this connection for the waiting reader. */
  ScrException failure(IOException cause, String doing) {
    Ending why = ending.get();
    if (why != null) {
      return new ScrException(why.fault, why.message + ", " + doing, cause);
    }
    if (cause instanceof ClosedByInterruptException) {
      return new ScrException(Fault.IO, "the thread was interrupted, " + doing, cause);
    }
    String what = cause instanceof EOFException ? "closed the connection" : "is lost: " + cause.getMessage();
    return new ScrException(Fault.NODE_LOST, peer + " " + what + ", " + doing, cause);
  }

  @Override
  public void close() {
    watch.end();
    try {
      socket.close();
    } catch (IOException _) {
      // Nothing is written through this socket that a failed close could lose: the receiver counts its bytes.
    }
  }

  private void endForSilence() {
    end(new Ending(Fault.NODE_LOST, peer + " was silent for too long"));
  }
}

package io.vertxscr.cluster.peer;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** A peer that answers as a test wants it to: each connection is handed to its script. */
final class FakePeer implements AutoCloseable {
  /** Script for one connection, which is closed when the script returns. */
  interface Script {
    void play(PeerChannel client) throws IOException;
  }

  /** Answer to the first request of an authorized connection. */
  interface Answer {
    void play(PeerChannel client, PeerProtocol.Request request) throws IOException;
  }

  private final ServerSocketChannel listener;
  private final PeerWatchdog watchdog = new PeerWatchdog(250);
  private final Set<PeerChannel> open = ConcurrentHashMap.newKeySet();
  private final CountDownLatch closed = new CountDownLatch(1);

  FakePeer(Script script) throws IOException {
    listener = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
    Thread.ofPlatform().daemon().name("fake-peer").start(() -> acceptAll(script));
  }

  static FakePeer answering(Answer answer) throws IOException {
    return new FakePeer(client -> {
      Handshake.serve(client, TestNode.SECURITY, "n1");
      ByteBuffer request = ByteBuffer.allocate(PeerProtocol.REQUEST_BYTES);
      client.readFully(request);
      answer.play(client, PeerProtocol.getRequest(request.flip()));
    });
  }

  static void head(PeerChannel client, int number, int sequence, int bytes) throws IOException {
    ByteBuffer head = ByteBuffer.allocate(PeerProtocol.HEAD_BYTES);
    PeerProtocol.putHead(head, new PeerProtocol.Head(number, sequence, bytes, 0, 0));
    client.writeFully(head.flip());
  }

  int port() {
    return listener.socket().getLocalPort();
  }

  /** Stays silent until the test is over. */
  void staySilent() {
    try {
      closed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void acceptAll(Script script) {
    while (listener.isOpen()) {
      try {
        PeerChannel client = new PeerChannel("client", listener.accept(), watchdog);
        client.withoutDelay();
        open.add(client);
        Thread.ofPlatform().daemon().name("fake-peer-script").start(() -> play(script, client));
      } catch (IOException _) {
        // closed by the test
      }
    }
  }

  private void play(Script script, PeerChannel client) {
    try (client) {
      script.play(client);
    } catch (IOException _) {
      // the client hung up, which is for the test to judge
    } finally {
      open.remove(client);
    }
  }

  @Override
  public void close() throws IOException {
    closed.countDown();
    listener.close();
    open.forEach(PeerChannel::close);
    watchdog.close();
  }
}

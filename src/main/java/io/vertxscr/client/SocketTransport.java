package io.vertxscr.client;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.protocol.Frames;
import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.json.JsonText;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Calls over the Unix socket of the node, for plain processes. No Vert.x instance: one channel and one daemon thread,
 * which reads the answers and completes the calls.
 *
 * <p>The channel never blocks: an interrupt of a thread that writes to a blocking channel closes it, and so would
 * end the run for all ranks. A call is written by the thread that makes it; what the socket does not take at once, the
 * thread that reads sends later. It is bounded by the calls in flight ({@link Limits#MAX_CALLS_IN_FLIGHT}).
 *
 * <p>A call may wait for other ranks for hours, so only the daemon's silence ends it: while calls wait, the daemon is
 * pinged after each {@value #TICK_MS} ms without a byte, which it answers at once; after {@value #SILENT_TICKS} in a
 * row it is given up. Ticks are counted, because a process that was stopped itself has missed one of them at most.
 */
public final class SocketTransport implements Transport {
  private static final int READ_BYTES = 16 * 1024;
  private static final long TICK_MS = 7_500;
  private static final int SILENT_TICKS = 4;
  private static final byte[] PING_FRAME = JsonText.write(Map.of("type", Frames.PING));

  private final Path path;
  private final long tickMs;
  private final SocketChannel channel;
  private final Selector selector;
  private final SelectionKey key;
  private final PendingCalls pending = new PendingCalls();
  /** Unsent buffers, the first perhaps partly sent; also the lock of all writes. */
  private final Queue<ByteBuffer> unsent = new ArrayDeque<>();
  private ByteBuffer received = ByteBuffer.allocate(READ_BYTES).flip();
  /** Ticks without a byte while calls waited, the first perhaps only for its end. */
  private int quiet;
  private long tickEndNs;
  /** Who has answered, as far as the answers say. */
  private String node = "";

  private SocketTransport(Path path, long tickMs, SocketChannel channel, Selector selector) throws IOException {
    this.path = path;
    this.tickMs = tickMs;
    this.tickEndNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(tickMs);
    this.channel = channel;
    this.selector = selector;
    channel.configureBlocking(false);
    key = channel.register(selector, SelectionKey.OP_READ);
  }

  /**
   * Connects to the daemon.
   *
   * @throws ScrException {@link Fault#NODE_LOST} if no daemon listens there, or takes the connection within half a
   *     minute, {@link Fault#BAD_CONFIGURATION} if the path is too long for a socket, {@link Fault#NOT_AUTHORIZED} if
   *     another user's process listens
   */
  public static SocketTransport connect(Path socket) {
    return connect(socket, TICK_MS);
  }

  /** The same, with another length of a tick. */
  static SocketTransport connect(Path socket, long tickMs) {
    Addresses.socket(socket);
    SocketTransport transport;
    try {
      transport = new SocketTransport(socket, tickMs, open(socket), Selector.open());
    } catch (IOException e) {
      throw new ScrException(Fault.NODE_LOST, "no daemon listens on " + socket + ": " + e.getMessage(), e);
    }
    Thread.ofPlatform().daemon().name("scr-answers").start(transport::readAnswers);
    return transport;
  }

  private static SocketChannel open(Path socket) throws IOException {
    SocketChannel channel = DaemonDial.connect(socket, DaemonDial.MAX_MS);
    boolean ours = false;
    try {
      ours = PeerOwner.isOurs(channel);
    } finally {
      if (!ours) {
        channel.close();
      }
    }
    if (!ours) {
      throw new ScrException(
          Fault.NOT_AUTHORIZED, "the process that listens on " + socket + " belongs to another user");
    }
    return channel;
  }

  @Override
  public CompletableFuture<Map<String, Object>> request(Verb verb, Map<String, Object> body) {
    // The lock spans both steps, so that calls are written in the order of their numbers.
    synchronized (unsent) {
      PendingCalls.Call call = pending.open(verb);
      if (!call.answer().isDone()) {
        try {
          send(JsonText.write(Map.of("type", Frames.SEND, "address", Addresses.ofSocketOwner(verb),
              "replyAddress", Long.toString(call.id()), "body", body)));
        } catch (ScrException e) {
          pending.fail(call.id(), e);                      // it cannot be said, and does not wait
        }
      }
      return call.answer();
    }
  }

  @Override
  public void onClosed(Consumer<ScrException> listener) {
    pending.onEnd(listener);
  }

  @Override
  public void close() {
    pending.end(lost("closed by this process", null), false);
    disconnect();
  }

  private void send(byte[] frame) {
    unsent.add(ByteBuffer.allocate(Frames.LENGTH_BYTES + frame.length).putInt(frame.length).put(frame).flip());
    if (unsent.size() == 1) {
      sendUnsent();
    }
  }

  /** Sends as much as the socket takes, and has the reader go on with the rest; under the lock. */
  private void sendUnsent() {
    try {
      while (!unsent.isEmpty()) {
        if (channel.write(unsent.element()) == 0) {
          key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
          selector.wakeup();
          return;
        }
        if (!unsent.element().hasRemaining()) {
          unsent.remove();
        }
      }
      if (key.interestOps() != SelectionKey.OP_READ) {
        key.interestOps(SelectionKey.OP_READ);
      }
    } catch (IOException | CancelledKeyException _) {
      unsent.clear();                                     // the reader gets the last answers, maybe why, then the end
    }
  }

  private void readAnswers() {
    try {
      while (true) {
        onFrame(readFrame());
      }
    } catch (ClosedChannelException | ClosedSelectorException | CancelledKeyException e) {
      pending.end(lost("closed by this process", e), true);
    } catch (EOFException e) {
      pending.end(lost("ended: the daemon stopped or died", e), true);
    } catch (IOException e) {
      pending.end(lost("failed: " + e.getMessage(), e), true);
    } catch (ScrException e) {
      pending.end(e, true);
    } catch (RuntimeException e) {                         // a field of another type, or null
      pending.end(lost("carried a frame that cannot be read: " + e.getMessage(), e), true);
    } finally {
      disconnect();
    }
  }

  private void onFrame(Map<String, Object> frame) throws IOException {
    String address = (String) frame.get("address");
    String type = String.valueOf(frame.get("type"));
    switch (type) {
      case Frames.MESSAGE -> {
        Map<String, Object> body = body(frame);
        node = body.get("node") instanceof String name ? name : node;
        pending.succeed(Long.parseLong(address), body);
      }
      case Frames.PONG -> {
        // Its bytes were the sign of life.
      }
      case Frames.ERROR -> {
        ScrException failure = new ScrException(
            Fault.of((int) frame.getOrDefault("failureCode", Fault.INTERNAL.number())),
            (String) frame.getOrDefault("message", "the daemon gave no reason"));
        if (address == null) {
          throw failure;
        }
        pending.fail(Long.parseLong(address), failure);
      }
      default -> throw new IOException("a frame of type " + type);
    }
  }

  @SuppressWarnings("unchecked")                         // the keys of every map of JsonText are text
  private static Map<String, Object> body(Map<String, Object> frame) {
    return (Map<String, Object>) frame.getOrDefault("body", Map.of());
  }

  private Map<String, Object> readFrame() throws IOException {
    fill(Frames.LENGTH_BYTES);
    int bytes = received.getInt();
    if (bytes < 1 || bytes > Limits.MAX_MESSAGE_BYTES) {
      throw new IOException("a frame of " + bytes + " bytes");
    }
    fill(bytes);
    byte[] json = new byte[bytes];
    received.get(json);
    try {
      return JsonText.read(json);
    } catch (ScrException e) {
      throw new IOException("a frame that is " + e.getMessage(), e);
    }
  }

  /** Reads until so many bytes are there; the buffer grows with the largest frame. */
  private void fill(int bytes) throws IOException {
    if (received.remaining() >= bytes) {
      return;
    }
    if (received.capacity() < bytes) {
      received = ByteBuffer.allocate(Math.max(bytes, 2 * received.capacity())).put(received);
    } else {
      received.compact();
    }
    while (received.position() < bytes) {
      int read = channel.read(received);
      if (read < 0) {
        throw new EOFException();
      }
      if (read == 0) {
        awaitSocket();
      } else {
        quiet = 0;
      }
    }
    received.flip();
  }

  /** Waits until there is something to read; meanwhile sends what is to be sent, as the socket takes it. */
  private void awaitSocket() throws IOException {
    long leftNs = tickEndNs - System.nanoTime();
    if (leftNs <= 0) {
      tickEndNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(tickMs);
      onTick();
      return;
    }
    selector.select(ready -> {
      if (ready.isWritable()) {
        synchronized (unsent) {
          sendUnsent();
        }
      }
    }, TimeUnit.NANOSECONDS.toMillis(leftNs) + 1);
  }

  private void onTick() {
    quiet = pending.isEmpty() ? 0 : quiet + 1;
    if (quiet >= SILENT_TICKS) {
      throw lost("was given up: the daemon" + (node.isEmpty() ? "" : " of node " + node) + " has been silent for "
          + tickMs * SILENT_TICKS / 1000.0 + " s while " + pending.verbs()
          + " waited for an answer, and answers no ping; it is stopped or hangs", null);
    }
    if (!pending.isEmpty()) {
      synchronized (unsent) {
        if (unsent.isEmpty()) {                           // else the socket takes nothing
          send(PING_FRAME);
        }
      }
    }
  }

  private void disconnect() {
    try {
      channel.close();
      selector.close();
    } catch (IOException _) {
      // It is gone either way.
    }
  }

  private ScrException lost(String how, Exception cause) {
    return new ScrException(Fault.NODE_LOST, "the connection to the node's daemon at " + path + " " + how, cause);
  }
}

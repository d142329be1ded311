package io.vertxscr.cluster.peer;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.redundancy.range.RangeStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The client's end of one answer.
 *
 * <p>The last byte of a frame is handed out only after the head behind it was read, because that head may say that the
 * frame was filled up with zeros.
 */
final class PeerStream implements RangeStream {
  private enum State { OPEN, ENDED, BROKEN, CLOSED }

  private final ConnectionPool pool;
  private final PeerChannel connection;
  private final RangeRequest request;
  private final int number;
  private final int silenceMs;
  private final ByteBuffer head = ByteBuffer.allocate(PeerProtocol.HEAD_BYTES);
  private State state = State.OPEN;
  private int sequence;
  private int frameLeft;
  private long left;

  PeerStream(ConnectionPool pool, PeerChannel connection, RangeRequest request, int number, int silenceMs) {
    this.pool = pool;
    this.connection = connection;
    this.request = request;
    this.number = number;
    this.silenceMs = silenceMs;
    this.left = request.bytes();
  }

  /** Waits for the peer's first word. @throws IOException to be judged by the caller, who knows the connection */
  void awaitStart() throws IOException {
    connection.watch().limitSilence(silenceMs);
    PeerProtocol.Head start = readHead();
    if (start.bytes() != 0) {
      throw corrupt("data before the start of its answer");
    }
    nextFrame();
    connection.watch().noLimit();
  }

  @Override
  public void read(ByteBuffer into) {
    if (state == State.CLOSED || state == State.BROKEN) {
      throw new IllegalStateException("the stream of the " + what() + " is " + state);
    }
    if (into.remaining() > left) {
      throw new IllegalArgumentException(into.remaining() + " bytes asked for, " + left + " left of the " + what());
    }
    try {
      fill(into);
    } catch (IOException e) {
      state = State.BROKEN;
      throw connection.failure(e,
          "after " + (request.bytes() - left) + " of " + request.bytes() + " bytes of the " + what());
    } catch (ScrException e) {
      state = State.BROKEN;
      throw e;
    }
  }

  @Override
  public void close() {
    if (state == State.ENDED) {
      pool.park(request.node(), connection);
    } else if (state != State.CLOSED) {
      pool.drop(request.node(), connection);
    }
    state = State.CLOSED;
  }

  private void fill(ByteBuffer into) throws IOException {
    // Silence of the peer counts only during a read: between reads the caller may be waiting elsewhere.
    connection.watch().limitSilence(silenceMs);
    int end = into.limit();
    while (into.hasRemaining()) {
      int part = Math.min(frameLeft, into.remaining());
      connection.readFully(into.limit(into.position() + part));
      into.limit(end);
      frameLeft -= part;
      left -= part;
      if (frameLeft == 0) {
        nextFrame();
      }
    }
    connection.watch().noLimit();
  }

  /** Reads the head of the next frame, or the one that ends the answer. */
  private void nextFrame() throws IOException {
    PeerProtocol.Head next = readHead();
    if (next.bytes() > left || (next.bytes() == 0) != (left == 0)) {
      throw corrupt("a frame of " + next.bytes() + " bytes where " + left + " are missing");
    }
    frameLeft = next.bytes();
    if (left == 0) {
      state = State.ENDED;
    }
  }

  private PeerProtocol.Head readHead() throws IOException {
    connection.readFully(head.clear());
    PeerProtocol.Head next;
    try {
      next = PeerProtocol.getHead(head.flip());
    } catch (ScrException e) {
      throw corrupt(e.getMessage());
    }
    if (next.number() != number || next.sequence() != sequence++) {
      throw corrupt("frame " + next.sequence() + " of answer " + next.number() + " instead of frame " + (sequence - 1)
          + " of answer " + number);
    }
    if (next.status() != 0) {
      byte[] text = new byte[next.textBytes()];
      connection.readFully(ByteBuffer.wrap(text));
      throw new ScrException(Fault.of(next.status()),
          "node " + request.node() + ": " + new String(text, StandardCharsets.UTF_8));
    }
    return next;
  }

  private ScrException corrupt(String what) {
    return new ScrException(Fault.CORRUPT,
        "node " + request.node() + " breaks the protocol of peers: " + what + ", for the " + what());
  }

  private String what() {
    return PeerProtocol.name(request.kind(), request.rank(), request.datasetId());
  }
}

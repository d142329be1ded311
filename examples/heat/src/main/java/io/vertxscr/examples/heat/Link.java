package io.vertxscr.examples.heat;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * The connection to one neighbour. A message is the step (u64) and, in an exchange, one row of doubles after it, all
 * big-endian; both sides always know which message comes next, so that it needs no length.
 */
final class Link implements Closeable {
  private final SocketChannel channel;
  private final SelectionKey key;
  private final Ends ends;
  private final ByteBuffer out;
  private final ByteBuffer in;

  /**
   * @param own this rank
   * @param neighbour the rank at the other end
   * @param sent row of the field that the neighbour needs
   * @param filled row of the field that it sends: a halo row of this rank's block
   */
  record Ends(int own, int neighbour, int sent, int filled) {}

  Link(SocketChannel channel, Selector selector, Ends ends, int size) throws IOException {
    this.channel = channel;
    this.ends = ends;
    channel.configureBlocking(false);
    key = channel.register(selector, 0);
    int bytes = Math.addExact(Long.BYTES, Math.multiplyExact(size, Double.BYTES));
    out = ByteBuffer.allocateDirect(bytes).limit(0);
    in = ByteBuffer.allocateDirect(bytes).limit(0);
  }

  void startExchange(Block block) {
    out.clear().putLong(block.step()).asDoubleBuffer().put(block.row(ends.sent()));
    out.rewind();
    in.clear();
  }

  void endExchange(Block block) throws IOException {
    checkStep(block.step());
    block.row(ends.filled()).put(in.slice(Long.BYTES, in.limit() - Long.BYTES).asDoubleBuffer());
  }

  void startSend(long step) {
    out.clear().putLong(step).flip();
  }

  void startReceive() {
    in.clear().limit(Long.BYTES);
  }

  void checkStep(long step) throws IOException {
    long found = in.getLong(0);
    if (found != step) {
      throw new IOException("rank " + ends.own() + " is at step " + step + ", its neighbour rank " + ends.neighbour()
          + " at step " + found + ": they did not start from the same checkpoint");
    }
  }

  /** Moves what can be moved without waiting; says whether all is done, and what to wait for where not. */
  boolean move(String when) throws IOException {
    try {
      if (out.hasRemaining()) {
        channel.write(out);
      }
      if (in.hasRemaining() && channel.read(in) < 0) {
        throw new NeighbourLostException(lost(when) + " ended its connection");
      }
    } catch (ClosedByInterruptException | NeighbourLostException e) {
      throw e;
    } catch (IOException e) {
      throw new NeighbourLostException(lost(when) + " is lost: " + e.getMessage(), e);
    }
    key.interestOps((out.hasRemaining() ? SelectionKey.OP_WRITE : 0) | (in.hasRemaining() ? SelectionKey.OP_READ : 0));
    return done();
  }

  boolean done() {
    return !out.hasRemaining() && !in.hasRemaining();
  }

  /** Beginning of a sentence about the neighbour's end. */
  String lost(String when) {
    return "rank " + ends.own() + ", " + when + ": neighbour rank " + ends.neighbour();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}

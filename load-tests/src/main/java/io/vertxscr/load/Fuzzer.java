package io.vertxscr.load;

import io.vertxscr.load.Doors.Door;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Sends hostile frames to a port of a daemon, some over each connection, and waits for the end of each: the next one
 * begins when the daemon has dealt with the last. Or opens connections and is silent.
 */
public final class Fuzzer {
  private static final int FRAMES_OF_CONNECTION = 8;
  private static final int PATIENCE_MS = 30_000;
  private static final int CONNECTIONS_OF_ADDRESS = 20_000;

  /**
   * Result of an attack.
   *
   * @param frames that were sent, as far as the daemon read them
   * @param connections that were opened
   * @param cut connections that the daemon ended before all was sent
   */
  public record Sent(long frames, long connections, long cut) {}

  private Fuzzer() {}

  /** Sends so many frames. @throws LoadException where the daemon leaves a connection open that has been ended */
  public static Sent send(Doors doors, Door door, long frames, long seed) throws IOException {
    HostileFrames hostile = new HostileFrames(door, seed);
    long connections = 0;
    long cut = 0;
    try (Selector selector = Selector.open()) {
      for (long left = frames; left > 0; left -= FRAMES_OF_CONNECTION) {
        Deque<ByteBuffer> next = new ArrayDeque<>();
        for (int i = 0; i < Math.min(left, FRAMES_OF_CONNECTION); i++) {
          next.add(ByteBuffer.wrap(hostile.next()));
        }
        connections++;
        cut += toItsEnd(doors.at(door), next, selector) ? 0 : 1;
      }
    }
    return new Sent(frames, connections, cut);
  }

  /** Writes all, says that this was all, and reads to the end. Returns whether all could be written. */
  private static boolean toItsEnd(SocketAddress to, Deque<ByteBuffer> frames, Selector selector) throws IOException {
    ByteBuffer answer = ByteBuffer.allocate(1 << 16);
    try (SocketChannel channel = SocketChannel.open(to)) {
      channel.configureBlocking(false);
      SelectionKey key = channel.register(selector, SelectionKey.OP_READ | SelectionKey.OP_WRITE);
      while (channel.read(answer.clear()) >= 0) {
        while (!frames.isEmpty() && (channel.write(frames.peek()) > 0 || !frames.peek().hasRemaining())) {
          if (!frames.peek().hasRemaining()) {
            frames.remove();
          }
        }
        if (frames.isEmpty() && (key.interestOps() & SelectionKey.OP_WRITE) != 0) {
          channel.shutdownOutput();
          key.interestOps(SelectionKey.OP_READ);
        }
        if (selector.select(PATIENCE_MS) == 0) {
          throw new LoadException("an ended connection to " + to + " is kept open");
        }
        selector.selectedKeys().clear();
      }
    } catch (IOException _) {
      return false;                                       // reset
    } finally {
      selector.selectNow();
    }
    return frames.isEmpty();
  }

  /** Opens connections and is silent, or sends the first bytes of a frame. To be closed by the caller. */
  public static List<SocketChannel> silent(Doors doors, Door door, int count, byte[] first) throws IOException {
    List<SocketChannel> opened = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boolean tcp = doors.at(door) instanceof InetSocketAddress;
      opened.add(tcp ? SocketChannel.open() : SocketChannel.open(doors.at(door)));
      SocketChannel channel = opened.getLast();
      if (tcp) {
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);         // so that no port is kept after its end
        channel.bind(new InetSocketAddress(
            InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) (2 + i / CONNECTIONS_OF_ADDRESS)}), 0));
        channel.connect(doors.at(door));
      }
      try {
        channel.write(ByteBuffer.wrap(first));
      } catch (IOException _) {
        // It has been ended already.
      }
    }
    return opened;
  }
}

package io.vertxscr.examples.heat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * First message between two neighbours. The upper one connects and identifies itself in four big-endian words: a magic
 * number, the size of the field, the number of ranks, its rank. A stranger's connection is dropped.
 */
final class Hello {
  private static final int MAGIC = 0x48454154;
  private static final int BYTES = 4 * Integer.BYTES;
  private static final int STRANGER_MS = 2_000;

  private final HeatOptions options;
  private final Deadline deadline;

  Hello(HeatOptions options, Deadline deadline) {
    this.options = options;
    this.deadline = deadline;
  }

  SocketChannel connect(int neighbour, InetSocketAddress address) throws IOException {
    SocketChannel channel = SocketChannel.open();
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.socket().connect(address, (int) deadline.remainingMs());
      ByteBuffer hello = ByteBuffer.allocate(BYTES);
      hello.putInt(MAGIC).putInt(options.problem().size()).putInt(options.ranks()).putInt(options.rank()).flip();
      while (hello.hasRemaining()) {
        channel.write(hello);
      }
      return channel;
    } catch (ClosedByInterruptException e) {
      throw e;
    } catch (IOException e) {
      channel.close();
      throw new NeighbourLostException("rank " + options.rank() + " cannot reach rank " + neighbour + " at " + address
          + ": " + e.getMessage(), e);
    }
  }

  /** Waits for the neighbour above. */
  SocketChannel accept(ServerSocketChannel server) throws IOException {
    while (true) {
      Socket socket = acceptAny(server);
      try {
        if (greets(socket)) {
          socket.setTcpNoDelay(true);
          return socket.getChannel();
        }
      } catch (SocketTimeoutException _) {
        // A peer that connects and says nothing is not the neighbour.
      } catch (IOException e) {
        socket.close();
        throw e;
      }
      socket.close();
    }
  }

  private Socket acceptAny(ServerSocketChannel server) throws IOException {
    try {
      server.socket().setSoTimeout((int) deadline.remainingMs());
      return server.socket().accept();
    } catch (SocketTimeoutException e) {
      throw new NeighbourLostException("rank " + options.rank() + ": neighbour rank " + (options.rank() - 1)
          + " has not connected " + deadline, e);
    }
  }

  /** Whether it is the neighbour; refuses one that computes something else. */
  private boolean greets(Socket socket) throws IOException {
    socket.setSoTimeout((int) Math.min(STRANGER_MS, deadline.remainingMs()));
    byte[] bytes = socket.getInputStream().readNBytes(BYTES);
    ByteBuffer hello = ByteBuffer.wrap(bytes);
    if (bytes.length < BYTES || hello.getInt() != MAGIC) {
      return false;
    }
    int size = hello.getInt();
    int ranks = hello.getInt();
    int rank = hello.getInt();
    if (size != options.problem().size() || ranks != options.ranks() || rank != options.rank() - 1) {
      throw new IOException("rank " + options.rank() + " of " + options.ranks() + ", size " + options.problem().size()
          + ", was called by rank " + rank + " of " + ranks + ", size " + size + ": their options disagree");
    }
    return true;
  }
}

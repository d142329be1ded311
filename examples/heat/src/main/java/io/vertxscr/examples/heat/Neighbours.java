package io.vertxscr.examples.heat;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * A rank's connections to the rank above (rank - 1) and below (rank + 1). Used by the rank's thread alone.
 *
 * <p>Every wait is bounded by the options' timeout, also that for room to send: the channels never block, and sending
 * and receiving to both sides go on together, so that no order of calls can lock the ranks against each other. An
 * interrupt of the thread ends any wait.
 */
final class Neighbours implements Closeable {
  /** In place of a step: all ranks from the sender downwards have written their part of the final field. */
  private static final long WRITTEN = -1;

  private final HeatOptions options;
  private final Selector selector;
  private final List<Link> above = new ArrayList<>(1);
  private final List<Link> below = new ArrayList<>(1);
  private final List<Link> all = new ArrayList<>(2);

  private Neighbours(HeatOptions options) throws IOException {
    this.options = options;
    selector = Selector.open();
  }

  /** Finds both neighbours and connects to them. */
  static Neighbours join(HeatOptions options) throws IOException {
    Neighbours neighbours = new Neighbours(options);
    try {
      neighbours.connect();
      return neighbours;
    } catch (IOException e) {
      neighbours.close();
      throw e;
    }
  }

  private void connect() throws IOException {
    Deadline deadline = Deadline.in(options.timeoutMs());
    Rendezvous rendezvous = new Rendezvous(options.rendezvous());
    Hello hello = new Hello(options, deadline);
    int rank = options.rank();
    int first = options.rows().first();
    int end = options.rows().end();
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      if (rank > 0) {
        server.bind(new InetSocketAddress(InetAddress.getByName(options.host()), 0));
        rendezvous.publish(rank, (InetSocketAddress) server.getLocalAddress());
      }
      // Connecting does not wait for the other to accept, so all may connect first and accept then.
      if (rank < options.ranks() - 1) {
        SocketChannel channel = hello.connect(rank + 1, rendezvous.await(rank + 1, deadline));
        below.add(link(channel, new Link.Ends(rank, rank + 1, end - 1, end)));
      }
      if (rank > 0) {
        above.add(link(hello.accept(server), new Link.Ends(rank, rank - 1, first, first - 1)));
      }
    }
  }

  private Link link(SocketChannel channel, Link.Ends ends) throws IOException {
    Link link = new Link(channel, selector, ends, options.problem().size());
    all.add(link);
    return link;
  }

  /** Exchanges outer rows with the neighbours, which fill the halo rows. */
  void exchange(Block block) throws IOException {
    for (Link link : all) {
      link.startExchange(block);
    }
    transfer("step " + block.step());
    for (Link link : all) {
      link.endExchange(block);
    }
  }

  /** Announces that this rank has written its part; returns when all ranks below this one have as well. */
  void written() throws IOException {
    below.forEach(Link::startReceive);
    transfer("after the last step");
    for (Link link : below) {
      link.checkStep(WRITTEN);
    }
    above.forEach(link -> link.startSend(WRITTEN));
    transfer("after the last step");
  }

  private void transfer(String when) throws IOException {
    Deadline deadline = Deadline.in(options.timeoutMs());
    while (!moveAll(when)) {
      selector.select(_ -> {}, deadline.remainingMs());
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedIOException("rank " + options.rank() + ", " + when + ": interrupted");
      }
      if (deadline.passed() && !moveAll(when)) {
        throw silent(when, deadline);
      }
    }
  }

  private boolean moveAll(String when) throws IOException {
    boolean done = true;
    for (Link link : all) {
      done &= link.move(when);
    }
    return done;
  }

  private NeighbourLostException silent(String when, Deadline deadline) {
    Link link = all.stream().filter(l -> !l.done()).findFirst().orElseThrow();
    return new NeighbourLostException(link.lost(when) + " did not answer " + deadline);
  }

  @Override
  public void close() throws IOException {
    try (selector) {
      for (Link link : all) {
        link.close();
      }
    }
  }
}

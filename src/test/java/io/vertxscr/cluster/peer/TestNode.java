package io.vertxscr.cluster.peer;

import io.vertxscr.cluster.peer.PeerServer.ServerSettings;
import io.vertxscr.cluster.tls.Credentials;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.ScrException;
import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Common part of the tests in this package: a catalog of random files and the expected bytes. */
final class TestNode implements RangeCatalog {
  static final PeerSecurity SECURITY = new PeerSecurity(Credentials.ofOwn(), TrustedNetworks.NONE);
  /** Longer than any test. */
  static final PeerTimeouts PATIENT = new PeerTimeouts(60_000, 60_000, 60_000, 60_000);
  static final int DATASET = 7;
  static final int RANK = 3;

  final List<OpenRange.Piece> pieces = new ArrayList<>();
  final AtomicInteger open = new AtomicInteger();
  byte[] content = new byte[0];

  /** Creates one file for each length, with some bytes before and after that must not be served. */
  TestNode(Path directory, Random random, int... lengths) throws IOException {
    for (int length : lengths) {
      int before = random.nextInt(3);
      byte[] file = new byte[before + length + random.nextInt(3)];
      random.nextBytes(file);
      Path path = Files.write(directory.resolve("file." + pieces.size()), file);
      pieces.add(new OpenRange.Piece(path, before, length));
      content = ByteBuffer.allocate(content.length + length).put(content).put(file, before, length).array();
    }
  }

  @Override
  public OpenRange open(int datasetId, int rank, RangeRequest.RangeKind kind) {
    if (datasetId != DATASET) {
      throw new ScrException(Fault.NO_SUCH_DATASET, "dataset " + datasetId + " is not in the cache");
    }
    if (rank == RANK + 1) {
      throw new IllegalStateException("a bug in the catalog");
    }
    if (rank != RANK) {
      throw new ScrException(Fault.UNKNOWN_RANK, "rank " + rank + " is not on node n1");
    }
    open.incrementAndGet();
    return new OpenRange() {
      @Override
      public List<Piece> pieces() {
        return pieces;
      }

      @Override
      public boolean zerosBehind() {
        return kind == RangeRequest.RangeKind.FILES;
      }

      @Override
      public void close() {
        open.decrementAndGet();
      }
    };
  }

  PeerServer serve(PeerTimeouts timeouts, int maxConnections) {
    return new PeerServer(new ServerSettings("n1", "127.0.0.1", 0, SECURITY, timeouts, maxConnections), this);
  }

  /** With a watchdog for which time goes by when the test says so. */
  PeerServer serve(PeerWatchdog watchdog, int maxConnections) {
    return new PeerServer(
        new ServerSettings("n1", "127.0.0.1", 0, SECURITY, PATIENT, maxConnections), this, watchdog);
  }

  static PeerClient client(int port, PeerTimeouts timeouts) {
    return new PeerClient(SECURITY, node -> info(node, port), timeouts);
  }

  /** With a watchdog for which time goes by when the test says so. */
  static PeerClient client(int port, PeerWatchdog watchdog) {
    return new PeerClient(SECURITY, node -> info(node, port), PATIENT, watchdog);
  }

  /** Lets time go by until it is so: a step, a look, and again. */
  static void ticksUntil(PeerWatchdog watchdog, String what, BooleanSupplier condition) throws Exception {
    Eventually.holds(what, () -> {
      watchdog.tick();
      return condition.getAsBoolean();
    });
  }

  /** The server gives its files back soon after a connection has ended. */
  static void awaitNoneOpen(TestNode node) throws Exception {
    Eventually.holds("files are given back", () -> node.open.get() == 0);
  }

  static NodeInfo info(String node, int port) {
    return new NodeInfo(node, "host", "127.0.0.1", port);
  }

  static RangeRequest files(long offset, long bytes) {
    return new RangeRequest("n1", DATASET, RANK, RangeRequest.RangeKind.FILES, offset, bytes);
  }

  static RangeRequest redundancy(long offset, long bytes) {
    return new RangeRequest("n1", DATASET, RANK, RangeRequest.RangeKind.REDUNDANCY, offset, bytes);
  }

  /** Reads a range to its end, in reads of at most this size. */
  static byte[] readAll(PeerClient client, RangeRequest request, int pieceBytes) {
    ByteBuffer bytes = ByteBuffer.allocateDirect((int) request.bytes());
    try (var stream = client.open(request)) {
      while (bytes.position() < bytes.capacity()) {
        stream.read(bytes.limit(Math.min(bytes.capacity(), bytes.position() + pieceBytes)));
      }
    }
    byte[] read = new byte[bytes.capacity()];
    bytes.flip().get(read);
    return read;
  }

  /** Returns the expected bytes of {@link #files}. */
  byte[] expected(long offset, long bytes) {
    byte[] expected = new byte[(int) bytes];
    int from = (int) Math.min(offset, content.length);
    System.arraycopy(content, from, expected, 0, (int) Math.min(bytes, content.length - from));
    return expected;
  }
}

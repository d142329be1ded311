package io.vertxscr.node;

import io.vertx.core.Future;
import io.vertxscr.cluster.StoreCatalog;
import io.vertxscr.cluster.peer.PeerClient;
import io.vertxscr.cluster.peer.PeerSecurity;
import io.vertxscr.cluster.peer.PeerServer;
import io.vertxscr.cluster.peer.PeerTimeouts;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.redundancy.range.RangeSource;
import io.vertxscr.service.Loop;
import io.vertxscr.storage.Trees;
import io.vertxscr.transfer.ThreadPriority;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node does while nobody needs it. It protects and rebuilds small checkpoints of its own making, by files and
 * over encrypted connections to itself, so that this code is compiled when a rank waits for a rebuild, or for its first
 * checkpoint: a JVM that has done nothing else takes three times as long for the first one. A spare does so until a
 * rank comes; a node whose ranks compute does so at a low priority, until they call. On the node's loop.
 */
final class WarmUp {
  /** How long nobody has needed the node. */
  static final int IDLE_MS = 5_000;
  private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);
  private static final int LARGE_BYTES = 4 << 20;
  private static final int ROUNDS = 2;
  /** Free bytes of the store beside ranks: what is made here must not be what they lack. */
  private static final long ROOM_BYTES = 1L << 30;
  private static final String HOST = "127.0.0.1";

  private final Loop loop;
  private final NodeResources ground;
  private final BooleanSupplier unused;
  /** What the thread of a job beside ranks does first; empty: it is one for transfers. */
  private final Optional<Runnable> beside;
  private final int largeBytes;

  private WarmUp(Loop loop, NodeResources ground, BooleanSupplier unused, Optional<Runnable> beside) {
    this(loop, ground, unused, beside, LARGE_BYTES);
  }

  /** The same with files of this size, for tests: what compiles nothing is enough there. */
  WarmUp(Loop loop, NodeResources ground, BooleanSupplier unused, Optional<Runnable> beside, int largeBytes) {
    this.loop = loop;
    this.ground = ground;
    this.unused = unused;
    this.beside = beside;
    this.largeBytes = largeBytes;
  }

  /** That of a spare. @param unused whether no rank has come yet */
  static WarmUp ofSpare(Loop loop, NodeResources ground, BooleanSupplier unused) {
    return new WarmUp(loop, ground, unused, Optional.empty());
  }

  /** That of a node with ranks, on threads of a low priority. @param idle whether none of them needs it now */
  static WarmUp besideRanks(Loop loop, NodeResources ground, BooleanSupplier idle) {
    return new WarmUp(loop, ground, idle, Optional.of(ThreadPriority::lower));
  }

  /** One thing to do, on a thread. */
  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }

  /** Completes when it is done, or when somebody needs the node; whatever fails is only logged. */
  Future<Void> run() {
    long sinceNs = loop.nanoTime();
    return job("begin to warm up", this::begin).compose(exercise ->
        all(exercise.steps(), 0).eventually(() -> job("end to warm up", () -> {
          exercise.close();
          return null;
        }))).map(done -> {
          LOG.info("warmed up: {} steps in {} ms", done, (loop.nanoTime() - sinceNs) / 1_000_000);
          return (Void) null;
        }).otherwise(failure -> {
          LOG.debug("the warm-up ends early", failure);
          return null;
        });
  }

  private <T> Future<T> job(String what, Callable<T> work) {
    return beside.isEmpty() ? loop.blocking(what, work) : loop.aside(what, () -> {
      beside.get().run();
      return work.call();
    });
  }

  private Exercise begin() throws IOException {
    NodeOptions options = ground.options();
    String base = options.settings().cache().cacheBase().toString();
    Path directory = ground.store().scratch(base, "warm-up");
    if (beside.isPresent() && ground.store().freeBytes(base) < ROOM_BYTES) {
      throw new ScrException(Fault.NO_SPACE, "the store has no room for a rehearsal");
    }
    Trees.delete(directory);
    return new Exercise(new SampleCaches(directory, largeBytes), options.security(), directory);
  }

  /** Returns how many were done. */
  private Future<Integer> all(List<Step> steps, int done) {
    if (done == steps.size() || !unused.getAsBoolean()) {
      return Future.succeededFuture(done);
    }
    return job("warm up", () -> {
      steps.get(done).run();
      return null;
    }).compose(_ -> all(steps, done + 1));
  }

  /** The nodes of the sample, each with a peer port. */
  private static final class Exercise {
    private final SampleCaches caches;
    private final Path directory;
    private final Map<String, PeerServer> servers = new HashMap<>();
    private final PeerClient peers;
    private int datasets;

    Exercise(SampleCaches caches, PeerSecurity security, Path directory) {
      this.caches = caches;
      this.directory = directory;
      try {
        caches.stores().forEach((node, store) -> servers.put(node, new PeerServer(
            new PeerServer.ServerSettings(node, HOST, 0, security), new StoreCatalog(store))));
      } catch (ScrException e) {
        servers.values().forEach(PeerServer::close);
        throw e;
      }
      peers = new PeerClient(security, node -> new NodeInfo(node, node, HOST, servers.get(node).port(),
          security.credentials().fingerprint()), PeerTimeouts.DEFAULT);
    }

    List<Step> steps() {
      List<Step> steps = new ArrayList<>();
      for (int round = 0; round < ROUNDS; round++) {
        for (RangeSource source : List.of(caches.files(), peers)) {
          steps.add(() -> rehearse(Redundancy.of(Scheme.XOR, SampleCaches.NODES), source));
        }
      }
      steps.add(() -> rehearse(new Redundancy(Scheme.RS, SampleCaches.NODES, 2), caches.files()));
      return steps;
    }

    private void rehearse(Redundancy how, RangeSource source) throws IOException {
      int id = ++datasets;
      caches.checkpoint(id, "warm-up-" + id, how, source);
      for (int rank = 0; rank < SampleCaches.NODES; rank++) {
        caches.rebuild(id, rank, source);
      }
      caches.delete(id);
    }

    void close() throws IOException {
      peers.close();
      servers.values().forEach(PeerServer::close);
      Trees.delete(directory);
    }
  }
}

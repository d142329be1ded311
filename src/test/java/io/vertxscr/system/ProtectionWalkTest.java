package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.redundancy.range.RangeStream;
import io.vertxscr.service.RangeSources;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a node's death in encoding, or between sealing and filemap, leaves no complete dataset. No earlier checkpoint
 * is lost with it.
 *
 * <p>Method: the third checkpoint of a run. Within an encode: the node's n-th read of the dataset is held until the
 * node is dead, and then fails. Behind the seal: the draft of the filemap is a pipe, at which the node stands still
 * until it is dead. Its storage stays; it comes back on it, and the run is started again.
 */
class ProtectionWalkTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};
  private static final int THIRD = 3;
  private TestCluster cluster;
  private final CompletableFuture<Void> dead = new CompletableFuture<>();
  private final Set<String> heldThird = ConcurrentHashMap.newKeySet();

  @ParameterizedTest(name = "{0} dies at read {1} of its encode")
  @CsvSource({"n1, 1", "n1, 2", "n1, 3", "n3, 1", "n3, 2"})
  void aNodeThatDiesWithinAnEncodeLosesNothing(String victim, int read) throws Exception {
    open();
    AtomicInteger left = new AtomicInteger(read);
    cluster.nodes().disturb((node, sources) -> node.equals(victim) ? dyingAt(left, victim, sources) : sources);
    List.of(NODES).forEach(cluster.nodes()::start);
    checkpointsUntilDeath();

    assertThat(left.get()).isLessThanOrEqualTo(0);
    comesBackAndRestarts(victim);
  }

  @ParameterizedTest(name = "{0} dies at its filemap")
  @CsvSource({"n1", "n3"})
  void aNodeThatDiesBehindTheSealAndBeforeItsFilemapLosesNothing(String victim) throws Exception {
    open();
    List.of(NODES).forEach(cluster.nodes()::start);
    Path filemap = cluster.store(victim).directories().filemap(THIRD);
    Path draft = filemap.resolveSibling(filemap.getFileName() + ".draft");
    assertThat(new ProcessBuilder("mkfifo", draft.toString()).start().waitFor()).isZero();
    Thread killer = Thread.ofPlatform().start(() -> killAtFilemap(victim, draft));
    checkpointsUntilDeath();
    killer.join(TimeUnit.SECONDS.toMillis(EmbeddedRun.PATIENCE_S));

    assertThat(filemap).doesNotExist();
    assertThat(draft).doesNotExist();
    comesBackAndRestarts(victim);
  }

  private void open() throws Exception {
    cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR));
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  /** Writes checkpoints up to the third, in which every rank is told of the lost node, or has failed. */
  private void checkpointsUntilDeath() throws Exception {
    List<CompletableFuture<Object>> ranks = cluster.run(NODES).start(scr -> {
      for (int step = 1; step <= THIRD; step++) {
        RankProgram.checkpoint(scr, cluster.prefix(), step, 3);
      }
      return null;
    });
    for (CompletableFuture<Object> rank : ranks) {
      assertThat(EmbeddedRun.failure(rank)).isInstanceOfSatisfying(ScrException.class,
          e -> assertThat(e.fault()).as(e.getMessage()).isIn(Fault.NODE_LOST, Fault.RANK_LOST, Fault.STOPPING));
    }
    dead.get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
  }

  private void comesBackAndRestarts(String victim) throws Exception {
    cluster.nodes().start(victim);
    assertThat(cluster.held(victim)).contains(THIRD - 1).doesNotContain(THIRD);
    int step = cluster.steps(4, 4, NODES);
    // the others may have come to their filemaps, by then or later, and then the lost one can be rebuilt
    boolean others = Stream.of(NODES).filter(node -> !node.equals(victim)).allMatch(heldThird::contains);
    assertThat(step).isBetween(others ? THIRD : THIRD - 1, THIRD);
    cluster.lose(victim);
    cluster.nodes().start(victim);
    assertThat(cluster.restart(NODES)).isEqualTo(4);
  }

  private RangeSources dyingAt(AtomicInteger left, String victim, RangeSources sources) {
    return (layouts, ifDifferent) -> {
      var source = sources.of(layouts, ifDifferent);
      return request -> {
        RangeStream stream = source.open(request);
        return request.datasetId() == THIRD ? new Dying(stream, left, victim) : stream;
      };
    };
  }

  /** Reads until the moment has come. */
  private final class Dying implements RangeStream {
    private final RangeStream stream;
    private final AtomicInteger left;
    private final String victim;

    Dying(RangeStream stream, AtomicInteger left, String victim) {
      this.stream = stream;
      this.left = left;
      this.victim = victim;
    }

    @Override
    public void read(ByteBuffer into) {
      int now = left.decrementAndGet();
      if (now == 0) {
        die(victim);
      }
      if (now <= 0) {
        throw new ScrException(Fault.INTERNAL, "a dead node reads nothing");
      }
      stream.read(into);
    }

    @Override
    public void close() {
      stream.close();
    }
  }

  /** Starts to kill the node; returns when the others know, and its messages are dropped. */
  private void die(String victim) {
    String other = victim.equals(NODES[1]) ? NODES[0] : NODES[1];
    Thread.ofPlatform().daemon().name("kill").start(() -> {
      cluster.nodes().kill(victim);
      dead.complete(null);
    });
    try {
      cluster.await(victim + " to be gone", () -> !members(other).contains(victim));
      heldThird.addAll(Stream.of(NODES).filter(node -> !node.equals(victim) && cluster.held(node).contains(THIRD))
          .toList());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private List<?> members(String asked) {
    try {
      return cluster.status(asked).getJsonArray("nodes").getList();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private void killAtFilemap(String victim, Path draft) {
    try {
      cluster.await(victim + " to stand at its filemap", () -> isWritingFilemap(victim));
      die(victim);
      Files.readAllBytes(draft);                          // lets it go on, into the failure of its write
    } catch (Exception e) {
      dead.completeExceptionally(e);
    }
  }

  private boolean isWritingFilemap(String node) {
    return cluster.nodes().node(node).ground().engine().active().contains("seal dataset " + THIRD)
        && Thread.getAllStackTraces().entrySet().stream()
            .filter(thread -> thread.getKey().getName().startsWith("scr-" + node + "-transfer"))
            .anyMatch(thread -> Stream.of(thread.getValue())
                .anyMatch(frame -> frame.getClassName().endsWith(".AtomicFile")));
  }
}

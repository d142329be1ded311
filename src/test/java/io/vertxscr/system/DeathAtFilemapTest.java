package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.timing.Eventually;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a node that dies before its filemap is written leaves nothing that claims to be complete. It dies after the
 * sealing of its redundancy, and takes no earlier checkpoint with it.
 *
 * <p>Method: the third checkpoint of a run. The draft of the filemap is a pipe, at which the node stands still until it
 * is dead. Its storage stays; it comes back on it, and the run is started again.
 */
class DeathAtFilemapTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};
  private static final int THIRD = 3;
  private TestCluster cluster;
  private final CompletableFuture<Void> dead = new CompletableFuture<>();
  private final Set<String> heldThird = ConcurrentHashMap.newKeySet();

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

  /** Until the third checkpoint, in which every rank hears that a node is lost, or the last words of its own. */
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

  /** Begins to kill the node; returns when the others know, and nothing that it says is heard any more. */
  private void die(String victim) {
    String other = victim.equals(NODES[1]) ? NODES[0] : NODES[1];
    Thread.ofPlatform().daemon().name("kill").start(() -> {
      cluster.nodes().kill(victim);
      dead.complete(null);
    });
    try {
      Eventually.holds(victim + " to be gone", () -> !members(other).contains(victim));
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
      Eventually.holds(victim + " to stand at its filemap", () -> isWritingFilemap(victim));
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

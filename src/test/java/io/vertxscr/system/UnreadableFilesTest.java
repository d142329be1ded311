package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.CacheNames;
import io.vertxscr.protocol.app.OperatorRequest.OperatorVerb;
import io.vertxscr.protocol.app.OperatorRequest;
import io.vertxscr.protocol.node.scrub.ScrubAsk;
import io.vertxscr.simulation.VirtualCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: cached files that cannot be read for a while are not taken for lost. Method: nodes in virtual time; a loop of
 * symbolic links in the place of a rank's directory, an error of the operating system that passes.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class UnreadableFilesTest {
  private static final String[] ALL = {"n1", "n2", "n3", "n4"};
  private static final int RANK = 2;
  private static final String NODE = "n3";

  @TempDir
  Path directory;
  private VirtualCluster cluster;
  private VirtualRun run;

  /** A run that has written so many checkpoints, and has crashed. */
  private void written(int checkpoints, String... parameters) throws IOException {
    Map<String, String> all = new HashMap<>(Map.of("SCR_COPY_TYPE", "SINGLE", "SCR_FLUSH", "0", "SCR_CACHE_SIZE", "2",
        "SCR_SCRUB_SECONDS", "100000"));
    for (int i = 0; i < parameters.length; i += 2) {
      all.put(parameters[i], parameters[i + 1]);
    }
    cluster = VirtualClusters.in(new Random(Long.getLong("seed", 1)), directory.resolve("walk"), all);
    cluster.start(ALL);
    cluster.launch();
    run = new VirtualRun(cluster, ALL);
    stepsAndCrash(1, checkpoints);
    cluster.pass(Duration.ofSeconds(1));
  }

  private int stepsAndCrash(int first, int last) {
    Barrier crash = new Barrier(ALL.length);
    int from = run.all(session -> run.restart(session).compose(step ->
        run.checkpoints(session, first, last).compose(_ -> crash.meet()).map(step))).getFirst();
    cluster.launch();
    return from;
  }

  private Path files(int dataset) {
    return cluster.store(NODE).directory(dataset).resolve(CacheNames.directory(RANK));
  }

  private void fails(int dataset) throws IOException {
    Path files = files(dataset);
    Files.move(files, directory.resolve("aside"));
    Files.createSymbolicLink(files, files);
  }

  private void passes(int dataset) throws IOException {
    Files.delete(files(dataset));
    Files.move(directory.resolve("aside"), files(dataset));
  }

  private void scrubbed() {
    int before = cluster.bus().events("scrub-done").size();
    cluster.onLoop(NODE, () -> cluster.services(NODE).scrub().scrub(new ScrubAsk(true)));
    cluster.awaits("a scrub", () -> cluster.bus().events("scrub-done").size() > before);
    cluster.pass(Duration.ofSeconds(1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"ALWAYS", "CHANGED"})
  void noRunStartsWithoutTheOnlyCheckpointWhileTheyCannotBeRead(String verify) throws Exception {
    written(1, "SCR_VERIFY_ON_RESTART", verify);
    fails(1);
    for (Future<Integer> rank : run.start(run::restart)) {
      assertThat(cluster.await(rank).cause()).isInstanceOfSatisfying(ScrException.class, e -> {
        assertThat(e.fault()).isEqualTo(Fault.IO);
        assertThat(e).hasMessageContaining("step-1").hasMessageContaining("node " + NODE)
            .hasMessageContaining("symbolic links").hasMessageContaining("SCR_CACHE_PURGE=1");
      });
    }
    passes(1);
    cluster.launch();
    assertThat(stepsAndCrash(1, 0)).isEqualTo(1);
  }

  /** The scrub has met the error, and marked them. */
  @Test
  void whatCanBeReadAgainSinceTheScrubIsRestored() throws Exception {
    written(2);
    fails(2);
    scrubbed();
    assertThat(cluster.bus().events("damage-found")).isNotEmpty();
    passes(2);
    assertThat(stepsAndCrash(1, 0)).isEqualTo(2);
  }

  @Test
  void theirFlushIsTriedAgainAndArrivesWhenTheyCanBeRead() throws Exception {
    written(1);
    fails(1);
    assertThat(cluster.await(cluster.onLoop("n1", () -> cluster.services("n1").operators().ask(
        new OperatorRequest(OperatorVerb.FLUSH, 1)))).cause()).isNull();
    cluster.pass(Duration.ofSeconds(30));
    assertThat(cluster.bus().events("flush-failed")).isNotEmpty();
    assertThat(cluster.bus().events("flush-given-up")).isEmpty();
    passes(1);
    cluster.awaits("the flush", () -> cluster.store("n1").find(1).map(DatasetRecord::flush)
        .filter(FlushState.DONE::equals).isPresent());
  }
}

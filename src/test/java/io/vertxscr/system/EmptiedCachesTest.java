package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.client.ScrClient;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.protocol.app.OperatorRequest;
import io.vertxscr.protocol.app.OperatorRequest.OperatorVerb;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.simulation.VirtualSession;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: a run that empties the caches takes nothing that somebody wants flushed. Method: nodes in virtual time;
 * a dataset is wanted at any moment of the run's begin, or by one node alone. Replay with -Dseed=N.
 */
class EmptiedCachesTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};

  @TempDir
  Path directory;

  private VirtualCluster cluster;

  private void written(Random random) throws Exception {
    cluster = VirtualClusters.in(random, directory.resolve("caches"), Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "0"));
    cluster.start(NODES);
    new VirtualRun(cluster, NODES).steps(1, 1);
    cluster.launch();
  }

  private boolean isFlushed() {
    return VirtualClusters.index(cluster).entries().stream().anyMatch(Index.Entry::complete);
  }

  static LongStream seeds() {
    Long given = Long.getLong("seed");
    return given == null ? LongStream.rangeClosed(1, Long.getLong("seeds", 40)) : LongStream.of(given);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void whatIsWantedAtAnyMomentIsFlushedOrItsFlushIsRefused(long seed) throws Exception {
    Random random = new Random(seed);
    written(random);
    List<Future<Void>> ranks = new VirtualRun(cluster, Map.of("SCR_DISTRIBUTE", "0"), NODES)
        .start(VirtualSession::finish);
    cluster.pass(Duration.ofMillis(random.nextInt(250)));
    ScrClient operator = cluster.client("n2");
    Future<?> wanted = cluster.await(Future.fromCompletionStage(
        operator.operate(new OperatorRequest(OperatorVerb.FLUSH, 1))));
    ranks.forEach(cluster::answer);
    cluster.pass(Duration.ofMinutes(1));
    assertThat(isFlushed()).as("flushed; the answer: %s", wanted.cause()).isEqualTo(wanted.succeeded());
  }

  @ParameterizedTest
  @CsvSource({"SCR_DISTRIBUTE, 0", "SCR_CACHE_PURGE, 1"})
  void whatOneNodeWantsStaysOnAll(String parameter, String value) throws Exception {
    written(new Random(1));
    DatasetRecord held = cluster.store("n3").find(1).orElseThrow();
    cluster.store("n3").update(held.key(), record -> record.with(FlushState.WANTED));
    new VirtualRun(cluster, Map.of(parameter, value), NODES).all(VirtualSession::finish);
    cluster.pass(Duration.ofMinutes(1));
    assertThat(isFlushed()).isTrue();
  }
}

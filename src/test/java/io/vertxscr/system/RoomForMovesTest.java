package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.simulation.VirtualSession;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: ranks on other nodes than before lose nothing where these have no room for old and new parts. The newest
 * checkpoint is used nevertheless, or stays. Method: nodes in virtual time that have lost nothing, on a disk that takes
 * no more files of that checkpoint where it is.
 */
@Timeout(120)
class RoomForMovesTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};
  private static final String[] TURNED = {"n2", "n3", "n4", "n1"};

  private final FaultyDisk disk = new FaultyDisk();
  private final List<String> remarks = new ArrayList<>();
  private VirtualCluster cluster;

  @BeforeEach
  void twoCheckpoints() throws IOException {
    cluster = VirtualClusters.in(new Random(Long.getLong("seed", 1)), disk.directory("/walk"),
        Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "0", "SCR_CACHE_SIZE", "2"), new LocalFiles(disk.system()));
    cluster.start(NODES);
    VirtualRun run = new VirtualRun(cluster, NODES);
    run.all(session -> run.checkpoints(session, 1, 2));   // and dies
    cluster.launch();
  }

  @AfterEach
  void close() throws IOException {
    disk.close();
  }

  /** @param prefixToo whether it has no room either */
  private void full(boolean prefixToo) {
    disk.trouble((_, what) -> {
      if (what.startsWith("write ") && (what.contains("/scr.dataset.2/.scr/draft.")
          || prefixToo && what.contains("/prefix/step-2/"))) {
        throw new IOException("No space left on device");
      }
    });
  }

  private int restarts(Map<String, String> environment, String... nodes) {
    VirtualRun run = new VirtualRun(cluster, environment, nodes);
    List<Integer> from = run.all(session -> run.restart(session).map(step -> {
      remarks.addAll(session.remarks());
      return step;
    }));
    assertThat(from).containsOnly(from.getFirst());
    cluster.launch();
    return from.getFirst();
  }

  private void hasRoomAgain() {
    disk.trouble(FaultyDisk.Trouble.NONE);
    assertThat(restarts(Map.of(), NODES)).as("what has stayed in the caches").isEqualTo(2);
  }

  /** They would take room that nobody counts. */
  @Test
  void whatNobodyNeedsWhereItWasIsDeletedThere() {
    VirtualRun run = new VirtualRun(cluster, TURNED);
    run.all(session -> run.restart(session).compose(step -> {
      assertThat(step).isEqualTo(2);
      return cluster.later(60_000);                       // all are protected again by then
    }));
    for (int rank = 0; rank < NODES.length; rank++) {
      assertThat(cluster.store(TURNED[rank]).directory(2, rank)).isDirectory();
      assertThat(cluster.store(NODES[rank]).directory(2, rank)).doesNotExist();
    }
  }

  /** In place, too: the flush renames files before the run has its turn to read there. */
  @ParameterizedTest
  @ValueSource(strings = {"0", "1"})
  void itIsFlushedAndFetched(String inPlace) {
    full(false);
    assertThat(restarts(Map.of("SCR_FETCH_BYPASS", inPlace), TURNED)).isEqualTo(2);
    assertThat(remarks).anySatisfy(remark -> assertThat(remark)
        .contains("dataset 2 \"step-2\" was flushed to " + cluster.prefix(), "No space left"));
    assertThat(VirtualClusters.index(cluster).find(2)).isPresent();
  }

  /** All that was in the caches is in the prefix directory. */
  private void losesTheCachesAndHasNoRoomFor(String what) {
    VirtualRun run = new VirtualRun(cluster, Map.of("SCR_FLUSH", "1", "SCR_FLUSH_ON_RESTART", "1"), NODES);
    run.all(VirtualSession::finish);
    cluster.loseCaches(NODES);
    cluster.launch();
    disk.trouble((_, operation) -> {
      if (operation.startsWith("write ") && operation.contains(what)) {
        throw new IOException("No space left on device");
      }
    });
  }

  @Test
  void whereNoneHasRoomARunIsRefusedWithWhatHelps() {
    losesTheCachesAndHasNoRoomFor(".draft/");
    VirtualRun run = new VirtualRun(cluster, NODES);
    assertThat(run.start(session -> run.restart(session)).stream().map(cluster::await)).allSatisfy(rank ->
        assertThat(rank.cause()).hasMessageContaining("dataset 2 \"step-2\"")
            .hasMessageContaining("with SCR_FETCH_BYPASS=1, by which ranks read it there"));
    cluster.launch();
    assertThat(restarts(Map.of("SCR_FETCH_BYPASS", "1"), NODES)).isEqualTo(2);
  }

  /** What was written there, as the caches had no room for it, has none when it is fetched. */
  @ParameterizedTest
  @CsvSource({"REFUSE, 1", "BYPASS, 2"})
  void itIsReadInThePrefixDirectoryWhereDatasetsWithoutRoomAreWrittenThere(String full, int step) {
    losesTheCachesAndHasNoRoomFor("/scr.dataset.2.draft/");
    assertThat(restarts(Map.of("SCR_CACHE_FULL", full), NODES)).isEqualTo(step);
    assertThat(remarks).anySatisfy(remark -> assertThat(remark).contains("dataset 2 \"step-2\"", "No space left",
        step == 2 ? " is read in " + cluster.prefix() : "was passed over"));
  }

  @Test
  void anOlderOneIsUsedWhereThatHasNoRoomEither() {
    full(true);
    assertThat(restarts(Map.of(), TURNED)).isEqualTo(1);
    assertThat(remarks).anySatisfy(remark -> assertThat(remark)
        .contains("dataset 2 \"step-2\" of the caches was passed over", "and it cannot be flushed", "/prefix/step-2"));
    hasRoomAgain();
  }

  @Test
  void nothingIsFlushedForAProgramThatFetchesNothing() {
    full(false);
    assertThat(restarts(Map.of("SCR_FETCH", "0"), TURNED)).isEqualTo(1);
    assertThat(VirtualClusters.index(cluster).find(2)).isEmpty();
    hasRoomAgain();
  }
}

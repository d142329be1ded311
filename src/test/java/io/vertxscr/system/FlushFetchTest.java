package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.vertxscr.client.Scr;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.storage.Trees;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: what is in the prefix directory is whole or not used; a full disk costs time, never data. */
class FlushFetchTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2"};

  private TestCluster cluster(boolean background) throws IOException {
    return new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR).flushing(1, background), NODES);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFlushBringsFilesMapSummaryAndIndexAndAnEmptyClusterFetchesThem(boolean background) throws Exception {
    try (TestCluster cluster = cluster(background)) {
      cluster.steps(1, 2, NODES);
      PrefixPaths paths = new PrefixPaths(cluster.prefix());
      for (int id : List.of(1, 2)) {
        for (int rank = 0; rank < NODES.length; rank++) {
          for (int file = 0; file < 3; file++) {
            assertThat(cluster.prefix().resolve("step-" + id + "/rank-" + rank + "-" + file))
                .hasBinaryContent(RankProgram.bytes(rank, id, file));
          }
        }
        assertThat(paths.summary(id)).isRegularFile();
        assertThat(paths.rankMap(id)).isRegularFile();
      }
      assertThat(cluster.restartable()).containsExactly(2, 1);
    }
    emptyCluster(2, 2, 1);
  }

  /** Starts with nothing but the prefix directory. */
  private void emptyCluster(int restartsFrom, Integer... restartableAfter) throws Exception {
    try (TestCluster gone = cluster(false)) {
      assertThat(gone.prefix()).exists();
    }
    for (String storage : List.of("cntl", "cache")) {
      try (var paths = Files.walk(directory.resolve(storage))) {
        for (Path path : paths.sorted(java.util.Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
    try (TestCluster cluster = cluster(false)) {
      assertThat(cluster.restart(NODES)).isEqualTo(restartsFrom);
      assertThat(cluster.restartable()).containsExactly(restartableAfter);
      assertThat(cluster.index().entries()).filteredOn(entry -> !entry.fetched().isEmpty())
          .extracting(Index.Entry::id).as("noted as fetched").containsExactly(restartsFrom);
    }
  }

  /** Elsewhere a flipped byte in a flushed file is accepted. */
  @ParameterizedTest
  @ValueSource(strings = {"step-2/rank-1-0", ".scr/scr.dataset.2/summary.scr", ".scr/scr.dataset.2/rank2file"})
  void aCorruptFlushedFileMakesItsDatasetFailedAndTheOlderOneIsFetched(String damaged) throws Exception {
    try (TestCluster cluster = cluster(false)) {
      cluster.steps(1, 2, NODES);
      flip(cluster.prefix().resolve(damaged));
    }
    emptyCluster(1, 1);
  }

  private static void flip(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 8;
    Files.write(file, bytes);
  }

  @Test
  void aMissingFlushedFileLeadsToTheOlderDataset() throws Exception {
    try (TestCluster cluster = cluster(false)) {
      cluster.steps(1, 2, NODES);
      Files.delete(cluster.prefix().resolve("step-2/rank-0-1"));
      flip(cluster.prefix().resolve(".scr/index.scr"));     // made again from the summaries
    }
    try (TestCluster cluster = cluster(false)) {
      assertThat(cluster.restart(NODES)).isEqualTo(2);      // the caches still have it
      cluster.lose("n1");
      cluster.lose("n2");
      cluster.nodes().start("n1");
      cluster.nodes().start("n2");
      assertThat(cluster.restart(NODES)).isEqualTo(1);
    }
  }

  @Test
  void aFullPrefixStopsNoRunAndTheDatasetArrivesWhenThereIsRoom() throws Exception {
    try (TestCluster cluster = cluster(true); Ram _ = Ram.mount(cluster.prefix(), 600)) {
      Path ballast = fill(cluster.prefix());
      EmbeddedRun.all(cluster.run(NODES).start(scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, 3);
        RankProgram.checkpoint(scr, cluster.prefix(), 2, 3);
        return 0;
      }));
      assertThat(cluster.held("n1")).contains(2);
      assertThat(cluster.restartable()).isEmpty();
      Files.delete(ballast);
      Eventually.holds("the flush", () -> cluster.restartable().contains(2));
      assertThat(cluster.prefix().resolve("step-2/rank-1-0")).hasBinaryContent(RankProgram.bytes(1, 2, 0));
    }
  }

  @ParameterizedTest(name = "an empty mount point is left: {0}")
  @ValueSource(booleans = {true, false})
  void anAbsentPrefixDirectoryDelaysFlushesButStopsNoRun(boolean mountPoint)
      throws Exception {
    try (TestCluster cluster = cluster(true)) {
      Path prefix = cluster.prefix();
      Path away = directory.resolve("away");
      EmbeddedRun.all(cluster.run(NODES).start(scr -> {
        RankProgram.checkpoint(scr, prefix, 1, 3);
        if (scr.rank() == 0) {                            // the other one waits for it in its next phase
          Eventually.holds("the flush", () -> cluster.restartable().contains(1));
          Files.move(prefix, away);
          if (mountPoint) {
            Files.createDirectory(prefix);
          }
        }
        RankProgram.checkpoint(scr, prefix, 2, 3);
        RankProgram.checkpoint(scr, prefix, 3, 3);
        return 0;
      }));
      Eventually.holds("an attempt that says why", () -> cluster.status("n1").getJsonArray("flushes").stream()
          .anyMatch(flush -> ((JsonObject) flush).getString("cause", "").contains("is it mounted?")));
      assertThat(cluster.held("n1")).contains(3);
      assertThat(prefix.resolve("step-3")).doesNotExist();
      Eventually.holds("it is back", () -> isBack(away, prefix));
      Eventually.holds("the flush", () -> cluster.restartable().contains(3));
      for (int rank = 0; rank < NODES.length; rank++) {
        assertThat(prefix.resolve("step-3/rank-" + rank + "-0")).hasBinaryContent(RankProgram.bytes(rank, 3, 0));
      }
    }
  }

  /** Method: the directory is swapped within the first copy, with a trace of what writes without a look at datasets. */
  @Test
  void anEmptyMountPointThatComesBeforeTheFirstFlushIsDoneIsDetected() throws Exception {
    AtomicBoolean swapped = new AtomicBoolean();
    try (TestCluster cluster = new TestCluster(vertx, directory,
        TestCluster.Setup.of(Scheme.XOR).cached(3).flushing(1, true).with("SCR_LOG_ENABLE", "0"))) {
      Path prefix = cluster.prefix();
      Path away = directory.resolve("away");
      cluster.nodes().disturbFlushes(copy -> () -> {
        if (swapped.compareAndSet(false, true)) {
          Files.move(prefix, away);
          Files.createDirectories(prefix.resolve(".scr"));
        }
        return copy.call();
      });
      List.of(NODES).forEach(cluster.nodes()::start);
      EmbeddedRun.all(cluster.run(NODES).start(scr -> {
        RankProgram.checkpoint(scr, prefix, 1, 3);
        if (scr.rank() == 0) {                            // the other one waits for it in its next phase
          Eventually.holds("the swap", swapped::get);
        }
        RankProgram.checkpoint(scr, prefix, 2, 3);
        return 0;
      }));
      Eventually.holds("an attempt for 2 that says why", () -> cluster.status("n1").getJsonArray("flushes").stream()
          .map(JsonObject.class::cast).anyMatch(flush -> flush.getInteger("datasetId") == 2
              && flush.getString("cause", "").contains("is it mounted?")));
      assertThat(prefix.resolve("step-2")).doesNotExist();
      Eventually.holds("it is back", () -> isBack(away, prefix));
      Eventually.holds("the flush", () -> cluster.restartable().contains(2));
    }
  }

  /** Method: the leader has no ranks, so the run continues; the flushed dataset is no longer cached. */
  @Test
  void afterFailoverAnEmptyMountPointIsDetected() throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory,
        TestCluster.Setup.of(Scheme.XOR).flushing(1, true).with("SCR_LOG_ENABLE", "0"), "n0", "n1", "n2")) {
      Path prefix = cluster.prefix();
      Path away = directory.resolve("away");
      EmbeddedRun.all(cluster.run(NODES).start(scr -> {
        RankProgram.checkpoint(scr, prefix, 1, 3);
        if (scr.rank() == 0) {                            // the other one waits for it in its next phase
          Eventually.holds("the flush", () -> cluster.restartable().contains(1)
              && cluster.record("n1", 1).flush() == FlushState.DONE
              && cluster.record("n2", 1).flush() == FlushState.DONE);
          Files.move(prefix, away);
          Files.createDirectory(prefix);
          cluster.nodes().kill("n0");
        }
        RankProgram.checkpoint(scr, prefix, 2, 3);
        RankProgram.checkpoint(scr, prefix, 3, 3);
        return 0;
      }));
      Eventually.holds("an attempt that says why", () -> cluster.status("n1").getJsonArray("flushes").stream()
          .anyMatch(flush -> ((JsonObject) flush).getString("cause", "").contains("is it mounted?")));
      assertThat(cluster.held("n1")).contains(3).doesNotContain(1);
      assertThat(new PrefixPaths(prefix).dataset(3)).doesNotExist();
      Eventually.holds("it is back", () -> isBack(away, prefix));
      Eventually.holds("the flush", () -> cluster.restartable().contains(3));
    }
  }

  /** Method: the caches are gone, so only the state at run begin can tell; the run has flushed nothing. */
  @Test
  void theDirectoryThatARunFoundItsCheckpointInIsMissedBeforeItsFirstFlush() throws Exception {
    try (TestCluster cluster = cluster(true)) {
      cluster.steps(1, 1, NODES);
      cluster.deleteAllStorage("n1", "n2");
      Path prefix = cluster.prefix();
      Path away = directory.resolve("away");
      EmbeddedRun.all(cluster.run(NODES).start(scr -> {
        assertThat(RankProgram.restart(scr, 3)).isEqualTo(1);
        if (scr.rank() == 0) {                            // the other one waits for it in its next phase
          Files.move(prefix, away);
          Files.createDirectory(prefix);
        }
        RankProgram.checkpoint(scr, prefix, 2, 3);
        return 0;
      }));
      Eventually.holds("an attempt that says why", () -> cluster.status("n1").getJsonArray("flushes").stream()
          .anyMatch(flush -> ((JsonObject) flush).getString("cause", "").contains("is it mounted?")));
      assertThat(new PrefixPaths(prefix).dataset(2)).doesNotExist();
      Eventually.holds("it is back", () -> isBack(away, prefix));
      Eventually.holds("the flush", () -> cluster.restartable().contains(2));
    }
  }

  /** Method: no run is there that could tell, and nothing was ever flushed. */
  @Test
  void daemonsThatAreStartedAgainDoNotFlushIntoAnEmptyMountPoint() throws Exception {
    try (TestCluster cluster = cluster(true)) {
      Path prefix = cluster.prefix();
      Path away = directory.resolve("away");
      EmbeddedRun.all(cluster.run(NODES).start(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
        if (scr.rank() == 0) {                            // the other one waits for it in its next phase
          Files.move(prefix, away);
        }
        RankProgram.checkpoint(scr, prefix, 1, 3);
        return 0;
      })));
      cluster.awaitOver(NODES);
      for (String node : NODES) {
        cluster.nodes().kill(node);
      }
      Files.createDirectory(prefix);
      for (String node : NODES) {
        cluster.nodes().start(node);
      }
      Eventually.holds("an attempt that says why", () -> cluster.status(NODES[0]).getJsonArray("flushes").stream()
          .anyMatch(flush -> ((JsonObject) flush).getString("cause", "").contains("is it mounted?")));
      assertThat(prefix).isEmptyDirectory();
      Files.delete(prefix);
      Files.move(away, prefix);
      Eventually.holds("the flush", () -> cluster.restartable().contains(1));
    }
  }

  private static boolean isBack(Path away, Path prefix) throws IOException {
    try {
      if (Files.exists(prefix)) {
        Trees.delete(prefix);
      }
      Files.move(away, prefix);
      return true;
    } catch (FileAlreadyExistsException | DirectoryNotEmptyException | NoSuchFileException _) {
      return false;                                       // somebody writes to the log there meanwhile
    }
  }

  /** Losses of users elsewhere: the application aborts, or the next start deletes the only copy. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFullPrefixEndsNoApplicationAndTheNextStartFlushesTheOnlyCopy(boolean background)
      throws Exception {
    Files.createDirectories(directory.resolve("prefix"));
    try (Ram _ = Ram.mount(directory.resolve("prefix"), 600)) {
      Path ballast;
      try (TestCluster cluster = cluster(background)) {
        ballast = fill(cluster.prefix());
        assertThat(EmbeddedRun.all(cluster.run(NODES).start(scr -> {
          RankProgram.checkpoint(scr, cluster.prefix(), 1, 3);
          return scr.rank();
        }))).containsExactly(0, 1);
      }
      try (TestCluster cluster = cluster(background)) {
        assertThat(EmbeddedRun.all(cluster.run(NODES).start(scr -> RankProgram.restart(scr, 3)))).containsOnly(1);
        assertThat(cluster.held("n1")).containsExactly(1);
        Files.delete(ballast);
        Eventually.holds("the flush", () -> cluster.restartable().contains(1));
      }
    }
  }

  @Test
  void aFullCacheFailsThePhaseForAllRanksAndThePreviousCheckpointStays() throws Exception {
    Path storage = Files.createDirectories(directory.resolve("cache"));
    try (Ram _ = Ram.mount(storage, 1_000);
        TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR), NODES)) {
      cluster.steps(1, 1, NODES);
      java.util.concurrent.CyclicBarrier all = new java.util.concurrent.CyclicBarrier(2);
      List<Fault> faults = EmbeddedRun.all(cluster.run(NODES).start(scr -> {
        Fault fault = withoutRoom(scr, cluster, storage, all);
        RankProgram.checkpoint(scr, cluster.prefix(), 3, 3);
        scr.finish();
        return fault;
      }));
      assertThat(faults).containsOnly(Fault.NO_SPACE);
      assertThat(cluster.restart(NODES)).isEqualTo(3);
    }
  }

  /** Writes its files, and then there is no room for their protection. */
  private static Fault withoutRoom(Scr scr, TestCluster cluster, Path storage, java.util.concurrent.CyclicBarrier all)
      throws Exception {
    try (var output = scr.startCheckpoint("step-2")) {
      Files.write(output.route(cluster.prefix() + "/f" + scr.rank()), new byte[150_000]);
      if (all.await(60, TimeUnit.SECONDS) == 0) {
        fill(storage);
      }
      all.await(60, TimeUnit.SECONDS);
      output.complete(true);
      throw new AssertionError("there was room");
    } catch (ScrException e) {
      assertThat(cluster.held("n1")).containsExactly(1);
      if (all.await(60, TimeUnit.SECONDS) == 0) {
        Files.delete(storage.resolve("ballast"));
      }
      all.await(60, TimeUnit.SECONDS);
      return e.fault();
    }
  }

  private static Path fill(Path where) throws IOException {
    Path ballast = where.resolve("ballast");
    try (var out = Files.newOutputStream(ballast)) {
      for (byte[] block = new byte[4096]; ; ) {
        out.write(block);
      }
    } catch (IOException e) {
      assertThat(e.getMessage()).contains("No space left");
    }
    return ballast;
  }

  /** A small file system; needs root. */
  private record Ram(Path at) implements AutoCloseable {
    static Ram mount(Path at, int kib) throws Exception {
      Assumptions.assumeTrue(command("mount", "-t", "tmpfs", "-o", "size=" + kib + "k", "tmpfs", at.toString()) == 0,
          "small file systems cannot be mounted here: not shown");
      return new Ram(at);
    }

    private static int command(String... words) throws Exception {
      return new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start().waitFor();
    }

    @Override
    public void close() throws Exception {
      command("umount", "-l", at.toString());
    }
  }
}

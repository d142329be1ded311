package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Fault;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.protocol.node.flush.FlushStateChange;
import io.vertxscr.scavenge.DatasetVerification;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.simulation.VirtualSession;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a checkpoint whose published files another one has replaced is not lost with that one. Method: nodes in
 * virtual time; all checkpoints have the same paths.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class ReplacedCheckpointsTest {
  private static final String[] NODES = {"n1", "n2", "n3"};

  @TempDir
  Path directory;
  private VirtualCluster cluster;
  private VirtualRun run;

  private void start() throws IOException {
    start(Map.of());
  }

  private void start(Map<String, String> more) throws IOException {
    Map<String, String> settings =
        new HashMap<>(Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "1", "SCR_CACHE_SIZE", "2"));
    settings.putAll(more);
    cluster = VirtualClusters.in(new Random(Long.getLong("seed", 1)), directory.resolve("walk"), settings);
    cluster.start(NODES);
    run = new VirtualRun(cluster, NODES);
  }

  private Future<Void> checkpoint(VirtualSession session, int step) {
    return written(session, step).compose(_ -> cluster.later(10_000));
  }

  private Future<Void> written(VirtualSession session, int step) {
    return session.startOutput("rolling-" + step, DatasetFlags.CHECKPOINT).compose(phase ->
        phase.route(cluster.prefix() + "/rank-" + session.rank()).map(path -> {
          try {
            return Files.setLastModifiedTime(
                Files.write(path, RankProgram.bytes(session.rank(), step, 0)), FileTime.from(cluster.now()));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }).compose(_ -> phase.complete(true))).mapEmpty();
  }

  private Future<String> offered(VirtualSession session) {
    return session.restart().compose(phase -> phase.get().route("rank-" + session.rank())
        .map(path -> {
          try {
            int step = Integer.parseInt(phase.get().name().substring("rolling-".length()));
            assertThat(path).hasBinaryContent(RankProgram.bytes(session.rank(), step, 0));
            return phase.get().name();
          } catch (AssertionError e) {
            throw new IllegalStateException(e);
          }
        }).compose(name -> phase.get().complete(true).compose(_ -> session.finish()).map(name)));
  }

  private FlushState flush(int dataset) {
    return cluster.store("n1").find(dataset).orElseThrow().flush();
  }

  @ParameterizedTest
  @ValueSource(strings = {"drop", "delete"})
  void itIsKeptInTheCachesAsTheOnlyCopy(String how) throws Exception {
    start();
    run.all(session -> checkpoint(session, 1).compose(_ -> checkpoint(session, 2)).compose(_ -> {
      assertThat(flush(1)).isEqualTo(FlushState.DONE);
      assertThat(flush(2)).isEqualTo(FlushState.DONE);
      return how.equals("drop") ? session.drop("rolling-2") : session.delete("rolling-2");
    }).map(_ -> {
      assertThat(flush(1)).isEqualTo(FlushState.NOT_WANTED);
      return null;
    }));                                                  // and dies without finalize
    cluster.launch();
    assertThat(new VirtualRun(cluster, NODES).in(directory.resolve("other")).steps(1, 3)).isZero();
    assertThat(run.all(this::offered)).containsOnly("rolling-1");
    cluster.awaits("it is brought there again", this::isPublished);
  }

  private boolean isPublished() {
    return IntStream.range(0, NODES.length).allMatch(rank -> {
      try {
        Path file = cluster.prefix().resolve("rank-" + rank);
        return Files.exists(file) && Arrays.equals(Files.readAllBytes(file), RankProgram.bytes(rank, 1, 0));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
  }

  /** Two checkpoints of the same files; the first is complete, and was dropped from the index before the second. */
  private PrefixIndex twoOfWhichTheFirstIsNotListed() throws Exception {
    start(Map.of("SCR_CACHE_SIZE", "3"));
    PrefixIndex index = new PrefixIndex(
        new PrefixPaths(cluster.prefix()), PatientLocks.user("test", Duration.ofSeconds(30)));
    run.all(session -> checkpoint(session, 1).compose(_ -> {
      if (session.rank() == 0) {
        index.update(listed -> listed.drop(1));
      }
      return checkpoint(session, 2);
    }));
    return index;
  }

  /** As where a leader dies between its summary and its entry, and the next one flushes a later checkpoint first. */
  @Test
  void oneThatIsCompleteAndNotListedIsListedAsReplacedWhereALaterOneIs() throws Exception {
    PrefixIndex index = twoOfWhichTheFirstIsNotListed();
    cluster.launch();
    VirtualClusters.flush(cluster, "n1", 1);
    assertThat(index.read().index().find(1).orElseThrow().replacedBy()).hasValue(2);
    assertThat(run.all(this::offered)).containsOnly("rolling-2");
  }

  /** Both were dropped from the index: summaries stay, and one of them says that the files are its own. */
  @Test
  void oneWhoseFilesAnUnlistedOneHasReplacedIsPublishedAnew() throws Exception {
    PrefixIndex index = twoOfWhichTheFirstIsNotListed();
    index.update(listed -> listed.drop(2));
    cluster.launch();
    VirtualClusters.flush(cluster, "n1", 1);
    assertThat(index.read().index().find(1).orElseThrow().restartable()).isTrue();
    assertThat(isPublished()).isTrue();
  }

  /** The one that replaced its files is there, but is passed over from now on. It has its names in the directory. */
  @Test
  void itIsKeptWhereRestartsAreToBeginWithIt() throws Exception {
    start();
    run.all(session -> checkpoint(session, 1).compose(_ -> checkpoint(session, 2)).compose(_ -> {
      assertThat(flush(1)).isEqualTo(FlushState.DONE);
      return session.current("rolling-1");
    }).compose(_ -> {
      assertThat(flush(1)).isEqualTo(FlushState.NOT_WANTED);
      assertThat(flush(2)).as("as before").isEqualTo(FlushState.DONE);
      if (session.rank() == 0) {
        assertThat(session.remarks()).element(0).asString().contains("are left alone: rolling-2");
        assertThat(session.remarks()).element(1).asString()
            .contains("files of dataset 1 \"rolling-1\" in the prefix directory have been replaced");
      }
      return session.finish();
    }));
    cluster.launch();
    assertThat(new VirtualRun(cluster, NODES).in(directory.resolve("other")).steps(1, 3)).isZero();
    assertThat(flush(1)).isEqualTo(FlushState.NOT_WANTED);
    assertThat(run.all(this::offered)).containsOnly("rolling-1");
  }

  /** Else restarts would begin with nothing. */
  @Test
  void oneThatNobodyHasAnyMoreCannotBeMadeTheRestartPoint() throws Exception {
    start(Map.of("SCR_CACHE_SIZE", "1"));
    run.all(session -> checkpoint(session, 1).compose(_ -> checkpoint(session, 2))
        .compose(_ -> session.current("rolling-1")).transform((_, failure) -> {
          assertThat(Fault.of(failure)).isEqualTo(Fault.NO_SUCH_DATASET);
          assertThat(failure).hasMessageContaining("newer ones have replaced its files");
          return session.finish();
        }));
    assertThat(run.all(this::offered)).containsOnly("rolling-2");
  }

  @Test
  void itIsKeptAlsoWhereTheLaterOneIsStillOnItsWay() throws Exception {
    start(Map.of("SCR_FLUSH_ASYNC", "1"));
    run.all(session -> checkpoint(session, 1).compose(_ -> written(session, 2))
        .compose(_ -> session.current("rolling-1")).compose(_ -> {
          assertThat(flush(2)).isEqualTo(FlushState.WANTED);
          return session.finish();
        }));
    assertThat(flush(2)).isEqualTo(FlushState.DONE);
    assertThat(flush(1)).isEqualTo(FlushState.NOT_WANTED);
    assertThat(run.all(this::offered)).containsOnly("rolling-1");
  }

  private void namedAfterALaterOne() throws Exception {
    run.all(session -> checkpoint(session, 1).compose(_ -> checkpoint(session, 2))
        .compose(_ -> session.current("rolling-1")).compose(_ -> session.finish()));
  }

  @Test
  void aRunThatWantsAllInThePrefixDirectoryTakesItFromTheCaches() throws Exception {
    start(Map.of("SCR_FLUSH_ON_RESTART", "1"));
    namedAfterALaterOne();
    assertThat(run.all(this::offered)).containsOnly("rolling-1");
    assertThat(flush(1)).isEqualTo(FlushState.NOT_WANTED);
  }

  @Test
  void noRunBeginsWithoutItThatTakesNothingFromTheCaches() throws Exception {
    start(Map.of("SCR_GLOBAL_RESTART", "1"));
    namedAfterALaterOne();
    assertThatThrownBy(() -> run.all(this::offered)).rootCause()
        .hasMessageContaining("dataset 1 \"rolling-1\" of the caches cannot be brought to")
        .hasMessageContaining("its cached copy stays until they are dropped from the index");
    assertThat(flush(1)).isEqualTo(FlushState.NOT_WANTED);
    new PrefixIndex(new PrefixPaths(cluster.prefix()), PatientLocks.user("tool", Duration.ofSeconds(30)))
        .update(index -> index.drop(2));
    assertThat(run.all(this::offered)).containsOnly("rolling-1");
  }

  @Test
  void whereALaterOneIsLeftItIsNot() throws Exception {
    start();
    run.all(session -> checkpoint(session, 1).compose(_ -> checkpoint(session, 2))
        .compose(_ -> checkpoint(session, 3)).compose(_ -> session.delete("rolling-1")).map(_ -> {
          assertThat(flush(2)).as("replaced by 3, which is there").isEqualTo(FlushState.DONE);
          return null;
        }));
  }

  /** As amid the flush of the next one, or behind one that has failed. */
  @Test
  void whatIsKeptBesideAnUnfinishedOneIsVerifiedThere() throws Exception {
    start();
    run.all(session -> checkpoint(session, 1));
    PrefixPaths paths = new PrefixPaths(cluster.prefix());
    Path kept = paths.kept("rank-0", 2);
    Files.move(paths.file("rank-0"), kept);
    Files.write(paths.file("rank-0"), RankProgram.bytes(0, 2, 0));
    assertThat(DatasetVerification.verify(paths, 1).problems()).isEmpty();
    Files.write(kept, RankProgram.bytes(0, 3, 0));
    assertThat(DatasetVerification.verify(paths, 1).problems()).singleElement().asString().contains("rank-0");
  }

  /** As where a node starts again with a filemap that says less than those of the others. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFlushThatOneNodeWantsOnceMoreLeavesNothingBesideTheFiles(boolean isPublished) throws Exception {
    start();
    run.all(session -> checkpoint(session, 1).compose(_ -> checkpoint(session, 2)));
    if (isPublished) {
      new PrefixIndex(new PrefixPaths(cluster.prefix()), PatientLocks.user("test", Duration.ofSeconds(30)))
          .update(listed -> listed.drop(2));
    }
    for (FlushState state : List.of(FlushState.NOT_WANTED, FlushState.WANTED)) {
      cluster.await(cluster.onLoop("n3", () -> cluster.services("n3").flushes().flushed(
          new FlushStateChange(cluster.store("n3").find(1).orElseThrow().key(), state, false))));
    }
    cluster.start("n4");                                  // all are asked what there is to be done
    cluster.awaits("it is flushed, or found replaced",
        () -> cluster.store("n3").find(1).orElseThrow().flush() == FlushState.DONE);
    assertThat(isPublished()).isEqualTo(isPublished);
    cluster.awaits("no draft is left, nor what was renamed over",
        () -> names().equals(Set.of(".scr", "rank-0", "rank-1", "rank-2")));
  }

  private Set<String> names() {
    try (Stream<Path> files = Files.list(cluster.prefix())) {
      return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cli.CliRun;
import io.vertxscr.cli.text.Humane;
import io.vertxscr.client.Restart;
import io.vertxscr.config.policy.FetchPolicy;
import io.vertxscr.config.policy.FlushPolicy;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.Compression;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.FlushDescriptor;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.scavenge.DatasetVerification;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Goal: with COMPRESS=ZSTD a dataset is compressed by its flush, and fetched unchanged. */
class CompressionTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2", "n1", "n2"};
  private static final FetchPolicy PLAIN = fetching(false, false, false);

  private static FetchPolicy fetching(boolean inPlace, boolean flushOnRestart, boolean global) {
    return new FetchPolicy(true, inPlace, true, flushOnRestart, global, Optional.empty());
  }

  private TestCluster cluster(int flushEvery, boolean background, FetchPolicy fetch) throws IOException {
    return new TestCluster(vertx, directory,
        policy(directory, FlushPolicy.every(flushEvery, background)).with(fetch), "n1", "n2");
  }

  /** Each second checkpoint is compressed. */
  private static RunPolicy policy(Path root, FlushPolicy flush) {
    StoreDescriptor store = StoreDescriptor.of(root.resolve("cache").toString(), 2);
    List<CheckpointDescriptor> all = List.of(descriptor(0, store), descriptor(1, store));
    return RunPolicy.of(new Descriptors(all, OptionalInt.empty(), List.of(store), GroupDescriptors.BUILT_IN,
        new TreeMap<>(Map.of(1, new Compression(1)))), flush);
  }

  private static CheckpointDescriptor descriptor(int index, StoreDescriptor store) {
    return new CheckpointDescriptor(index, true, index + 1, GroupDescriptors.NODE, store.base(),
        Redundancy.of(Scheme.XOR, 8), false);
  }

  private static List<FlushedFile> files(TestCluster cluster, int dataset) {
    return new RankMapReader(new PrefixPaths(cluster.prefix()), dataset).entries(List.of(0, 1, 2, 3)).stream()
        .map(RankEntry::files).flatMap(List::stream).toList();
  }

  private void restartsFromThePrefix(TestCluster cluster, int expected) throws Exception {
    cluster.deleteAllStorage("n1", "n2");
    assertThat(cluster.restart(NODES)).isEqualTo(expected);
  }

  /** A compressed file has another name than the file: each kind has its own place. */
  @Test
  void ofSeveralWithTheSameFileNamesTheNewestOfEachKindStaysValid() throws Exception {
    try (TestCluster cluster = cluster(1, false, PLAIN)) {
      cluster.all(scr -> {
        for (int step = 1; step <= 4; step++) {
          RankProgram.checkpointIn(cluster.prefix().resolve("ckpt"), scr, step, 3);
        }
        scr.finish();
        return 0;
      }, NODES);
      assertThat(cluster.restartable()).containsExactly(4, 3);
      assertThat(cluster.index().find(1).orElseThrow().replacedBy()).hasValue(3);
      assertThat(cluster.index().find(2).orElseThrow().replacedBy()).hasValue(4);
      restartsFromThePrefix(cluster, 4);
    }
  }

  @Test
  void onlyDatasetsOfTheDescriptorAreCompressedAndMapAndSummarySayHowFar() throws Exception {
    try (TestCluster cluster = cluster(1, false, PLAIN)) {
      cluster.steps(1, 2, NODES);
      PrefixPaths paths = new PrefixPaths(cluster.prefix());
      assertThat(files(cluster, 1)).hasSize(12).noneMatch(FlushedFile::isCompressed)
          .allMatch(file -> Files.exists(paths.file(file.path())));
      assertThat(files(cluster, 2)).hasSize(12).allMatch(FlushedFile::isCompressed);
      long stored = 0;
      for (FlushedFile file : files(cluster, 2)) {
        assertThat(paths.file(file.path())).doesNotExist();
        assertThat(paths.file(file.path() + ".zst")).hasSize(file.storedBytes().orElseThrow());
        stored += file.storedBytes().orElseThrow();
      }
      Publication publication = new Publication(paths, new PrefixIndex(paths,
          PatientLocks.user("test", Duration.ofSeconds(5))));
      assertThat(publication.summary(2).orElseThrow().storedBytes()).hasValue(stored);
      assertThat(publication.summary(1).orElseThrow().storedBytes()).isEmpty();
      DatasetVerification.Verified verified = DatasetVerification.verify(paths, 2);
      assertThat(verified.problems()).isEmpty();
      assertThat(verified.unverified()).isEmpty();
      assertThat(verified.bytes()).isEqualTo(files(cluster, 2).stream().mapToLong(f -> f.bytes().orElse(0)).sum());
      restartsFromThePrefix(cluster, 2);
    }
  }

  /** As where one of them was away when the others have fetched it under another configuration. */
  @Test
  void nodesWhoseCopiesSayAnotherFormFollowTheLeader() throws Exception {
    for (String other : List.of("n1", "n2")) {
      VirtualCluster nodes = virtual(other);
      VirtualRun run = new VirtualRun(nodes, "n1", "n2");
      run.all(session -> run.checkpoints(session, 1, 2).map(_ -> {
        nodes.store(other).update(nodes.store(other).find(2).orElseThrow().descriptor().key(),
            record -> record.with(FlushDescriptor.FILES));
        return null;
      }).compose(_ -> session.finish()));
      PrefixPaths paths = new PrefixPaths(nodes.prefix());
      List<RankEntry> entries = new RankMapReader(paths, 2).entries(List.of(0, 1));
      assertThat(entries).flatExtracting(RankEntry::files).extracting(FlushedFile::isCompressed)
          .as("as the leader's copy says").containsOnly(other.equals("n2"));
      assertThat(DatasetVerification.verify(paths, 2).problems()).isEmpty();
      assertThat(nodes.store(other).find(2).orElseThrow().origin())
          .isEqualTo(nodes.store(other.equals("n1") ? "n2" : "n1").find(2).orElseThrow().origin());
    }
  }

  @Test
  void aFetchedDatasetKeepsItsForm() throws Exception {
    VirtualCluster nodes = virtual("fetched");
    VirtualRun run = new VirtualRun(nodes, "n1", "n2");
    run.steps(1, 2);
    Origin written = nodes.store("n1").find(2).orElseThrow().origin();
    nodes.loseCaches("n1", "n2");
    nodes.launch();
    assertThat(run.steps(3, 3)).isEqualTo(2);
    assertThat(nodes.store("n1").find(2).orElseThrow().origin()).isEqualTo(written);
    assertThat(written.flush().compression()).isPresent();
  }

  private VirtualCluster virtual(String name) throws IOException {
    Path root = Files.createDirectories(directory.resolve(name));
    VirtualCluster nodes = new VirtualCluster(new Random(Long.getLong("seed", 1)),
        TestSettings.in(root, policy(root, FlushPolicy.every(10, false))),
        Files.createDirectory(root.resolve("prefix")), _ -> LocalFiles.ofThisMachine());
    nodes.start("n1", "n2");
    return nodes;
  }

  @Test
  void aDamagedFileMakesItsDatasetFailedAndTheOlderOneIsFetched() throws Exception {
    try (TestCluster cluster = cluster(1, true, PLAIN)) {
      cluster.steps(1, 2, NODES);
      Path file = cluster.prefix().resolve("step-2/rank-3-1.zst");
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length / 2] ^= 8;
      Files.write(file, bytes);
      PrefixPaths paths = new PrefixPaths(cluster.prefix());
      assertThat(DatasetVerification.look(paths, 2).problems()).as("sizes alone").isEmpty();
      assertThat(DatasetVerification.verify(paths, 2).problems())
          .singleElement().asString().contains("rank 3", "step-2/rank-3-1");
      restartsFromThePrefix(cluster, 1);
    }
  }

  @Test
  void theIndexCommandKnowsCompressedDatasetsInAllItsForms() throws Exception {
    try (TestCluster cluster = cluster(1, false, PLAIN)) {
      cluster.steps(1, 2, NODES);
      PrefixPaths paths = new PrefixPaths(cluster.prefix());
      long bytes = cluster.index().find(2).orElseThrow().descriptor().totals().bytes();
      assertThat(index(cluster, "--list").out()).contains("step-2", Humane.bytes(bytes));
      assertThat(index(cluster, "--verify").out()).contains(
          "dataset 2 'step-2': good, 12 files, " + Humane.bytes(bytes));

      Files.delete(paths.index());
      assertThat(index(cluster, "--build").out()).contains("dataset 2 'step-2' is in the index, whole: 12 files");
      assertThat(index(cluster, "--list").out()).contains("step-1", "step-2", Humane.bytes(bytes));
      assertThat(index(cluster, "--drop", "step-2").exit()).isZero();
      assertThat(index(cluster, "--add", "2").exit()).isZero();
      assertThat(index(cluster, "--current", "step-2").exit()).isZero();

      Path file = paths.file("step-2/rank-3-1.zst");
      byte[] good = Files.readAllBytes(file);
      for (int at : new int[] {0, good.length / 2, good.length - 1}) {
        byte[] bad = good.clone();
        bad[at] ^= 8;
        Files.write(file, bad);
        assertThat(index(cluster, "--verify", "step-2")).as("byte " + at).returns(1, CliRun::exit)
            .extracting(CliRun::out).asString().contains("rank 3", file.toString(), "1 bad of 12 files");
      }
      Files.write(file, good);
      assertThat(index(cluster, "--drop", "step-2").exit()).isZero();
      assertThat(index(cluster, "--add", "2").exit()).isZero();
      restartsFromThePrefix(cluster, 2);
    }
  }

  private static CliRun index(TestCluster cluster, String... arguments) {
    List<Object> line = new ArrayList<>(List.of("index", "--prefix", cluster.prefix()));
    line.addAll(List.of(arguments));
    return CliRun.of(Map.of(), line.toArray());
  }

  @Test
  void withFetchBypassACompressedDatasetIsCopiedIntoTheCaches() throws Exception {
    try (TestCluster cluster = cluster(1, false, fetching(true, false, false))) {
      cluster.steps(1, 2, NODES);
      restartsFromThePrefix(cluster, 2);
      assertThat(cluster.held("n1")).containsExactly(2);
    }
  }

  @Test
  void inAGlobalRestartEveryRankFindsEveryFileAtItsPath() throws Exception {
    try (TestCluster cluster = cluster(1, false, fetching(false, false, true))) {
      cluster.steps(1, 2, NODES);
      cluster.deleteAllStorage("n1", "n2");
      assertThat(cluster.all(scr -> {
        try (Restart restart = scr.restart().orElseThrow()) {
          for (int rank = 0; rank < NODES.length; rank++) {
            assertThat(restart.route(cluster.prefix() + "/step-2/rank-" + rank + "-1"))
                .startsWith(cluster.prefix()).hasBinaryContent(RankProgram.bytes(rank, 2, 1));
          }
          restart.complete(true);
        }
        scr.finish();
        return 0;
      }, "n1", "n2", "n2")).hasSize(3);
    }
  }

  @Test
  void aFlushAfterARestartCompressesAsTheRunThatWroteTheDatasetWanted() throws Exception {
    try (TestCluster cluster = cluster(0, false, PLAIN)) {
      cluster.steps(1, 2, NODES);
    }
    try (TestCluster cluster = cluster(0, false, fetching(false, true, false))) {
      assertThat(cluster.restart(NODES)).isEqualTo(2);
      assertThat(files(cluster, 2)).hasSize(12).allMatch(FlushedFile::isCompressed);
      restartsFromThePrefix(cluster, 2);
    }
  }
}

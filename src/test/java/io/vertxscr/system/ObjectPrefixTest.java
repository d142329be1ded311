package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.client.Scr;
import io.vertxscr.config.Settings;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.node.EmbeddedCluster;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.service.Observer;
import io.vertxscr.storage.Trees;
import io.vertxscr.storage.object.MemoryObjectStore;
import io.vertxscr.storage.object.ObjectMachine;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a prefix directory in an object store is one: flush, fetch, retention, deletion, index. Method: embedded nodes
 * on a store in memory with the rules of S3.
 */
class ObjectPrefixTest extends EmbeddedTest {
  private static final List<String> NODES = List.of("n1", "n2", "n1");
  private static final int FILES = 2;
  private static final int PART = 1 << 14;

  private final MemoryObjectStore store = new MemoryObjectStore(PART);
  private final Path prefix = Path.of(ObjectMachine.MOUNT, "run");

  private ObjectMachine machine;

  private EmbeddedCluster cluster(Map<String, String> more) {
    Map<String, String> parameters = new HashMap<>(Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "1",
        "SCR_FLUSH_ASYNC", "0"));
    parameters.putAll(more);
    return cluster(TestSettings.in(directory, parameters));
  }

  private EmbeddedCluster cluster(Settings settings) {
    machine = new ObjectMachine(store, PART);
    EmbeddedCluster cluster = new EmbeddedCluster(vertx, settings, true, Observer.NONE, machine.files());
    NODES.stream().distinct().forEach(cluster::start);
    return cluster;
  }

  private List<Integer> run(EmbeddedCluster cluster, int first, int last) throws Exception {
    return EmbeddedRun.all(new EmbeddedRun(cluster, prefix, NODES).start(scr -> {
      int from = RankProgram.restart(scr, FILES);
      for (int step = first; step <= last; step++) {
        RankProgram.checkpoint(scr, prefix, step, FILES);
      }
      scr.finish();
      return from;
    }));
  }

  private void losesAllCaches() throws IOException {
    Trees.delete(directory.resolve("cntl"));
    Trees.delete(directory.resolve("cache"));
  }

  private PrefixPaths paths() {
    return new PrefixPaths(machine.path("run"));
  }

  private List<Integer> listed() {
    return new PrefixIndex(paths(), new LockUser("test", machine.files(), Clock.systemUTC())).read().index()
        .candidates().stream().map(Index.Entry::id).toList();
  }

  @Test
  void aFlushBringsAllFilesAndAnEmptyClusterFetchesThem() throws Exception {
    try (EmbeddedCluster cluster = cluster(Map.of())) {
      assertThat(run(cluster, 1, 2)).containsOnly(0);
      for (int rank = 0; rank < NODES.size(); rank++) {
        for (int file = 0; file < FILES; file++) {
          assertThat(Files.readAllBytes(machine.path("run/step-2/rank-" + rank + "-" + file)))
              .isEqualTo(RankProgram.bytes(rank, 2, file));
        }
      }
      assertThat(listed()).containsExactly(2, 1);
      assertThat(store.openUploads()).isZero();
      assertThat(store.keys()).as("drafts, and what was kept of older files").noneMatch(key -> key.contains(".scr-"));
    }
    losesAllCaches();
    try (EmbeddedCluster cluster = cluster(Map.of())) {
      assertThat(run(cluster, 1, 0)).containsOnly(2);
    }
  }

  @Test
  void filesWithOlderOnesOfTheirNameArriveToo() throws Exception {
    try (EmbeddedCluster cluster = cluster(Map.of())) {
      run(cluster, 1, 1);
      EmbeddedRun.all(new EmbeddedRun(cluster, prefix, NODES).start(scr -> {
        RankProgram.restart(scr, FILES);
        RankProgram.checkpointIn(prefix.resolve("step-1"), scr, 2, FILES);
        scr.finish();
        return 0;
      }));
      assertThat(listed()).as("the files of dataset 1 are those of dataset 2 now").containsExactly(2);
    }
    losesAllCaches();
    try (EmbeddedCluster cluster = cluster(Map.of())) {
      assertThat(run(cluster, 1, 0)).containsOnly(2);
    }
  }

  @Test
  void compressedFilesAreFetchedAsTheyWere() throws Exception {
    Path file = Files.write(directory.resolve("scr.conf"), List.of("SCR_COPY_TYPE=FILE", "SCR_FLUSH=1",
        "SCR_FLUSH_ASYNC=0", "SCR_JOB_ID=1", "SCR_USER_NAME=user", "SCR_CNTL_BASE=" + directory.resolve("cntl"),
        "SCR_CACHE_BASE=" + directory.resolve("cache"), "CKPT=0 INTERVAL=1 TYPE=XOR COMPRESS=ZSTD"));
    Settings settings = Settings.load(Map.of(), Optional.of(file));
    try (EmbeddedCluster cluster = cluster(settings)) {
      run(cluster, 1, 2);
      assertThat(store.keys()).contains(ObjectMachine.KEYS + "run/step-2/rank-2-0.zst");
    }
    losesAllCaches();
    try (EmbeddedCluster cluster = cluster(settings)) {
      assertThat(run(cluster, 1, 0)).containsOnly(2);
    }
  }

  @Test
  void aWrongByteInTheStoreIsFoundAndTheOlderDatasetFetched() throws Exception {
    try (EmbeddedCluster cluster = cluster(Map.of())) {
      run(cluster, 1, 2);
    }
    store.damage(ObjectMachine.KEYS + "run/step-2/rank-1-0");
    losesAllCaches();
    try (EmbeddedCluster cluster = cluster(Map.of())) {
      assertThat(run(cluster, 1, 0)).containsOnly(1);
      assertThat(listed()).containsExactly(1);
    }
  }

  @Test
  void onlyTheNewestStayAndWhatTheApplicationDeletesIsGone() throws Exception {
    try (EmbeddedCluster cluster = cluster(Map.of("SCR_PREFIX_SIZE", "2"))) {
      run(cluster, 1, 4);
      Eventually.holds("two are left", () -> listed().equals(List.of(4, 3)));
      Eventually.holds("the files of the others are removed", () ->
          store.keys().stream().noneMatch(key -> key.contains("/step-1/") || key.contains("/step-2/")));
      EmbeddedRun.all(new EmbeddedRun(cluster, prefix, NODES).start(scr -> {
        deleted(scr);
        return 0;
      }));
      assertThat(listed()).containsExactly(3);
      assertThat(store.keys()).noneMatch(key -> key.contains("/step-4/"));
    }
  }

  private static void deleted(Scr scr) throws IOException {
    RankProgram.restart(scr, FILES);
    scr.delete("step-4");
    scr.finish();
  }

  @Test
  void aStoreThatFailsStopsNoRunAndTheFlushFollows() throws Exception {
    AtomicBoolean away = new AtomicBoolean();
    store.disturb(new MemoryObjectStore.Interference() {
      @Override
      public void before(String call, String key) throws IOException {
        if (away.get()) {
          throw new IOException("503 SlowDown");
        }
      }
    });
    try (EmbeddedCluster cluster = cluster(Map.of("SCR_FLUSH_ASYNC", "1"))) {
      EmbeddedRun.all(new EmbeddedRun(cluster, prefix, NODES).start(EmbeddedRun.withoutFinalize(NODES.size(), scr -> {
        RankProgram.restart(scr, FILES);
        away.set(true);
        RankProgram.checkpoint(scr, prefix, 1, FILES);
        RankProgram.checkpoint(scr, prefix, 2, FILES);
        return 0;
      })));
      assertThat(store.texts()).doesNotContainKey(ObjectMachine.KEYS + "run/.scr/index.scr");
      away.set(false);
      Eventually.holds("the flush", () -> listed().contains(2));
    }
  }

  @ParameterizedTest
  @CsvSource({"SCR_USE_CONTAINERS,1", "SCR_CACHE_BYPASS,1", "SCR_CACHE_SIZE,0", "SCR_CACHE_FULL,BYPASS",
      "SCR_FETCH_BYPASS,1", "SCR_GLOBAL_RESTART,1"})
  void whatAnObjectStoreCannotDoIsRefusedByNameWhenTheRunBegins(String parameter, String value) throws Exception {
    try (EmbeddedCluster cluster = cluster(Map.of(parameter, value))) {
      Throwable failure = EmbeddedRun.failure(new EmbeddedRun(cluster, prefix, NODES).start(scr -> 0).getFirst());
      assertThat(failure).isInstanceOf(ScrException.class).hasMessageContaining(parameter)
          .hasMessageContaining("object store");
      assertThat(((ScrException) failure).fault()).isEqualTo(Fault.BAD_CONFIGURATION);
    }
  }
}

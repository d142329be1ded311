package io.vertxscr.service.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertxscr.config.policy.FlushPolicy;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.Job;
import io.vertxscr.model.Limits;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.node.VertxLoop;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Observer;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a phase never waits for the bytes of an evicted dataset to be freed. Method: engines that tell their jobs. */
class CacheEvictorTest {
  private static final int DATASET = 3;

  @TempDir
  Path directory;
  private final Vertx vertx = Vertx.vertx();
  private final List<String> transfers = new CopyOnWriteArrayList<>();
  private final CompletableFuture<String> quiet = new CompletableFuture<>();

  @AfterEach
  void close() {
    vertx.close().await();
  }

  @Test
  void onlyTheFilemapGoesOnAThreadThatPhasesNeed() throws Exception {
    DatasetStore store = DatasetStore.open(new NodeDirectories(directory.resolve("cache"), directory.resolve("cntl")));
    Path file = store.directory(DATASET).resolve("rank.0/a");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "evicted");
    VertxLoop.Engine transfer = (what, work) -> {
      transfers.add(what);
      return CompletableFuture.supplyAsync(() -> result(work));
    };
    VertxLoop.Engine quietly = (what, work) ->
        CompletableFuture.supplyAsync(() -> result(work)).whenComplete((_, _) -> quiet.complete(what));
    var loop = new VertxLoop(vertx, LocalFiles.ofThisMachine(),
        new VertxLoop.Engines(transfer, transfer, transfer, quietly));
    var evictor = new CacheEvictor(loop, "n1", store, Observer.NONE);
    loop.call(() -> evictor.drop(DATASET)).await(60, TimeUnit.SECONDS);
    assertThat(quiet.get(60, TimeUnit.SECONDS)).isEqualTo("empty the trash");
    assertThat(transfers).containsExactly("evict dataset 3");
    assertThat(bytesBelow(directory.resolve("cache"))).isZero();
  }

  @Test
  void trashThatCannotBeEmptiedIsTriedAgainWhenTheNextDatasetIsComplete() throws IOException {
    try (FaultyDisk disk = new FaultyDisk()) {
      Path node = disk.directory("/node");
      DatasetStore store = DatasetStore.open(new NodeDirectories(node.resolve("cache"), node.resolve("control")));
      Files.createDirectories(store.directory(DATASET));
      VirtualTime time = new VirtualTime(new Random(1));
      Loop loop = time.loop();
      CacheEvictor evictor = new CacheEvictor(loop, "n1", store, Observer.NONE);
      disk.trouble((_, what) -> {
        if (what.startsWith("delete ")) {
          throw new IOException("Input/output error");
        }
      });
      time.await(loop.call(() -> evictor.drop(DATASET)));
      time.runUntil(() -> false, Duration.ofMinutes(1));
      assertThat(node.resolve("cache/.trash")).isNotEmptyDirectory();
      disk.trouble(FaultyDisk.Trouble.NONE);
      loop.later(() -> evictor.keep(new RunCache(run())));
      time.runUntil(() -> false, Duration.ofMinutes(1));
      assertThat(node.resolve("cache/.trash")).isEmptyDirectory();
    }
  }

  /** Each inventory tells them, and each job may have a directory of its own. */
  @Test
  void onlyTheLastPrefixDirectoriesAreRemembered() {
    NodeDirectories directories = new NodeDirectories(directory.resolve("cache"), directory.resolve("cntl"));
    DatasetStore store = DatasetStore.open(directories);
    CacheEvictor evictor = new CacheEvictor(new VirtualTime(new Random(1)).loop(), "n1", store, Observer.NONE);
    for (int i = 0; i <= Limits.MAX_FLUSHED_PREFIXES; i++) {
      store.save(flushed(1, "/always", store));
      store.save(flushed(2, "/p" + i, store));
      assertThat(evictor.prefixes()).contains("/always", "/p" + i);
      store.evict(2);
    }
    assertThat(evictor.prefixes()).hasSize(Limits.MAX_FLUSHED_PREFIXES).contains("/p2").doesNotContain("/p0", "/p1");
  }

  private static DatasetRecord flushed(int id, String prefix, DatasetStore store) {
    var descriptor = new DatasetDescriptor(id, "c" + id, DatasetFlags.CHECKPOINT, id, 1_700_000_000_000_000L,
        new Job("user", "job", "1", "cluster"), new DatasetDescriptor.Totals(0, 0));
    return new DatasetRecord(descriptor, new Origin(prefix, 1), store.cache(id), new RedundancyDescriptor(
        new CheckpointDescriptor(0, true, 1, "NODE", "/tmp", Redundancy.of(Scheme.SINGLE, 8), false), 1),
        FlushState.DONE, List.of());
  }

  private static RunInfo run() {
    return new RunInfo(7, "/p", "job", new RankMap(List.of("n1")), Optional.empty(),
        new RunInfo.InitialState(1, 1, 0, List.of()),
        RunPolicy.of(Descriptors.of(Redundancy.of(Scheme.SINGLE, 8), StoreDescriptor.of("/ssd", 1)),
            FlushPolicy.every(0, true)));
  }

  private static Object result(Callable<Object> work) {
    try {
      return work.call();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static long bytesBelow(Path base) throws Exception {
    try (var files = Files.walk(base)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }
}

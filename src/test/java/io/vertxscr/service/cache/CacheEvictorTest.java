package io.vertxscr.service.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertxscr.node.VertxLoop;
import io.vertxscr.service.Observer;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.NodeDirectories;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

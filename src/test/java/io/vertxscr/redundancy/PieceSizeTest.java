package io.vertxscr.redundancy;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertxscr.config.Settings;
import io.vertxscr.model.Limits;
import io.vertxscr.model.Scheme;
import io.vertxscr.node.EmbeddedCluster;
import io.vertxscr.storage.PieceBuffers;
import io.vertxscr.transfer.TransferEngine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the size of pieces is as configured, and changes nothing but speed. */
class PieceSizeTest {
  @TempDir
  Path root;

  @Test
  void everyTransferThreadOfANodeMovesPiecesAsLargeAsConfigured() {
    Vertx vertx = Vertx.vertx();
    Settings settings = Settings.load(Map.of("SCR_CNTL_BASE", root + "/cntl", "SCR_CACHE_BASE", root + "/cache",
        "SCR_USER_NAME", "user", "SCR_FILE_BUF_SIZE", "300KB"), Optional.empty());
    try (EmbeddedCluster cluster = new EmbeddedCluster(vertx, settings, true)) {
      TransferEngine engine = cluster.start("n1").ground().engine();
      int threads = TransferEngine.defaultThreads();
      var barrier = new CyclicBarrier(threads);           // so that each thread gets one of the jobs
      List<CompletableFuture<Integer>> sizes = IntStream.range(0, threads)
          .mapToObj(i -> engine.submit("size " + i, () -> {
            barrier.await();
            return PieceBuffers.first().capacity() + PieceBuffers.second(Integer.MAX_VALUE).remaining();
          })).toList();
      assertThat(sizes).allSatisfy(size -> assertThat(size.join()).isEqualTo(2 * 300 * 1024));
    } finally {
      vertx.close().await();
    }
  }

  @Test
  void piecesOfAnySizeMakeTheSameRedundancy() throws Exception {
    List<byte[]> standard = redundancy("standard", Limits.PIECE_BYTES);
    for (int bytes : List.of(Limits.MIN_PIECE_BYTES, 300_001, Limits.MAX_PIECE_BYTES)) {
      List<byte[]> other = redundancy("of-" + bytes, bytes);
      for (int i = 0; i < standard.size(); i++) {
        assertThat(other.get(i)).as("file " + i + " with pieces of " + bytes).isEqualTo(standard.get(i));
      }
    }
  }

  private List<byte[]> redundancy(String name, int pieceBytes) {
    CompletableFuture<List<byte[]>> files = new CompletableFuture<>();
    Thread.ofPlatform().start(() -> files.completeAsync(() -> protect(root.resolve(name), pieceBytes), Runnable::run));
    return files.join();
  }

  private static List<byte[]> protect(Path directory, int pieceBytes) {
    PieceBuffers.ofThisThread(pieceBytes);
    var nodes = new TestNodes(directory, Scheme.RS, 5, 3);
    nodes.set.ranks().forEach(rank -> nodes.write(rank, new int[] {300_000 + rank, 7}, new Random(rank)));
    nodes.protect();
    return nodes.set.ranks().stream().map(rank -> {
      try {
        return Files.readAllBytes(nodes.directory(rank).resolve(nodes.redundancyName(rank)));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }).toList();
  }
}

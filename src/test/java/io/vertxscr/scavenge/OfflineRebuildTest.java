package io.vertxscr.scavenge;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.flow.restart.RestorePlan.RankPlan;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Limits;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.Scheme;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.redundancy.range.RangeSource;
import io.vertxscr.redundancy.range.RangeStream;
import io.vertxscr.scavenge.DatasetScanner.Depth;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Goal: a rebuild without daemons is not a serial one, and needs memory for pieces only. Method: its sources are looked
 * at: each holds its first reader until there is one of another thread, and all count what is asked of them.
 */
@Execution(ExecutionMode.CONCURRENT)
class OfflineRebuildTest {
  private static final int FILE_BYTES = 3 << 20;
  private static final long PATIENCE_S = 60;

  @TempDir
  private Path temp;

  /** A source that is watched. */
  private static final class Watched implements RangeSource {
    final CountDownLatch two = new CountDownLatch(2);
    final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    final AtomicInteger largest = new AtomicInteger();
    final AtomicLong bytes = new AtomicLong();
    private final RangeSource source;

    Watched(RangeSource source) {
      this.source = source;
    }

    @Override
    public RangeStream open(RangeRequest request) {
      if (threads.add(Thread.currentThread())) {
        two.countDown();
      }
      try {
        assertThat(two.await(PATIENCE_S, TimeUnit.SECONDS)).as("a second thread reads, too").isTrue();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      RangeStream stream = source.open(request);
      return new RangeStream() {
        @Override
        public void read(ByteBuffer into) {
          largest.accumulateAndGet(into.remaining(), Math::max);
          bytes.addAndGet(into.remaining());
          stream.read(into);
        }

        @Override
        public void close() {
          stream.close();
        }
      };
    }
  }

  @Test
  void theFilesOfOneRankAreMadeByThreadsAtOnceInPiecesEachByteReadOnce() throws Exception {
    TestCaches caches = new TestCaches(temp, Scheme.XOR, 4, 1, FILE_BYTES);
    caches.dataset(6, "b.6");
    caches.lose("n2");
    PrefixPaths paths = new PrefixPaths(caches.prefix);
    caches.nodes().forEach(node -> new ScavengeCopy(node, 6, paths).run());
    DatasetScan scan = DatasetScanner.scan(paths, 6, Depth.SIZES);
    List<RankPlan> plans = MissingFiles.of(scan).rebuilds();
    Watched[] watched = new Watched[1];
    List<RankFiles> rebuilt = new OfflineRebuild(paths, scan, source -> {
      watched[0] = new Watched(source);
      return watched[0];
    }).run(plans);

    assertThat(plans).hasSize(1);
    RankFiles files = rebuilt.getFirst();
    for (FileMeta file : files.files()) {
      assertThat(paths.dataset(6).resolve(file.name()))
          .hasBinaryContent(caches.bytes(6, 2, file.path().contains("/a") ? "a" : "b"));
    }
    assertThat(watched[0].largest).hasValueLessThanOrEqualTo(Limits.PIECE_BYTES);
    assertThat(watched[0].bytes).hasValueBetween(3 * files.bytes() - 100, 3 * files.bytes());
  }
}

package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryContext;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.FlushDescriptor;
import io.vertxscr.model.Job;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.Scheme;
import io.vertxscr.node.VertxLoop;
import io.vertxscr.placement.CacheNames;
import io.vertxscr.prefix.copy.extent.Extent;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapWriter;
import io.vertxscr.protocol.node.restart.FetchRanks;
import io.vertxscr.service.AdmittedPrefixes;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Observer;
import io.vertxscr.service.restart.FetchService;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.FileStamps;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: no more files are read in the prefix directory at once than SCR_FETCH_WIDTH says. */
class FetchWidthTest extends EmbeddedTest {
  private static final long FILE_BYTES = 4 << 20;
  /** Three pieces. */
  private static final long LARGE_BYTES = 2 * Extent.MOST_BYTES + 1;
  private static final String[] RANKS = {"n1", "n1", "n1", "n2", "n2", "n3"};

  /** Readers that are allowed to nodes that have not answered yet, by the address of their answer. */
  private final Map<String, Integer> allowed = new ConcurrentHashMap<>();
  private final AtomicInteger most = new AtomicInteger();
  private final AtomicInteger nodes = new AtomicInteger();

  private void sent(DeliveryContext<Object> sent) {
    if (sent.message().address().endsWith(".node.fetch")) {
      int readers = ((Buffer) sent.body()).toJsonObject().getJsonObject("how").getInteger("readers");
      allowed.put(sent.message().replyAddress(), readers);
      most.accumulateAndGet(allowed.values().stream().mapToInt(Integer::intValue).sum(), Math::max);
      nodes.incrementAndGet();
    }
    allowed.remove(sent.message().address());
    sent.next();
  }

  /** Method: the messages to the nodes are watched, from each question to its answer. */
  @ParameterizedTest
  @CsvSource({"1, 1", "2, 2", "8, 6", "256, 255"})
  void allNodesTogetherMayReadAsManyFilesAtOnceAsTheWidthSays(int width, int used) throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR).flushing(1, false)
        .with("SCR_FETCH_WIDTH", "" + width).with("SCR_DISTRIBUTE", "0"), "n1", "n2", "n3")) {
      cluster.steps(1, 1, RANKS);
      Handler<DeliveryContext<Object>> listener = this::sent;
      vertx.eventBus().addOutboundInterceptor(listener);
      try {
        assertThat(cluster.restart(RANKS)).isEqualTo(1);
      } finally {
        vertx.eventBus().removeOutboundInterceptor(listener);
      }
      assertThat(most).hasValue(used);
      assertThat(nodes).hasValue(3);
      assertThat(allowed).isEmpty();
    }
  }

  /** Method: one rank with six files, or six with one, each large enough for a thread. Readers are blocked. */
  @ParameterizedTest
  @CsvSource({"false, 1", "true, 1", "false, 6", "true, 6"})
  void aNodeReadsNoMoreFilesAtOnceThanAllowedOfAnyRanks(boolean inPlace, int ranks) throws Exception {
    PrefixPaths paths = new PrefixPaths(directory.resolve("prefix"));
    List<RankFiles> written = write(paths, ranks, 6 / ranks, FILE_BYTES);
    assertThat(paths(fetch(paths, ranks, inPlace, 2))).isEqualTo(paths(written));
  }

  /** A replaced file is searched for too, although its pieces differ from the map. */
  @Test
  void aLargeFileIsReadByAsManyAsTheNodeIsAllowed() throws Exception {
    PrefixPaths paths = new PrefixPaths(directory.resolve("prefix"));
    List<RankFiles> written = write(paths, 1, 1, LARGE_BYTES);
    assertThat(fetch(paths, 1, false, 2)).isEqualTo(written.stream().map(FetchWidthTest::cached).toList());
    Path file = paths.file("rank-0-0");
    Files.move(file, paths.kept("rank-0-0", 2));
    Files.write(file, new byte[100]);
    assertThat(paths(fetch(paths, 1, false, 2))).isEqualTo(paths(written));
  }

  private static RankFiles cached(RankFiles rank) {
    CacheNames names = new CacheNames(rank.rank());
    return new RankFiles(rank.rank(), rank.files().stream().map(file ->
        new FileMeta(names.next(file.path()), file.path(), file.bytes(), file.crc(), file.stamp())).toList());
  }

  /** Fetches all, with two readers, and expects that many at once; what the node has then. */
  private List<RankFiles> fetch(PrefixPaths paths, int ranks, boolean inPlace, int expected) throws Exception {
    DatasetDescriptor descriptor = new DatasetDescriptor(1, "step-1", DatasetFlags.CHECKPOINT, 1, 1,
        new Job("user", "job", "1", "alpha"), DatasetDescriptor.Totals.NONE);
    AtomicInteger reading = new AtomicInteger();
    AtomicInteger mostReading = new AtomicInteger();
    CountDownLatch hold = new CountDownLatch(1);
    Loop loop = new VertxLoop(vertx, (what, work) -> onItsOwnThread(() -> {
      if (!what.startsWith(inPlace ? "check" : "fetch")) {
        return work.call();
      }
      mostReading.accumulateAndGet(reading.incrementAndGet(), Math::max);
      try {
        assertThat(hold.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        return work.call();
      } finally {
        reading.decrementAndGet();
      }
    }));
    DatasetStore store = DatasetStore.open(new NodeDirectories(directory.resolve("c2"), directory.resolve("c3")));
    FetchService service = new FetchService(
        loop, AdmittedPrefixes.of(loop, paths.prefix().toString()), "n1", store, Observer.NONE,
        Extent.MOST_BYTES);
    var fetched = loop.call(() -> service.fetch(new FetchRanks(descriptor,
        new Origin(paths.prefix().toString(), ranks, FlushDescriptor.FILES), directory.resolve("c2").toString(),
        new RedundancyDescriptor(new CheckpointDescriptor(0, true, 1, "NODE", directory.resolve("c2").toString(),
            Redundancy.of(Scheme.SINGLE, 8), false), 0),
        IntStream.range(0, ranks).boxed().toList(), new FetchRanks.FetchMode(inPlace, 2)))
        .compose(_ -> service.commit(descriptor.key())));
    Eventually.holds("so many are read", () -> reading.get() == expected || fetched.isComplete());
    hold.countDown();
    fetched.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
    assertThat(mostReading).hasValue(expected);
    return inPlace ? service.inPlace(1).orElseThrow().ranks()
        : store.find(1).orElseThrow().ranks().stream().map(DatasetRecord.RankRecord::files).toList();
  }

  private static List<String> paths(List<RankFiles> ranks) {
    return ranks.stream().flatMap(rank -> rank.files().stream().map(file -> rank.rank() + " " + file.path())).toList();
  }

  /** Files with a map. */
  private static List<RankFiles> write(PrefixPaths paths, int ranks, int filesOfARank, long bytes) throws IOException {
    List<RankFiles> all = new ArrayList<>();
    Files.createDirectories(paths.dataset(1));
    for (int rank = 0; rank < ranks; rank++) {
      List<FileMeta> files = new ArrayList<>();
      for (int i = 0; i < filesOfARank; i++) {
        String path = "rank-" + rank + "-" + i;
        try (RandomAccessFile file = new RandomAccessFile(paths.file(path).toFile(), "rw")) {
          file.setLength(bytes);                          // a hole reads as zeros
        }
        files.add(new FileMeta(path, path, bytes, OptionalInt.of(FileChecks.crc(paths.file(path))),
            Optional.of(FileStamps.read(paths.file(path)))));
      }
      all.add(new RankFiles(rank, files));
    }
    RankMapWriter map = new RankMapWriter(paths, 1, ranks, ranks);
    map.writePart(0, all);
    map.writeRoot();
    return all;
  }

  private static CompletableFuture<Object> onItsOwnThread(Callable<Object> work) {
    CompletableFuture<Object> done = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> {
      try {
        done.complete(work.call());
      } catch (Exception e) {
        done.completeExceptionally(e);
      }
    });
    return done;
  }
}

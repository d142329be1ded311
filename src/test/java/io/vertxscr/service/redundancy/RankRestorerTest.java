package io.vertxscr.service.redundancy;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.flow.restart.RestorePlan.Action;
import io.vertxscr.flow.restart.RestorePlan.RankPlan;
import io.vertxscr.format.Samples;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.restart.LayoutReply;
import io.vertxscr.protocol.node.restart.RankLayout;
import io.vertxscr.protocol.node.restart.RestoreRanks;
import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.redundancy.range.RangeStream;
import io.vertxscr.service.LeaderlessBus;
import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a large rank is restored in parts, whole or not at all. Method: two files of several parts together come from a
 * node that does not exist; jobs run in a seeded order of virtual time.
 */
class RankRestorerTest {
  private static final int RANK = 3;
  private static final long FIRST_BYTES = RankRestorer.PART_BYTES * 2 + 5;
  private static final long SECOND_BYTES = 1_000_003;

  @TempDir
  private Path directory;
  private final VirtualTime time = new VirtualTime(new Random(Long.getLong("seed", 1)));
  private final List<RangeRequest> opened = new ArrayList<>();
  private Loop loop;
  private DatasetStore store;
  private RankFiles files;
  /** Where reading fails; behind all bytes: nowhere. */
  private long failsAt = Long.MAX_VALUE;

  @BeforeEach
  void begin() {
    loop = time.loop(new LocalFiles(FileSystems.getDefault()));
    store = DatasetStore.open(new NodeDirectories(directory.resolve("cache"), directory.resolve("control")));
    files = new RankFiles(RANK, List.of(file("a", 0, FIRST_BYTES), file("b", FIRST_BYTES, SECOND_BYTES)));
  }

  /** Byte of the logical file. */
  private static byte at(long offset) {
    return (byte) (offset * 31 + (offset >> 20));
  }

  private static FileMeta file(String name, long begin, long bytes) {
    CRC32 crc = new CRC32();
    for (long at = begin; at < begin + bytes; at++) {
      crc.update(at(at));
    }
    return new FileMeta(name, "/p/" + name, bytes, OptionalInt.of((int) crc.getValue()), Optional.empty());
  }

  /** Bytes of the logical file, as if they came from the other node. */
  private final class Bytes implements RangeStream {
    private long at;

    Bytes(RangeRequest request) {
      opened.add(request);
      at = request.offset();
    }

    @Override
    public void read(ByteBuffer into) {
      while (into.hasRemaining()) {
        if (at == failsAt) {
          throw new ScrException(Fault.NODE_LOST, "n2 has left the cluster");
        }
        into.put(at(at++));
      }
    }

    @Override
    public void close() {
      // nothing is open
    }
  }

  /** A node that has the files. */
  private final class Other extends LeaderlessBus {
    @Override
    public <A> Future<A> ask(String node, NodeVerb verb, Object request, Class<A> answer) {
      return Future.succeededFuture(answer.cast(
          new LayoutReply(List.of(new RankLayout(files, Optional.empty())), "/elsewhere")));
    }
  }

  private Future<RankFiles> restore() {
    RankRestorer restorer = new RankRestorer(loop, new Other(), store, (_, _) -> Bytes::new);
    RankPlan plan = new RankPlan(RANK, Action.MOVE, "n2", Samples.SET, List.of());
    RestoreRanks request = new RestoreRanks(Samples.record().descriptor(), new Origin("/p", 4),
        store.directories().base().toString(), Samples.REDUNDANCY, FlushState.NOT_WANTED, List.of(plan));
    Future<RankFiles> restored = loop.call(() -> restorer.restore(request, plan));
    time.runUntil(restored::isComplete, Duration.ofMinutes(1));
    return restored;
  }

  private Path dataset() {
    return store.directory(Samples.record().descriptor().id());
  }

  /** All that is in the directory of the dataset, but for the directory of drafts. */
  private List<String> left() throws IOException {
    try (Stream<Path> all = Files.walk(dataset())) {
      return all.map(path -> dataset().relativize(path).toString()).filter(path -> !Set.of("", ".scr").contains(path))
          .sorted().toList();
    }
  }

  @Test
  void partsMakeTheFilesThatWereThere() throws IOException {
    assertThat(restore().result()).isEqualTo(files);

    assertThat(opened).extracting(RangeRequest::offset)
        .containsExactlyInAnyOrder(0L, RankRestorer.PART_BYTES, 2 * RankRestorer.PART_BYTES);
    assertThat(left()).containsExactly("a", "b");
    for (FileMeta file : files.files()) {
      assertThat(FileChecks.problem(dataset(), file)).isEmpty();
    }
  }

  @Test
  void aPartThatFailsLeavesNothing() throws IOException {
    failsAt = RankRestorer.PART_BYTES + 4711;
    assertThat(restore().cause()).isInstanceOfSatisfying(ScrException.class,
        cause -> assertThat(cause.fault()).isEqualTo(Fault.NODE_LOST));
    assertThat(left()).isEmpty();
  }

  @Test
  void otherBytesThanWereProtectedAreCorruptAndLeaveWhatWasThere() throws IOException {
    Files.writeString(Files.createDirectories(dataset()).resolve("a"), "before");
    files = new RankFiles(RANK, List.of(files.files().get(0).withCrc(1), files.files().get(1)));
    assertThat(restore().cause()).isInstanceOfSatisfying(ScrException.class,
        cause -> assertThat(cause.fault()).isEqualTo(Fault.CORRUPT));
    assertThat(left()).containsExactly("a");
    assertThat(dataset().resolve("a")).hasContent("before");
  }

  @Test
  void aSmallRankIsOneJob() throws IOException {
    files = new RankFiles(RANK, List.of(file("small", 0, 4711)));
    assertThat(restore().result()).isEqualTo(files);
    assertThat(opened).hasSize(1);
    assertThat(left()).containsExactly("small");
  }
}

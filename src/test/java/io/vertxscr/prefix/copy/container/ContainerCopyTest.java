package io.vertxscr.prefix.copy.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.format.HashFile;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.Leaf;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.format.prefix.RankFileMap.Segment;
import io.vertxscr.format.prefix.RankFileMapFile;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta.Stamp;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.ContainerLayout;
import io.vertxscr.prefix.copy.extent.Extent;
import io.vertxscr.prefix.copy.extent.Meter;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.storage.FileStamps;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: files come out of containers unchanged, or are refused; durable extents are not copied again. */
@Execution(ExecutionMode.CONCURRENT)
class ContainerCopyTest {
  private static final int ID = 7;

  @TempDir
  Path directory;
  PrefixPaths paths;
  Path cache;
  ContainerPaths containers;

  @BeforeEach
  void makeDirectories() throws IOException {
    paths = new PrefixPaths(Files.createDirectories(directory.resolve("prefix")));
    cache = Files.createDirectories(directory.resolve("cache"));
    containers = new ContainerPaths(paths.dataset(ID));
  }

  private RankFiles cached(int rank, int... sizes) throws IOException {
    List<FileMeta> files = new ArrayList<>();
    for (int i = 0; i < sizes.length; i++) {
      String name = "rank." + rank + "/f" + i;
      byte[] bytes = new byte[sizes[i]];
      new Random(31L * rank + i).nextBytes(bytes);
      Path file = NodeDirectories.resolve(cache, name);
      Files.createDirectories(file.getParent());
      Files.write(file, bytes);
      CRC32 crc = new CRC32();
      crc.update(bytes);
      Stamp stamp = new Stamp(0600 | i % 8, 1_600_000_000L + rank, i);
      FileStamps.apply(stamp, file);
      files.add(new FileMeta(name, "out/f" + i + "." + rank, bytes.length, OptionalInt.of((int) crc.getValue()),
          Optional.of(stamp)));
    }
    return new RankFiles(rank, files);
  }

  private ContainerDrafts drafts(String layout) {
    return new ContainerDrafts(paths, ID, layout);
  }

  private ContainerCopy copy(String layout, PackedRanks packed) {
    return new ContainerCopy(ID, ContainerDrafts.directory(paths, ID, layout), cache, packed);
  }

  private static long copyAll(ContainerCopy copy) {
    AtomicLong passed = new AtomicLong();
    for (Extent extent : copy.extents(List.of())) {
      extent.copy(passed::addAndGet);
    }
    return passed.get();
  }

  private void readBack(List<RankFiles> ranks, PackedRanks packed) throws IOException {
    List<FlushedFile> all = ranks.stream().flatMap(rank -> packed.entry(rank.rank()).files().stream()).toList();
    try (ContainerReader reader = new ContainerReader(paths.dataset(ID), all)) {
      for (RankFiles rank : ranks) {
        for (FlushedFile file : packed.entry(rank.rank()).files()) {
          Path to = directory.resolve("back");
          reader.checkSize(file, "f");
          reader.copy(file, "f", to);
          FileMeta original = rank.files().stream()
              .filter(other -> other.path().equals(file.path())).findFirst().orElseThrow();
          assertThat(to).hasSameBinaryContentAs(NodeDirectories.resolve(cache, original.name()));
          assertThat(FileStamps.read(to)).isEqualTo(original.stamp().orElseThrow());
          Files.delete(to);
        }
      }
    }
  }

  @RepeatedTest(20)
  void filesOfAnyShapeComeOutOfContainersOfAnySizeAsTheyWentIn(RepetitionInfo repetition) throws IOException {
    Random random = new Random(repetition.getCurrentRepetition());
    List<RankFiles> ranks = new ArrayList<>();
    for (int rank = 0; rank < 1 + random.nextInt(4); rank++) {
      ranks.add(cached(rank, random.ints(random.nextInt(6), 0, 1 + random.nextInt(9000)).toArray()));
    }
    ContainerLayout layout = new ContainerLayout(1 + random.nextInt(10_000), 1 + random.nextInt(100));
    // two nodes: ranks in this order
    int split = random.nextInt(ranks.size() + 1);
    List<List<RankFiles>> nodes = List.of(ranks.subList(0, split), ranks.subList(split, ranks.size()));
    List<Long> bytes = nodes.stream().map(node -> node.stream().mapToLong(RankFiles::bytes).sum()).toList();
    List<Long> starts = layout.starts(bytes);
    assertThat(drafts("l").prepare()).isFalse();
    List<PackedRanks> packed = IntStream.range(0, 2)
        .mapToObj(node -> new PackedRanks(layout, starts.get(node), nodes.get(node))).toList();
    packed.forEach(node -> copyAll(copy("l", node)));
    drafts("l").publish(layout.containers(starts.getLast() + bytes.getLast()));
    drafts("l").clean();
    for (int node = 0; node < 2; node++) {
      readBack(nodes.get(node), packed.get(node));
    }
    assertThat(ContainerDrafts.directory(paths, ID, "l")).doesNotExist();
  }

  @Test
  void theMapHasTheSegmentsOfTheDocumentsExample() {
    FileMeta before = new FileMeta("rank.1/a", "rank_1.ckpt", 524_295, OptionalInt.of(1));
    FileMeta file = new FileMeta("rank.2/a", "rank_2.ckpt", 524_296, OptionalInt.of(2));
    PackedRanks packed = new PackedRanks(new ContainerLayout(300_000, 1), 0,
        List.of(new RankFiles(1, List.of(before)), new RankFiles(2, List.of(file))));
    RankEntry entry = packed.entry(2);
    assertThat(entry.files().getFirst().segments()).containsExactly(new Segment(".scr/ctr.1.scr", 224_295, 75_705),
        new Segment(".scr/ctr.2.scr", 0, 300_000), new Segment(".scr/ctr.3.scr", 0, 148_591));
    Leaf leaf = new Leaf(3, List.of(entry));
    assertThat(RankFileMapFile.decode(RankFileMapFile.encode(leaf))).isEqualTo(leaf);
    assertThat(HashFile.dump(RankFileMapFile.encode(leaf))).contains("""
        rank_2.ckpt
          SIZE
            524296
          CRC
            0x00000002
          SEG
            0
              FILE
                .scr/ctr.1.scr
              OFFSET
                224295
              LENGTH
                75705
            1
              FILE
                .scr/ctr.2.scr
              OFFSET
                0
              LENGTH
                300000
            2
              FILE
                .scr/ctr.3.scr
              OFFSET
                0
              LENGTH
                148591
        """.indent(6));
  }

  @Test
  void durableExtentsAreNotCopiedAgain() throws IOException {
    PackedRanks packed = new PackedRanks(new ContainerLayout(10_000, 1), 0, List.of(cached(0, 5000, 7000)));
    drafts("l").prepare();
    assertThat(copyAll(copy("l", packed))).isEqualTo(12_000);
    assertThat(drafts("l").prepare()).as("all is copied").isFalse();
    assertThat(copyAll(copy("l", packed))).isZero();
    drafts("l").publish(2);
    assertThat(drafts("l").prepare()).as("nobody may write any more").isTrue();
    drafts("l").publish(2);
    drafts("l").publish(2);
    readBack(List.of(packed.files(0)), packed);
  }

  @Test
  void anotherLayoutBeginsAnewAndALateWriterOfTheOldOneFindsNoDirectory() throws IOException {
    PackedRanks old = new PackedRanks(new ContainerLayout(10_000, 1), 0, List.of(cached(0, 5000)));
    drafts("old").prepare();
    copyAll(copy("old", old));
    drafts("old").publish(1);
    PackedRanks other = new PackedRanks(new ContainerLayout(10_000, 1), 0, List.of(cached(1, 300), cached(0, 5000)));
    assertThat(drafts("new").prepare()).isFalse();
    assertThatThrownBy(() -> copyAll(copy("old", old))).isInstanceOf(ScrException.class);
    copyAll(copy("new", other));
    drafts("new").publish(1);
    readBack(List.of(other.files(1), other.files(0)), other);
  }

  @Test
  void aContainerThatIsGoneBeforeItIsPublishedHasAllCopiedAgain() throws IOException {
    PackedRanks packed = new PackedRanks(new ContainerLayout(4096, 1), 0, List.of(cached(0, 5000)));
    drafts("l").prepare();
    copyAll(copy("l", packed));
    Files.delete(ContainerDrafts.directory(paths, ID, "l").resolve("ctr.1.scr"));
    refused(Fault.NO_SUCH_FILE, () -> drafts("l").publish(2));
    assertThat(drafts("l").prepare()).isFalse();
    assertThat(copyAll(copy("l", packed))).isEqualTo(5000);
    drafts("l").publish(2);
    readBack(List.of(packed.files(0)), packed);
  }

  @Test
  void aCachedFileThatHasChangedIsNotMarkedAsCopied() throws IOException {
    PackedRanks packed = new PackedRanks(new ContainerLayout(100_000, 1), 0, List.of(cached(0, 5000, 300)));
    drafts("l").prepare();
    Path file = cache.resolve("rank.0/f1");
    byte[] good = Files.readAllBytes(file);
    byte[] bad = good.clone();
    bad[17] ^= 4;
    Files.write(file, bad);
    refused(Fault.CORRUPT, () -> copyAll(copy("l", packed)));
    Files.write(file, new byte[200]);
    refused(Fault.CORRUPT, () -> copyAll(copy("l", packed)));
    Files.delete(file);
    refused(Fault.NO_SUCH_FILE, () -> copyAll(copy("l", packed)));
    Files.write(file, good);
    assertThat(copyAll(copy("l", packed))).isEqualTo(5300);
  }

  @Test
  void everyFlippedByteAndEveryTruncationOfAContainerIsFound() throws IOException {
    PackedRanks packed = new PackedRanks(new ContainerLayout(4096, 1), 0, List.of(cached(0, 90, 0, 41)));
    drafts("l").prepare();
    copyAll(copy("l", packed));
    drafts("l").publish(1);
    Path container = containers.named(".scr/ctr.0.scr");
    byte[] good = Files.readAllBytes(container);
    for (int at = 0; at < good.length; at++) {
      byte[] bad = good.clone();
      bad[at] ^= 16;
      Files.write(container, bad);
      refused(Fault.CORRUPT, () -> readBack(List.of(packed.files(0)), packed));
      Files.write(container, java.util.Arrays.copyOf(good, at));
      refused(Fault.CORRUPT, () -> readBack(List.of(packed.files(0)), packed));
    }
    Files.delete(container);
    refused(Fault.CORRUPT, () -> readBack(List.of(packed.files(0)), packed));
    assertThat(directory.resolve("back")).doesNotExist();
  }

  /** Files come several with one read: what is missing behind a file is not held against it. */
  @Test
  void aContainerThatEndsEarlyIsHeldAgainstNoFileThatEndsBefore() throws IOException {
    PackedRanks packed = new PackedRanks(new ContainerLayout(4096, 1), 0, List.of(cached(0, 90, 0, 41, 7)));
    drafts("l").prepare();
    copyAll(copy("l", packed));
    drafts("l").publish(1);
    Path container = containers.named(".scr/ctr.0.scr");
    byte[] good = Files.readAllBytes(container);
    List<FlushedFile> files = packed.entry(0).files();
    for (int at = 0; at < good.length; at++) {
      Files.write(container, java.util.Arrays.copyOf(good, at));
      for (List<FlushedFile> wanted : List.of(files, List.<FlushedFile>of())) {
        try (ContainerReader reader = new ContainerReader(paths.dataset(ID), wanted)) {
          for (FlushedFile file : files) {
            long end = file.segments().stream().filter(piece -> piece.bytes() > 0)
                .mapToLong(piece -> piece.offset() + piece.bytes()).max().orElse(0);
            if (end <= at) {
              assertThat(reader.check(file, "f").bytes()).isEqualTo(file.bytes().orElseThrow());
            } else {
              refused(Fault.CORRUPT, () -> reader.check(file, "f"));
            }
          }
        }
      }
    }
  }

  @Test
  void aSegmentThatLeadsOutOfTheDatasetIsRefused() {
    for (String name : List.of("../../index.scr", "/etc/passwd", "", ".", "a/../..", "x\0y")) {
      refused(Fault.CORRUPT, () -> containers.named(name));
    }
  }

  @Test
  void thousandsOfSmallFilesAreWrittenInFewLargePieces() throws IOException {
    PackedRanks packed = new PackedRanks(new ContainerLayout(100 << 20, 1), 0,
        List.of(cached(0, IntStream.generate(() -> 1024).limit(3000).toArray())));
    drafts("l").prepare();
    AtomicLong writes = new AtomicLong();
    Meter counting = _ -> writes.incrementAndGet();
    copy("l", packed).extents(List.of()).forEach(extent -> extent.copy(counting));
    assertThat(writes.get()).isLessThanOrEqualTo(6);      // 3 MB in pieces of 512 KiB
  }

  private static void refused(Fault fault, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOfSatisfying(ScrException.class,
        e -> assertThat(e.fault()).as(e.getMessage()).isEqualTo(fault));
  }
}

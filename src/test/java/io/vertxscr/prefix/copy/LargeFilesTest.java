package io.vertxscr.prefix.copy;

import static io.vertxscr.prefix.metadata.Samples.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.extent.Extent;
import io.vertxscr.prefix.metadata.Samples;
import io.vertxscr.recorded.FaultyDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: of a large file, what is durable is not copied again, and nothing else is taken for durable. */
@Execution(ExecutionMode.CONCURRENT)
class LargeFilesTest {
  private static final int EXTENT_BYTES = 9;                // of files of 40 bytes: five extents, the last is short
  private static final int EXTENTS = 5;

  @TempDir
  Path temp;
  private Samples samples;
  private RankFiles rank;
  private FileMeta file;

  @BeforeEach
  void makeSamples() {
    samples = new Samples(temp);
    makeFile();
  }

  private void makeFile() {
    rank = samples.cached(3, 0, "d/big");
    file = rank.files().getFirst();
  }

  private FlushCopy copy(String node) {
    return new FlushCopy(samples.paths, Samples.owner(3, node), samples.cacheOf(3), new OwnDrafts())
        .resuming(EXTENT_BYTES);
  }

  /** Copies these extents; how many bytes that took. */
  private long copy(FlushCopy copy, int subset) {
    AtomicLong passed = new AtomicLong();
    List<Extent> extents = copy.extents(List.of(rank));
    assertThat(extents).hasSize(EXTENTS);
    for (int extent = 0; extent < EXTENTS; extent++) {
      if ((subset >> extent & 1) == 1) {
        extents.get(extent).copy(passed::addAndGet);
      }
    }
    return passed.get();
  }

  private static long bytes(int subset) {
    return 9L * Integer.bitCount(subset) - ((subset >> (EXTENTS - 1) & 1) == 1 ? 5 : 0);
  }

  @Test
  void copiedExtentsAreNotCopiedAgain() throws IOException {
    int all = (1 << EXTENTS) - 1;
    for (int subset = 0; subset <= all; subset++) {
      assertThat(copy(copy("n1"), subset)).isEqualTo(bytes(subset));
      FlushCopy next = copy("n1");
      assertThat(copy(next, all)).as("after %s", Integer.toBinaryString(subset)).isEqualTo(bytes(all & ~subset));
      next.publish(rank.files());
      assertThat(samples.prefix.resolve("d/big")).hasBinaryContent(Samples.bytes(3, 0, "d/big"));
      assertThat(Samples.tree(samples.prefix)).containsOnlyKeys("d/big");
      next.publish(rank.files());                         // repeated
      Files.delete(samples.prefix.resolve("d/big"));
    }
  }

  @Test
  void whatIsDurableIsNotCopiedAgainForOneErrorAtTheLookAtTheDraft() throws IOException {
    try (FaultyDisk disk = new FaultyDisk()) {
      samples = new Samples(disk.directory("/job"));
      makeFile();
      copy(copy("n1"), 0b00111);
      Path draft = samples.paths.draft(file.path(), Samples.owner(3));
      disk.looks(FaultyDisk.Look.failsOnce(draft::equals));
      refused(Fault.IO, () -> copy(copy("n1"), 0b11111), draft.toString());
      assertThat(copy(copy("n1"), 0b11111)).isEqualTo(bytes(0b11000));
    }
  }

  @Test
  void norForOneErrorAtTheReadOfItsMarks() throws IOException {
    try (FaultyDisk disk = new FaultyDisk()) {
      samples = new Samples(disk.directory("/job"));
      makeFile();
      copy(copy("n1"), 0b00111);
      Path marks = samples.paths.marks(file.path(), Samples.owner(3));
      boolean[] failed = new boolean[1];
      disk.trouble((_, what) -> {
        if (!failed[0] && what.equals("read " + marks)) {
          failed[0] = true;
          throw new IOException("Input/output error");
        }
      });
      assertThat(copy(copy("n1"), 0b11111)).isEqualTo(bytes(0b11000));
      assertThat(failed[0]).isTrue();
    }
  }

  @Test
  void anUnreadFileGetsItsChecksumFromAllExtentsWhoeverHasCopiedThem() {
    rank = samples.unread(3, 0, "d/big");
    copy(copy("n1"), 0b00001);
    FlushCopy next = copy("n1");
    copy(next, 0b11010);
    assertThat(next.learned().isEmpty()).as("an extent is missing").isTrue();
    copy(next, 0b00100);
    assertThat(next.learned().into(rank).files().getFirst().crc()).isEqualTo(file.crc());
  }

  @Test
  void everyOwnerHasADraftOfItsOwnAndWhoFindsItGoneBeginsAnew() throws IOException {
    copy(copy("n1"), 0b11);
    assertThat(copy(copy("n2"), 0b111)).isEqualTo(27);
    assertThat(copy(copy("n1"), 0b111)).as("n1 resumes its own").isEqualTo(9);
    Files.delete(samples.paths.draft(file.path(), Samples.owner(3)));
    assertThat(copy(copy("n1"), 0b11111)).isEqualTo(40);
  }

  @Test
  void everyFlippedBitOfTheCachedFileIsFoundWheneverItFlips() throws IOException {
    Path cached = samples.cacheOf(3).resolve(file.name());
    byte[] good = Files.readAllBytes(cached);
    for (int bit = 0; bit < 8 * good.length; bit++) {
      copy(copy("n1"), 0b00111);
      byte[] bad = good.clone();
      bad[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(cached, bad);
      FlushCopy next = copy("n1");
      if (bit / 8 < 27) {
        assertThat(copy(next, 0b11111)).as("it flipped after it was copied").isEqualTo(13);
      } else {
        assertThatThrownBy(() -> copy(next, 0b11111)).isInstanceOfSatisfying(ScrException.class,
            e -> assertThat(e.fault()).isEqualTo(Fault.CORRUPT)).hasMessageContaining("d/big");
      }
      next.discard(rank.files());
      assertThat(Samples.tree(samples.prefix)).as("discarded").isEmpty();
      Files.write(cached, good);
    }
  }
}

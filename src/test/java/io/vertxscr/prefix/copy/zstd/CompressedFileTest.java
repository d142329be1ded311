package io.vertxscr.prefix.copy.zstd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdInputStream;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.extent.CheckedPiece;
import io.vertxscr.prefix.copy.extent.LargeDraft.Places;
import io.vertxscr.prefix.copy.extent.Meter;
import io.vertxscr.prefix.copy.extent.ResumableCopy;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.storage.object.MemoryObjectStore;
import io.vertxscr.storage.object.ObjectMachine;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: decompression is lossless, or refused; a resumed draft gives the same file. Method: small frames, marks after
 * each two; every bit flipped, every length cut, every write interrupted.
 */
@Execution(ExecutionMode.CONCURRENT)
class CompressedFileTest {
  private static final int FRAME_BYTES = 64;
  private static final int PART_BYTES = 1000;

  @TempDir
  Path temp;
  private Path source;
  private Path draft;
  private Path back;
  private int frameBytes = FRAME_BYTES;

  @BeforeEach
  void nameFiles() {
    source = temp.resolve("source");
    draft = temp.resolve("file.zst");
    back = temp.resolve("back");
  }

  private static byte[] content(int bytes) {
    byte[] content = new byte[bytes];
    new Random(bytes).nextBytes(content);
    Arrays.fill(content, bytes / 3, bytes / 2, (byte) 'a');
    return content;
  }

  private FileMeta file(byte[] content) throws IOException {
    Files.write(source, content);
    CRC32 crc = new CRC32();
    crc.update(content);
    return new FileMeta("source", "file", content.length, OptionalInt.of((int) crc.getValue()));
  }

  private CompressedDraft draft(FileMeta file, int level, Optional<String> owner) {
    return new CompressedDraft(new Places(source, draft, temp.resolve("marks")), file, "the cached copy",
        new CompressedDraft.Manner(level, frameBytes, 2L * frameBytes, owner));
  }

  private static void write(CompressedDraft draft, Meter meter) {
    ResumableCopy.run(draft.copy(meter));
  }

  private CompressedFile stored(FileMeta file) throws IOException {
    return new CompressedFile(draft, FlushedFile.of(file).compressed(Files.size(draft)), "the file");
  }

  private static void assertCorrupt(Runnable reading, String as) {
    assertThatThrownBy(reading::run).as(as).isInstanceOfSatisfying(ScrException.class,
        e -> assertThat(e.fault()).isEqualTo(Fault.CORRUPT)).hasMessageContaining("the file");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 63, 64, 65, 127, 128, 129, 640, 1003})
  void everyLengthComesBackAndEveryZstdReaderReadsItToo(int bytes) throws IOException {
    byte[] content = content(bytes);
    FileMeta file = file(content);
    for (int level : new int[] {1, 3, 19}) {
      write(draft(file, level, Optional.empty()), Meter.NONE);
      assertThat(stored(file).copy(back).bytes()).isEqualTo(bytes);
      assertThat(back).hasBinaryContent(content);
      assertThat(stored(file).check().crc()).isEqualTo(file.crc().getAsInt());
      stored(file).checkSize();
      for (long pieceBytes = 1; pieceBytes < bytes + 2L; pieceBytes += 31) {
        compareInPieces(stored(file), pieceBytes);
      }
      try (ZstdInputStream other = new ZstdInputStream(Files.newInputStream(draft))) {
        assertThat(other.readAllBytes()).isEqualTo(content);
      }
    }
  }

  @Test
  void aFileOfUsualFramesIsSmallerWhereItCanBeAndHardlyLargerWhereItCannot() throws IOException {
    byte[] content = new byte[3 * FrameCoder.FRAME_BYTES + 5];
    FileMeta even = file(content);
    Places places = new Places(source, draft, temp.resolve("marks"));
    write(new CompressedDraft(places, even, "x", CompressedDraft.Manner.of(3, 1 << 26, Optional.empty())), Meter.NONE);
    assertThat(Files.size(draft)).isLessThan(1000);
    stored(even).copy(back);
    assertThat(back).hasBinaryContent(content);
    new Random(1).nextBytes(content);
    FileMeta random = file(content);
    write(new CompressedDraft(places, random, "x", CompressedDraft.Manner.of(1, 1 << 26, Optional.empty())),
        Meter.NONE);
    assertThat(Files.size(draft)).isBetween((long) content.length, content.length + 400L);
    stored(random).copy(back);
    assertThat(back).hasBinaryContent(content);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 50})
  void everyFlippedBitIsRefusedUnlessItMeansNothingToZstd(int bytes) throws IOException {
    frameBytes = 40;
    byte[] content = content(bytes);
    FileMeta file = file(content);
    write(draft(file, 3, Optional.empty()), Meter.NONE);
    CompressedFile stored = stored(file);
    byte[] good = Files.readAllBytes(draft);
    int unseen = 0;
    for (int bit = 0; bit < 8 * good.length; bit++) {
      byte[] bad = good.clone();
      bad[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(draft, bad);
      boolean comesBack = comesBack(stored);
      assertThat(isGoodInPieces(stored)).as("bit %d", bit).isEqualTo(comesBack);
      if (comesBack) {
        unseen++;
        assertThat(back).as("bit %d", bit).hasBinaryContent(content);
        Files.delete(back);
      }
      assertThat(back).doesNotExist();
    }
    assertThat(unseen).as("of %d bits", 8 * good.length).isLessThanOrEqualTo(good.length / 16);
  }

  private static void compareInPieces(CompressedFile stored, long pieceBytes) {
    List<CheckedPiece> pieces = stored.pieces(pieceBytes);
    stored.compare(CheckedPiece.combine(pieces, pieces.stream().map(piece -> piece.crc().getAsInt()).toList()));
  }

  private static boolean isGoodInPieces(CompressedFile stored) {
    try {
      compareInPieces(stored, 41);
      return true;
    } catch (ScrException e) {
      assertThat(e.fault()).isEqualTo(Fault.CORRUPT);
      assertThat(e).hasMessageContaining("the file");
      return false;
    }
  }

  private boolean comesBack(CompressedFile stored) {
    try {
      stored.copy(back);
      return true;
    } catch (ScrException e) {
      assertThat(e.fault()).isEqualTo(Fault.CORRUPT);
      assertThat(e).hasMessageContaining("the file");
      return false;
    }
  }

  @Test
  void everyOtherLengthIsRefusedWhetherTheMapSaysTheLengthOrNot() throws IOException {
    FileMeta file = file(content(150));
    write(draft(file, 3, Optional.empty()), Meter.NONE);
    List<CompressedFile> readers =
        List.of(stored(file), new CompressedFile(draft, FlushedFile.of(file), "the file"));
    byte[] good = Files.readAllBytes(draft);
    for (int length = 0; length < good.length + 20; length++) {
      Files.write(draft, Arrays.copyOf(good, length));
      for (CompressedFile reader : length == good.length ? List.<CompressedFile>of() : readers) {
        assertCorrupt(reader::check, length + " bytes");
        assertCorrupt(reader::checkSize, length + " bytes");
      }
    }
    Files.delete(draft);
    assertCorrupt(readers.getFirst()::check, "gone");
  }

  @Test
  void anotherFileThatIsWholeIsRefused() throws IOException {
    FileMeta file = file(content(150));
    byte[] other = content(150);
    other[7]++;
    write(draft(file(other), 3, Optional.empty()), Meter.NONE);
    assertCorrupt(() -> new CompressedFile(draft, FlushedFile.of(file), "the file").check(), "same length");
  }

  @Test
  void durableFramesAreNotWrittenAgainForOneErrorAtTheLookAtTheDraft() throws IOException {
    try (FaultyDisk disk = new FaultyDisk()) {
      temp = disk.directory("/job");
      nameFiles();
      FileMeta file = file(content(10 * FRAME_BYTES));
      CompressedDraft dies = draft(file, 3, Optional.of("n1"));
      assertThatThrownBy(() -> write(dies, dyingAfter(6, new ArrayList<>()))).hasMessage("died");
      disk.looks(FaultyDisk.Look.failsOnce(draft::equals));
      CompressedDraft fails = draft(file, 3, Optional.of("n1"));
      assertThatThrownBy(() -> write(fails, Meter.NONE)).hasMessageContaining("Input/output error");
      List<Integer> passed = new ArrayList<>();
      write(draft(file, 3, Optional.of("n1")), passed::add);
      assertThat(passed).as("four frames and the table").hasSize(5);
    }
  }

  /** Each of its operations fails once. */
  @Test
  void anErrorOfTheFileSystemAmidACheckIsToldAsOne() throws IOException {
    try (FaultyDisk disk = new FaultyDisk()) {
      temp = disk.directory("/job");
      nameFiles();
      FileMeta file = file(content(3 * FRAME_BYTES));
      write(draft(file, 3, Optional.empty()), Meter.NONE);
      CompressedFile stored = stored(file);
      disk.trouble(FaultyDisk.Trouble.NONE);
      stored.check();
      int operations = disk.operations().size();
      assertThat(operations).as("open, reads, close").isGreaterThan(4);
      for (int at = 1; at <= operations; at++) {
        disk.trouble(FaultyDisk.Trouble.failureAt(at, "Input/output error"));
        assertThatThrownBy(stored::check).as("operation %d", at).isInstanceOfSatisfying(ScrException.class,
            e -> assertThat(e.fault()).isEqualTo(Fault.IO)).hasMessageContaining(draft.toString());
      }
    }
  }

  /** Passes so many pieces, then ends the copy as a daemon that dies. */
  private static Meter dyingAfter(int pieces, List<Integer> passed) {
    return bytes -> {
      if (passed.size() == pieces) {
        throw new ScrException(Fault.STOPPING, "died");
      }
      passed.add(bytes);
    };
  }

  @Test
  void durableFramesAreNotWrittenAgainAfterAnyInterruption() throws IOException {
    FileMeta file = file(content(10 * FRAME_BYTES + 3));
    write(draft(file, 3, Optional.of("n1")), Meter.NONE);
    byte[] whole = Files.readAllBytes(draft);
    for (int pieces = 0; pieces < 12; pieces++) {
      Files.deleteIfExists(temp.resolve("marks"));
      int end = pieces;
      assertThatThrownBy(() -> write(draft(file, 3, Optional.of("n1")), dyingAfter(end, new ArrayList<>())))
          .hasMessage("died");
      List<Integer> passed = new ArrayList<>();
      write(draft(file, 3, Optional.of("n1")), passed::add);
      assertThat(Files.readAllBytes(draft)).as("after %d pieces", pieces).isEqualTo(whole);
      assertThat(passed).hasSize(12 - pieces / 2 * 2);
    }
  }

  @Test
  void marksThatAreTornInAnyPlaceAreUsedAsFarAsTheyGo() throws IOException {
    FileMeta file = file(content(4 * FRAME_BYTES));
    assertThatThrownBy(() -> write(draft(file, 3, Optional.of("n1")), dyingAfter(3, new ArrayList<>())));
    byte[] part = Files.readAllBytes(draft);
    byte[] marks = Files.readAllBytes(temp.resolve("marks"));
    write(draft(file, 3, Optional.of("n1")), Meter.NONE);
    byte[] whole = Files.readAllBytes(draft);
    for (int length = 0; length <= marks.length; length++) {
      Files.write(draft, part);
      Files.write(temp.resolve("marks"), Arrays.copyOf(marks, length));
      List<Integer> passed = new ArrayList<>();
      write(draft(file, 3, Optional.of("n1")), passed::add);
      assertThat(Files.readAllBytes(draft)).as("%d of %d bytes", length, marks.length).isEqualTo(whole);
      int frames = Math.max(0, (length - (marks.length - 2 * 36)) / 36);
      assertThat(passed).hasSize(5 - frames);
    }
  }

  @Test
  void anotherOwnerOrLevelBeginsAnewAndSoDoesWhoFindsTheDraftShorter() throws IOException {
    FileMeta file = file(content(10 * FRAME_BYTES));
    List<Runnable> changes = List.of(() -> {}, () -> {}, this::cutTheDraft);
    for (int change = 0; change < changes.size(); change++) {
      Files.deleteIfExists(temp.resolve("marks"));
      assertThatThrownBy(() -> write(draft(file, 3, Optional.of("n1")), dyingAfter(9, new ArrayList<>())));
      changes.get(change).run();
      List<Integer> passed = new ArrayList<>();
      write(draft(file, change == 1 ? 5 : 3, Optional.of(change == 0 ? "n2" : "n1")), passed::add);
      assertThat(passed).hasSize(11);
      stored(file).check();
    }
  }

  private void cutTheDraft() {
    try {
      Files.write(draft, new byte[10]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void everyFlippedBitOfTheCachedFileIsFoundWheneverItFlips() throws IOException {
    frameBytes = 2;
    byte[] good = content(4 * frameBytes + 1);
    FileMeta file = file(good);
    for (int bit = 0; bit < 8 * good.length; bit++) {
      Files.write(source, good);
      Files.deleteIfExists(temp.resolve("marks"));
      assertThatThrownBy(() -> write(draft(file, 1, Optional.of("n1")), dyingAfter(3, new ArrayList<>())));
      byte[] bad = good.clone();
      bad[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(source, bad);
      if (bit / 8 < 2 * frameBytes) {
        write(draft(file, 1, Optional.of("n1")), Meter.NONE);  // it flipped after it was copied
        stored(file).check();
      } else {
        assertThatThrownBy(() -> write(draft(file, 1, Optional.of("n1")), Meter.NONE))
            .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CORRUPT))
            .hasMessageContaining("the cached copy");
      }
    }
  }

  @Test
  void aCachedFileThatIsGoneOrHasAnotherLengthIsRefused() throws IOException {
    FileMeta file = file(content(150));
    Files.write(source, new byte[149]);
    assertThatThrownBy(() -> write(draft(file, 1, Optional.empty()), Meter.NONE)).isInstanceOfSatisfying(
        ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CORRUPT));
    Files.delete(source);
    assertThatThrownBy(() -> write(draft(file, 1, Optional.empty()), Meter.NONE)).isInstanceOfSatisfying(
        ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.NO_SUCH_FILE));
  }

  /** As where another file of the dataset could not be copied: the end of this one cannot be cut off there. */
  @Test
  void aDraftInAnObjectStoreIsWrittenByEachAttempt() throws IOException {
    ObjectMachine machine = new ObjectMachine(new MemoryObjectStore(PART_BYTES), PART_BYTES);
    draft = machine.path("draft");
    byte[] content = content(8 * PART_BYTES);
    FileMeta file = file(content);
    for (int attempt = 1; attempt <= 3; attempt++) {
      write(draft(file, 3, Optional.of("owner")), Meter.NONE);
    }
    Files.move(draft, machine.path("file.zst"), StandardCopyOption.ATOMIC_MOVE);
    try (ZstdInputStream in =
        new ZstdInputStream(new ByteArrayInputStream(Files.readAllBytes(machine.path("file.zst"))))) {
      assertThat(in.readAllBytes()).isEqualTo(content);
    }
  }
}

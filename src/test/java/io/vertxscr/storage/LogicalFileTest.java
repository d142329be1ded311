package io.vertxscr.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.Mounts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: what is read is what the files hold, and what is written has its checksums. Method: all ranges, all piece
 * sizes.
 */
class LogicalFileTest {
  private static final int[] SIZES = {0, 5, 0, 1, 7, 0};

  @TempDir
  Path root;

  @Test
  void readsEveryRangeWithZerosBehindTheEnd() throws IOException {
    RankFiles files = write(SIZES);
    byte[] whole = whole(files);
    try (var file = new LogicalFile(root, files, Fault.CORRUPT)) {
      for (int from = 0; from <= whole.length + 2; from++) {
        for (int bytes = 0; bytes <= whole.length + 20; bytes++) {
          ByteBuffer into = ByteBuffer.allocateDirect(bytes + 2).put((byte) 99).limit(bytes + 1);
          file.read(into, from);
          assertThat(into.hasRemaining()).isFalse();
          byte[] read = new byte[bytes];
          into.get(1, read);
          assertThat(read).as("%d bytes from %d", bytes, from)
              .isEqualTo(Arrays.copyOfRange(Arrays.copyOf(whole, 2 * whole.length + 30), from, from + bytes));
          assertThat(into.get(0)).isEqualTo((byte) 99);
          assertThat(into.limit(bytes + 2).get(bytes + 1)).isZero();
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"longer", "shorter", "gone"})
  void refusesFilesThatAreNotAsRegistered(String change) throws IOException {
    RankFiles files = write(SIZES);
    Path changed = root.resolve("rank.4/f4");
    switch (change) {
      case "longer" -> Files.write(changed, new byte[8]);
      case "shorter" -> Files.write(changed, new byte[6]);
      default -> Files.delete(changed);
    }
    for (Fault fault : List.of(Fault.CORRUPT, Fault.FILE_CHANGED)) {
      try (var file = new LogicalFile(root, files, fault)) {
        file.read(ByteBuffer.allocate(6), 0);
        assertThatThrownBy(() -> file.read(ByteBuffer.allocate(2), 6))
            .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(fault))
            .hasMessageContaining("rank.4/f4").hasMessageContaining("rank 4");
      }
    }
  }

  @Test
  void writesFilesFromPiecesOfEverySize() throws IOException {
    RankFiles files = write(SIZES);
    byte[] whole = whole(files);
    for (int piece = 1; piece <= whole.length; piece++) {
      Path target = root.resolve("scr.dataset." + piece);
      try (var draft = new LogicalDraft(target, files); var writer = draft.writer()) {
        for (int at = 0; at < whole.length; at += piece) {
          writer.write(ByteBuffer.wrap(whole, at, Math.min(piece, whole.length - at)));
        }
        assertThat(target.resolve("rank.4")).doesNotExist();
        assertThat(draft.finish()).isEqualTo(files);
      }
      assertThat(target.toFile().list()).containsExactlyInAnyOrder("rank.4", ".scr");
      assertThat(target.resolve(".scr")).isEmptyDirectory();
      assertSameBytes(files, target);
    }
  }

  private void assertSameBytes(RankFiles files, Path target) {
    for (FileMeta file : files.files()) {
      assertThat(target.resolve(file.name())).hasSameBinaryContentAs(root.resolve(file.name()));
    }
  }

  @Test
  void refusesBytesThatAreWrongTooFewOrTooMany() throws IOException {
    RankFiles files = write(SIZES);
    byte[] whole = whole(files);
    Path target = root.resolve("scr.dataset.1");
    for (int bit = 0; bit < whole.length * 8; bit++) {
      byte[] wrong = whole.clone();
      wrong[bit / 8] ^= (byte) (1 << bit % 8);
      assertRefused(target, files, wrong);
    }
    for (int bytes = 0; bytes < whole.length; bytes++) {
      assertRefused(target, files, Arrays.copyOf(whole, bytes));
    }
    assertRefused(target, files, Arrays.copyOf(whole, whole.length + 1));
  }

  @Test
  void stretchesOfEveryLengthAreWrittenInAnyOrder() throws IOException {
    RankFiles files = write(SIZES);
    byte[] whole = whole(files);
    for (int length = 1; length <= whole.length; length++) {
      Path target = root.resolve("scr.dataset." + length);
      List<Integer> begins = new ArrayList<>();
      for (int at = 0; at < whole.length; at += length) {
        begins.add(at);
      }
      Collections.shuffle(begins, new Random(length));
      try (var draft = new LogicalDraft(target, files)) {
        for (int at : begins) {
          try (var writer = draft.writer(at, length)) {
            writer.write(ByteBuffer.wrap(whole, at, Math.min(length, whole.length - at)));
          }
        }
        assertThat(draft.finish()).isEqualTo(files);
      }
      assertSameBytes(files, target);
    }
  }

  @Test
  void everyStretchThatIsNotWrittenIsMissed() throws IOException {
    RankFiles files = write(SIZES);
    byte[] whole = whole(files);
    Path target = root.resolve("scr.dataset.1");
    for (int missing = 0; missing < whole.length; missing++) {
      int without = missing;
      assertThatThrownBy(() -> {
        try (var draft = new LogicalDraft(target, files)) {
          for (int at = 0; at < whole.length; at++) {
            try (var writer = draft.writer(at, 1)) {
              writer.write(ByteBuffer.wrap(whole, at, at == without ? 0 : 1));
            }
          }
          draft.finish();
        }
      }).isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CORRUPT))
          .hasMessageContaining("rank 4").hasMessageContaining("bytes were written");
      assertThat(target.resolve("rank.4")).doesNotExist();
      assertThat(target.resolve(".scr")).isEmptyDirectory();
    }
  }

  private static void assertRefused(Path target, RankFiles files, byte[] bytes) {
    assertThatThrownBy(() -> {
      try (var draft = new LogicalDraft(target, files); var writer = draft.writer()) {
        writer.write(ByteBuffer.wrap(bytes));
        draft.finish();
      }
    }).isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CORRUPT))
        .hasMessageContaining("rank 4");
    assertThat(target.resolve("rank.4")).doesNotExist();
    assertThat(target.resolve(".scr")).isEmptyDirectory();
  }

  @Test
  void writesRanksWithoutAnyBytes() {
    for (int count = 0; count < 3; count++) {
      List<FileMeta> empty = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        empty.add(new FileMeta("rank.0/" + i, "" + i, 0, OptionalInt.empty()));
      }
      Path target = root.resolve("scr.dataset." + (count + 1));
      try (var draft = new LogicalDraft(target, new RankFiles(0, empty))) {
        assertThat(draft.finish().files()).hasSize(count).allMatch(file -> file.crc().getAsInt() == 0);
      }
      for (FileMeta file : empty) {
        assertThat(target.resolve(file.name())).isEmptyFile();
      }
    }
  }

  @Test
  void everyWriterOfAFileThatCannotBeCreatedReportsTheFullDisk() throws Exception {
    Path target = Files.createDirectory(root.resolve("scr.dataset.1"));
    assumeTrue(Mounts.mount("-t", "tmpfs", "-o", "size=1m,nr_inodes=3", "tmpfs", target.toString()), "may mount");
    var files = new RankFiles(0, List.of(new FileMeta("rank.0/f", "f", 2, OptionalInt.empty())));
    try (var draft = new LogicalDraft(target, files)) {   // root, .scr and the directory of the drafts: no file fits
      for (long offset : List.of(0L, 1L)) {
        assertThatThrownBy(() -> {
          try (var writer = draft.writer(offset, 1)) {
            writer.write(ByteBuffer.allocate(1));
          }
        }).isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.NO_SPACE));
      }
    } finally {
      Mounts.unmount(target);
    }
  }

  @Test
  void neverWritesOutsideTheDataset() {
    var files = new RankFiles(0, List.of(new FileMeta("../out", "out", 1, OptionalInt.empty())));
    assertThatThrownBy(() -> new LogicalDraft(root.resolve("scr.dataset.1"), files))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_REQUEST));
    assertThat(root).isEmptyDirectory();
  }

  private RankFiles write(int[] sizes) throws IOException {
    List<FileMeta> files = new ArrayList<>();
    Files.createDirectories(root.resolve("rank.4"));
    int value = 1;
    for (int i = 0; i < sizes.length; i++) {
      byte[] bytes = new byte[sizes[i]];
      for (int k = 0; k < bytes.length; k++) {
        bytes[k] = (byte) value++;
      }
      Files.write(root.resolve("rank.4/f" + i), bytes);
      var crc = new CRC32();
      crc.update(bytes);
      files.add(new FileMeta("rank.4/f" + i, "f" + i, bytes.length, OptionalInt.of((int) crc.getValue())));
    }
    return new RankFiles(4, files);
  }

  private byte[] whole(RankFiles files) throws IOException {
    var whole = new ByteArrayOutputStream();
    for (FileMeta file : files.files()) {
      whole.write(Files.readAllBytes(root.resolve(file.name())));
    }
    return whole.toByteArray();
  }
}

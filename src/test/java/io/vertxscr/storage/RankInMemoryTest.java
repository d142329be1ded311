package io.vertxscr.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: what is in memory is what the files hold. Nothing is taken of files that have changed. */
class RankInMemoryTest {
  private static final byte[][] CONTENTS = {{1, 2, 3}, {}, {4}, {5, 6}};

  @TempDir
  Path root;

  private RankFiles measured;

  @BeforeEach
  void write() throws IOException {
    Files.createDirectories(root.resolve("rank.3/1"));
    for (int file = 0; file < CONTENTS.length; file++) {
      Files.write(root.resolve(name(file)), CONTENTS[file]);
    }
    measured = new RankFiles(3, List.of(meta(0), meta(1), meta(2), meta(3)));
  }

  private static String name(int file) {
    return file == 2 ? "rank.3/1/f" : "rank.3/f" + file;
  }

  private static FileMeta meta(int file) {
    return new FileMeta(name(file), "out/f" + file, CONTENTS[file].length, OptionalInt.empty());
  }

  @Test
  void hasTheBytesOfAllFilesInTheirOrderAndTheirChecksums() {
    RankInMemory read = RankInMemory.read(root, measured).orElseThrow();
    assertThat(read.bytes()).containsExactly(1, 2, 3, 4, 5, 6);
    assertThat(read.files().rank()).isEqualTo(3);
    for (int file = 0; file < CONTENTS.length; file++) {
      CRC32 crc = new CRC32();
      crc.update(CONTENTS[file]);
      assertThat(read.files().files().get(file)).isEqualTo(meta(file).withCrc((int) crc.getValue()));
    }
    assertThat(RankInMemory.received(read.files(), read.bytes())).isEqualTo(read);
  }

  @ParameterizedTest
  @ValueSource(strings = {"longer", "shorter", "missing", "a link", "below a link"})
  void takesNothingWhereAFileIsNotAsItWasMeasured(String how) throws IOException {
    Path file = root.resolve(name(2));
    switch (how) {
      case "longer" -> Files.write(file, new byte[2]);
      case "shorter" -> Files.write(file, new byte[0]);
      case "missing" -> Files.delete(file);
      case "a link" -> {
        Files.move(file, root.resolve("elsewhere"));
        Files.createSymbolicLink(file, root.resolve("elsewhere"));
      }
      default -> {
        Files.move(file.getParent(), root.resolve("elsewhere"));
        Files.createSymbolicLink(file.getParent(), root.resolve("elsewhere"));
      }
    }
    assertThat(RankInMemory.read(root, measured)).isEmpty();
  }

  @Test
  void oneOtherBitOrLengthIsRefused() {
    RankInMemory read = RankInMemory.read(root, measured).orElseThrow();
    for (int bit = 0; bit < 8 * read.bytes().length; bit++) {
      byte[] other = read.bytes().clone();
      other[bit / 8] ^= (byte) (1 << bit % 8);
      refused(read.files(), other);
    }
    refused(read.files(), new byte[7]);
    refused(read.files(), new byte[5]);
    refused(measured, read.bytes());                      // without checksums
  }

  private static void refused(RankFiles files, byte[] bytes) {
    assertThatThrownBy(() -> RankInMemory.received(files, bytes)).isInstanceOfSatisfying(
        ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_REQUEST)).hasMessageContaining("rank 3");
  }
}

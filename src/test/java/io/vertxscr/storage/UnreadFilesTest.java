package io.vertxscr.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.FileMeta.Unread;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.recorded.FaultyDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: an unread file is trusted only as long as nobody has touched it, in the same mount. */
class UnreadFilesTest {
  @TempDir
  Path directory;
  private Path path;
  private FileMeta file;

  @BeforeEach
  void write() throws IOException {
    path = Files.writeString(directory.resolve("a"), "bytes of a");
    file = UnreadFiles.note(directory, measured(path)).orElseThrow().files().getFirst();
  }

  private static RankFiles measured(Path path) throws IOException {
    return new RankFiles(5, List.of(new FileMeta(path.getFileName().toString(), "out", Files.size(path),
        OptionalInt.empty(), Optional.of(FileStamps.read(path)))));
  }

  private void assertTouched() {
    assertThat(UnreadFiles.problem(path, file)).get().asString().contains("was changed");
    assertThat(FileChecks.problem(directory, file)).isPresent();
    assertThat(FileChecks.sizeProblem(directory, file)).isPresent();
    assertThatThrownBy(() -> UnreadFiles.read(directory, file)).isInstanceOfSatisfying(
        ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CORRUPT));
  }

  /** Until the clock of the file system has gone on. */
  private void tick() throws IOException {
    Path probe = directory.resolve("probe");
    FileTime noted = (FileTime) Files.getAttribute(path, "unix:ctime");
    do {
      Files.writeString(probe, "x");
    } while (((FileTime) Files.getAttribute(probe, "unix:ctime")).compareTo(noted) <= 0);
  }

  @Test
  void anUntouchedOneIsRightWithoutBeingReadAndHasItsChecksumAfterwards() {
    assertThat(UnreadFiles.problem(path, file)).isEmpty();
    assertThat(FileChecks.problem(directory, file)).isEmpty();
    LearnedChecksums learned = new LearnedChecksums();
    learned.read(directory, new RankFiles(5, List.of(file)));
    assertThat(learned.into(new RankFiles(5, List.of(file))).files())
        .containsExactly(file.withCrc(FileChecks.crc(path)));
  }

  @Test
  void anEmptyFileHasAChecksumAtOnce() throws IOException {
    Path empty = Files.createFile(directory.resolve("empty"));
    assertThat(UnreadFiles.note(directory, measured(empty)).orElseThrow().files().getFirst().crc()).hasValue(0);
  }

  @Test
  void otherBytesAreNoticedThoughLengthAndTimeAreSetBack() throws IOException {
    tick();
    FileTime before = Files.getLastModifiedTime(path);
    Files.writeString(path, "bytes of A");
    Files.setLastModifiedTime(path, before);
    assertTouched();
  }

  @Test
  void anotherTimeOrLengthIsNoticed() throws IOException {
    Files.setLastModifiedTime(path, FileTime.fromMillis(1));
    assertTouched();
    write();
    Files.writeString(path, "more bytes of a");
    assertTouched();
  }

  @Test
  void anotherFileInItsPlaceIsNoticed() throws IOException {
    Path other = Files.writeString(directory.resolve("other"), "bytes of b");
    Files.setLastModifiedTime(other, Files.getLastModifiedTime(path));
    Files.move(other, path, StandardCopyOption.REPLACE_EXISTING);
    assertTouched();
    Files.delete(path);
    assertThat(FileChecks.problem(directory, file)).get().asString().contains("missing");
  }

  @Test
  void noneIsTrustedInAnotherMount() {
    Unread known = file.unread().orElseThrow();
    FileMeta older = file.with(new Unread(known.mount() + "0", known.device(), known.inode(), known.changedSeconds(),
        known.changedNanos()));
    assertThat(UnreadFiles.problem(path, older)).get().asString().contains("machine went down");
    assertThat(FileChecks.problem(directory, older)).isPresent();
  }

  @Test
  void whatIsNotAsItWasMeasuredIsRefused() throws IOException {
    RankFiles measured = measured(path);
    Files.setLastModifiedTime(path, FileTime.fromMillis(1));
    assertThatThrownBy(() -> UnreadFiles.note(directory, measured)).isInstanceOfSatisfying(
        ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.FILE_CHANGED));
  }

  @Test
  void whereNobodyTellsTheBootFilesHaveToBeRead() throws IOException {
    try (FaultyDisk disk = new FaultyDisk()) {
      Path there = Files.writeString(disk.directory("/cache").resolve("a"), "bytes");
      assertThat(UnreadFiles.note(there.getParent(), measured(there))).isEmpty();
    }
  }

  @Test
  void oneLookThatFailsCostsNothing() throws IOException {
    try (FaultyDisk disk = new FaultyDisk()) {
      Files.writeString(disk.directory("/proc/sys/kernel/random").resolve("boot_id"), "boot");
      Path there = Files.writeString(disk.directory("/cache").resolve("a"), "bytes");
      FileMeta known = UnreadFiles.note(there.getParent(), measured(there)).orElseThrow().files().getFirst();
      for (int failing = 1; failing <= 4; failing++) {
        int[] left = {failing};
        disk.looks(looked -> {
          if (looked.equals(there) && --left[0] == 0) {
            throw new IOException("Input/output error");
          }
        });
        assertThat(FileChecks.problem(there.getParent(), known)).as("look %d fails", failing).isEmpty();
      }
    }
  }

  @Test
  void aChecksumIsForTheFileThatWasReadAndNotForOneOfItsName() throws IOException {
    LearnedChecksums learned = new LearnedChecksums();
    learned.read(directory, new RankFiles(5, List.of(file)));
    tick();
    Files.writeString(path, "bytes of c");
    RankFiles later = UnreadFiles.note(directory, measured(path)).orElseThrow();
    assertThat(learned.into(later)).isEqualTo(later);
  }
}

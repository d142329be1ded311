package io.vertxscr.service.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.storage.FileChecks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: files are read once while nobody touches them. Whoever touches one is noticed, whatever he sets back. */
class RankChecksTest {
  private static final DatasetKey DATASET = new DatasetKey(3, 1_000);
  private static final List<String> NAMES = List.of("a", "b");

  private final FaultyDisk disk = new FaultyDisk();
  private final Path directory = disk.directory("/cache/3");
  private long nowNs = 77;
  private Instant clock = Instant.now().plusSeconds(60);
  private final RankChecks checks = new RankChecks(() -> nowNs, () -> clock);

  @BeforeEach
  void write() throws IOException {
    write(directory);
  }

  @AfterEach
  void close() throws IOException {
    disk.close();
  }

  private static void write(Path where) throws IOException {
    for (String name : NAMES) {
      Files.writeString(where.resolve(name), "bytes of " + name);
    }
  }

  private static RankFiles files(Path where) {
    return new RankFiles(5, NAMES.stream().map(name -> new FileMeta(name, "out/" + name, "bytes of a".length(),
        OptionalInt.of(FileChecks.crc(where.resolve(name))))).toList());
  }

  private long readsOf(RankFiles files) {
    disk.trouble(FaultyDisk.Trouble.NONE);
    assertThat(checks.problem(DATASET, directory, files)).isEmpty();
    return disk.operations().stream().filter(operation -> operation.startsWith("read ")).count();
  }

  @Test
  void whatWasFoundRightIsReadAgainOnlyAfterAWhile() {
    RankFiles files = files(directory);
    assertThat(readsOf(files)).isPositive();
    nowNs += RankChecks.VALID.toNanos() - 1;
    assertThat(readsOf(files)).isZero();
    nowNs++;
    assertThat(readsOf(files)).isPositive();
    assertThat(readsOf(files)).isZero();
    checks.forget();
    assertThat(readsOf(files)).isPositive();
  }

  @Test
  void anotherListOfFilesIsAnotherCheck() {
    RankFiles files = files(directory);
    assertThat(readsOf(files)).isPositive();
    RankFiles wrong = new RankFiles(5, List.of(files.files().getFirst(), files.files().getLast().withCrc(1)));
    assertThat(checks.problem(DATASET, directory, wrong)).get().asString().contains("checksum");
    assertThat(readsOf(files)).isPositive();
  }

  @Test
  void aFileThatHasJustChangedIsReadAgain() throws IOException {
    RankFiles files = files(directory);
    clock = ((FileTime) Files.getAttribute(directory.resolve("b"), "unix:ctime")).toInstant();
    assertThat(readsOf(files)).isPositive();
    assertThat(readsOf(files)).isPositive();
  }

  @Test
  void whoeverTouchesAFileIsNoticedThoughHeSetsItsTimeBack(@TempDir Path real) throws IOException {
    write(real);
    RankFiles files = files(real);
    Path touched = real.resolve("b");
    FileTime before = Files.getLastModifiedTime(touched);
    assertThat(checks.problem(DATASET, real, files)).isEmpty();
    Files.writeString(touched, "bytes of B");
    Files.setLastModifiedTime(touched, before);
    assertThat(checks.problem(DATASET, real, files)).get().asString().contains("checksum");
    Files.writeString(touched, "bytes of b");
    assertThat(checks.problem(DATASET, real, files)).isEmpty();
    Path other = real.resolve("other");
    Files.writeString(other, "bytes of c");
    Files.setLastModifiedTime(other, Files.getLastModifiedTime(touched));
    Files.move(other, touched, StandardCopyOption.REPLACE_EXISTING);
    assertThat(checks.problem(DATASET, real, files)).get().asString().contains("checksum");
    Files.delete(touched);
    assertThat(checks.problem(DATASET, real, files)).get().asString().contains("missing");
  }
}

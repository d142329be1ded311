package io.vertxscr.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankSeals;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Seal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a file is sealed only where each write after the look shows. Method: on the file system of this machine. */
class SealingTest {
  private static final String BOOT = "b8c1";

  @TempDir
  Path directory;
  private Path path;
  private FileIdentity found;

  @BeforeEach
  void write() throws IOException {
    path = Files.writeString(directory.resolve("a"), "bytes of a");
    found = FileIdentity.of(path).orElseThrow();
  }

  private Sealing after(Duration time, boolean exact) {
    return new Sealing(BOOT, exact, found.changed().plus(time));
  }

  @Test
  void withTimesOfTicksOnlyAFileIsSealedThatHasBeenLeftAloneForLonger() {
    assertThat(after(Duration.ofSeconds(4), false).of(found)).contains(found.seal());
    assertThat(after(Duration.ofMillis(19), false).of(found)).isEmpty();
    assertThat(after(Duration.ofHours(-1), false).of(found)).as("by a clock that was set back").isEmpty();
    assertThat(after(Duration.ofMillis(1), true).of(found)).contains(found.seal());
  }

  @Test
  void timesInWholeMillisecondsMayBeOfSeconds() {
    Seal seal = found.seal();
    FileIdentity coarse = new FileIdentity(new Seal(seal.device(), seal.inode(), seal.bytes(), seal.modifiedSeconds(),
        seal.modifiedNanos(), seal.changedSeconds(), 0), found.mode());
    Instant changed = coarse.changed();
    assertThat(new Sealing(BOOT, false, changed.plusMillis(2_999)).of(coarse)).isEmpty();
    assertThat(new Sealing(BOOT, false, changed.plusMillis(3_001)).of(coarse)).isPresent();
  }

  @Test
  void nothingIsSealedWhereNobodyTellsTheBoot() {
    Sealing unknown = new Sealing("", true, found.changed().plusSeconds(60));
    assertThat(unknown.of(found)).isEmpty();
    assertThat(unknown.made(path)).isEmpty();
    assertThat(unknown.valid(new RankSeals(BOOT, List.of(Optional.of(found.seal())), Optional.empty())))
        .isEqualTo(RankSeals.NONE);
  }

  @Test
  void sealsOfThisBootAreValidAndNoOthers() {
    RankSeals known = new RankSeals(BOOT, List.of(Optional.of(found.seal())), Optional.of(found.seal()));
    assertThat(after(Duration.ZERO, false).valid(known)).isEqualTo(known);
    assertThat(new Sealing(BOOT + "0", true, found.changed()).valid(known)).isEqualTo(RankSeals.NONE);
  }

  @Test
  void whatWasJustMadeIsSealedOnlyWhereEachWriteShows() {
    assertThat(after(Duration.ZERO, true).made(path)).contains(found.seal());
    assertThat(after(Duration.ofHours(1), false).made(path)).isEmpty();
  }

  @Test
  void aFileThatIsNotAsItWasMadeIsNotSealed() throws IOException {
    FileMeta made = new FileMeta("a", "a", found.seal().bytes(), OptionalInt.of(0), Optional.of(found.stamp()));
    RankRecord rank = new RankRecord(
        new RankFiles(2, List.of(made)), new RedundancySet(List.of(2)), Optional.empty());
    Sealing sealing = after(Duration.ZERO, true);
    assertThat(sealing.made(directory, rank).seals().file(0)).contains(found.seal());
    Files.setLastModifiedTime(path, FileTime.fromMillis(1));
    assertThat(sealing.made(directory, rank).seals()).isEqualTo(RankSeals.NONE);
    Files.writeString(path, "more bytes than it had");
    Files.setLastModifiedTime(path, FileTime.from(
        Instant.ofEpochSecond(found.seal().modifiedSeconds(), found.seal().modifiedNanos())));
    assertThat(sealing.made(directory, rank).seals()).isEqualTo(RankSeals.NONE);
  }

  /** Whatever this kernel does: if it is called exact, each write that follows a look has a time of its own. */
  @Test
  void whereTimesAreCalledExactEachWriteAfterALookShows() throws IOException {
    boolean exact = WriteTimes.areExact(directory);
    Seal before = FileIdentity.of(path).orElseThrow().seal();
    int same = 0;
    for (int i = 0; i < 1000; i++) {
      Files.writeString(path, "bytes of " + i % 10);
      Seal after = FileIdentity.of(path).orElseThrow().seal();
      same += after.equals(before) ? 1 : 0;
      before = after;
    }
    assertThat(exact && same > 0).isFalse();
    assertThat(directory.resolve(".times")).doesNotExist();
  }
}

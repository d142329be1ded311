package io.vertxscr.prefix.copy;

import static io.vertxscr.prefix.metadata.Samples.bytes;
import static io.vertxscr.prefix.metadata.Samples.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.prefix.copy.extent.Extent;
import io.vertxscr.prefix.copy.extent.Meter;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: two nodes that copy the same file for two leaders do not touch each other's drafts. */
class TwoWritersTest {
  private static final int EXTENT_BYTES = 9;                // of a file of 40 bytes: five extents

  @TempDir
  Path temp;
  Samples samples;
  RankFiles rank;
  FileMeta file;
  Path place;

  @BeforeEach
  void makeSamples() {
    samples = new Samples(temp);
    rank = samples.cached(3, 0, "d/x");
    file = rank.files().getFirst();
    place = samples.prefix.resolve("d/x");
  }

  private FlushCopy copy(String node) {
    return new FlushCopy(samples.paths, Samples.owner(3, node), samples.cacheOf(3), new OwnDrafts());
  }

  @Test
  void aDraftThatAnotherNodeHasBegunIsNotPublished() {
    FlushCopy a = copy("a");
    a.copy(file);
    Extent ofB = copy("b").extents(List.of(rank)).getFirst();
    assertThatThrownBy(() -> ofB.copy(_ -> {
      a.publish(rank.files());
      throw new IllegalStateException("b ends here");
    })).isInstanceOf(IllegalStateException.class);
    assertThat(place).hasBinaryContent(bytes(3, 0, "d/x"));
  }

  @Test
  void extentsOfALargeFileStayInTheDraftOfTheirNode() {
    FlushCopy a = copy("a").resuming(EXTENT_BYTES);
    List<Extent> extents = a.extents(List.of(rank));
    extents.subList(0, 2).forEach(extent -> extent.copy(Meter.NONE));
    copy("b").resuming(EXTENT_BYTES).extents(List.of(rank)).getFirst().copy(Meter.NONE);
    extents.subList(2, 5).forEach(extent -> extent.copy(Meter.NONE));
    a.publish(rank.files());
    assertThat(place).hasBinaryContent(bytes(3, 0, "d/x"));
  }

  @Test
  void theOlderFileIsKeptThoughBothGiveItsName() throws IOException {
    Samples.write(place, new byte[] {1});
    FlushCopy a = copy("a");
    FlushCopy b = copy("b");
    a.copy(file);
    b.copy(file);
    a.publish(rank.files());
    b.publish(rank.files());
    assertThat(samples.paths.kept("d/x", 3)).hasBinaryContent(new byte[] {1});
    assertThat(place).hasBinaryContent(bytes(3, 0, "d/x"));
    try (var all = Files.list(place.getParent())) {
      assertThat(all).hasSize(2);
    }
  }

  @Test
  void aDraftThatWasChangedSinceItWasCheckedIsReadAgainAndRefused() throws IOException {
    FlushCopy a = copy("a");
    a.copy(file);
    Path draft = samples.paths.draft("d/x", Samples.owner(3, "a"));
    Files.write(draft, new byte[] {0, 0}, StandardOpenOption.WRITE);
    refused(Fault.NO_SUCH_FILE, () -> a.publish(rank.files()), "d/x", "not whole");
    Files.delete(draft);
    Files.write(draft, new byte[40]);
    refused(Fault.NO_SUCH_FILE, () -> a.publish(rank.files()), "d/x", "not whole");
    assertThat(place).doesNotExist();
  }

  @Test
  void afterARestartOfTheDaemonEveryBitOfADraftIsCompared() {
    copy("a").copy(file);
    FlushCopy restarted = copy("a");
    Samples.forEveryBitFlip(samples.paths.draft("d/x", Samples.owner(3, "a")), () ->
        refused(Fault.NO_SUCH_FILE, () -> restarted.publish(rank.files()), "d/x"));
    restarted.publish(rank.files());
    assertThat(place).hasBinaryContent(bytes(3, 0, "d/x"));
  }

  @Test
  void aDraftsNameSaysDatasetCreationTimeAndNodeAndIsShortEnough() {
    PrefixPaths paths = samples.paths;
    assertThat(paths.draft("d/x", Samples.owner(3, "a")).getFileName().toString())
        .matches("\\.x\\.scr-draft-3\\.bb8\\.[0-9a-f]{16}");
    assertThat(paths.draft("d/x", Samples.owner(3, "a"))).isNotEqualTo(paths.draft("d/x", Samples.owner(3, "b")));
    assertThat(paths.draft("x".repeat(255), Samples.owner(999_999_999, "a")).getFileName().toString())
        .hasSizeLessThanOrEqualTo(255);
  }
}

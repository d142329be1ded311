package io.vertxscr.prefix.copy;

import static io.vertxscr.prefix.metadata.Samples.bytes;
import static io.vertxscr.prefix.metadata.Samples.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.model.Compression;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta.Stamp;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.prefix.copy.extent.Extent;
import io.vertxscr.prefix.copy.extent.Meter;
import io.vertxscr.prefix.metadata.Mounts;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.Samples;
import io.vertxscr.storage.FileStamps;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: only whole, checked files are published, and existing files are unchanged before that. */
@Execution(ExecutionMode.CONCURRENT)
class FlushCopyTest {
  @TempDir
  Path temp;
  Samples samples;
  FlushCopy copy;

  @BeforeEach
  void makeSamples() {
    samples = new Samples(temp);
    copy = new FlushCopy(samples.paths, Samples.owner(3), samples.cacheOf(3), new OwnDrafts());
  }

  @Test
  void filesGetTheirNamesOnlyWhenPublished() {
    RankFiles rank = samples.cached(3, 0, "d/x", "d/e/x", "y", "empty");
    Samples.write(samples.prefix.resolve("y"), new byte[] {1});
    rank.files().forEach(copy::copy);
    assertThat(samples.prefix.resolve("y")).hasBinaryContent(new byte[] {1});
    assertThat(samples.paths.draft("d/x", Samples.owner(3))).hasBinaryContent(bytes(3, 0, "d/x"));
    assertThat(samples.prefix.resolve("d/x")).doesNotExist();

    copy.publish(rank.files());
    copy.publish(rank.files());
    assertThat(samples.prefix.resolve(".y.scr-kept-3")).hasBinaryContent(new byte[] {1});
    copy.removeKept(rank.files());
    copy.removeKept(rank.files());
    assertThat(Samples.tree(samples.prefix)).containsOnlyKeys("d/x", "d/e/x", "y", "empty");
    rank.files().forEach(file ->
        assertThat(samples.prefix.resolve(file.path())).hasBinaryContent(bytes(3, 0, file.path())));
  }

  @Test
  void aFileWithoutKnownChecksumGetsTheOneOfItsBytes() {
    FileMeta file = samples.cached(3, 0, "x").files().getFirst();
    FileMeta unknown = new FileMeta(file.name(), file.path(), file.bytes(), OptionalInt.empty(), file.stamp());
    copy.copy(unknown);
  }

  @Test
  void anUnreadFileGetsItsChecksumFromItsCopy() {
    RankFiles known = samples.cached(3, 0, "d/x", "y", "empty");
    RankFiles unread = samples.unread(3, 0, "d/x", "y", "empty");
    unread.files().forEach(copy::copy);
    assertThat(withoutStamps(copy.learned().into(unread))).isEqualTo(withoutStamps(known));
    copy.publish(copy.learned().into(unread).files());
    assertThat(samples.prefix.resolve("d/x")).hasBinaryContent(bytes(3, 0, "d/x"));
  }

  private static List<FileMeta> withoutStamps(RankFiles rank) {
    return rank.files().stream()
        .map(file -> new FileMeta(file.name(), file.path(), file.bytes(), file.crc())).toList();
  }

  @Test
  void anUnreadFileThatWasTouchedIsNotCopied() throws IOException {
    FileMeta file = samples.unread(3, 0, "d/x").files().getFirst();
    Path cached = samples.cacheOf(3).resolve(file.name());
    Files.setLastModifiedTime(cached, FileTime.fromMillis(1));
    refused(Fault.CORRUPT, () -> copy.copy(file), "dataset 3", "d/x", "was changed");
    assertThat(copy.learned().isEmpty()).isTrue();
    assertThat(Samples.tree(samples.prefix)).isEmpty();
  }

  @Test
  void anUnreadFileThatIsTouchedWhileItIsCopiedHasNoChecksum() {
    FileMeta file = samples.unread(3, 0, "d/x").files().getFirst();
    Path cached = samples.cacheOf(3).resolve(file.name());
    Extent extent = copy.extents(List.of(new RankFiles(0, List.of(file)))).getFirst();
    refused(Fault.CORRUPT, () -> extent.copy(_ -> touch(cached)), "dataset 3", "d/x", "was changed");
    assertThat(copy.learned().isEmpty()).isTrue();
    assertThat(Samples.tree(samples.prefix)).isEmpty();
  }

  private static void touch(Path file) {
    try {
      Files.setLastModifiedTime(file, FileTime.fromMillis(1));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void everyFlippedBitOfACachedFileIsFoundAndLeavesNoDraft() {
    FileMeta file = samples.cached(3, 0, "d/x").files().getFirst();
    Path cached = samples.cacheOf(3).resolve(file.name());
    Samples.forEveryBitFlip(cached, () -> refused(Fault.CORRUPT, () -> copy.copy(file), "dataset 3", "d/x"));
    assertThat(Samples.tree(samples.prefix)).isEmpty();
  }

  @Test
  void aCachedFileOfAnotherLengthOrNoneIsFound() throws IOException {
    FileMeta file = samples.cached(3, 0, "d/x").files().getFirst();
    Path cached = samples.cacheOf(3).resolve(file.name());
    byte[] good = Samples.read(cached);
    for (int length = 0; length < good.length + 3; length++) {
      if (length != good.length) {
        Files.write(cached, Arrays.copyOf(good, length));
        refused(Fault.CORRUPT, () -> copy.copy(file), "d/x", length + " bytes instead of 40");
      }
    }
    Files.delete(cached);
    refused(Fault.NO_SUCH_FILE, () -> copy.copy(file), "dataset 3", "d/x");
    Files.createDirectory(cached);
    refused(Fault.NO_SUCH_FILE, () -> copy.copy(file), "d/x");
    assertThat(Samples.tree(samples.prefix)).isEmpty();
  }

  @Test
  void publishingWithoutADraftIsRefusedUnlessTheFileIsThereAlready() {
    RankFiles rank = samples.cached(3, 0, "x");
    refused(Fault.NO_SUCH_FILE, () -> copy.publish(rank.files()), "x", "dataset 3");
    copy.copy(rank.files().getFirst());
    copy.publish(rank.files());
    Samples.forEveryBitFlip(samples.prefix.resolve("x"),
        () -> refused(Fault.NO_SUCH_FILE, () -> copy.publish(rank.files()), "x"));
    copy.publish(rank.files());
  }

  @Test
  void discardedDraftsAreGoneAndPublishedFilesStay() {
    List<FileMeta> files = samples.cached(3, 0, "x", "d/y").files();
    copy.copy(files.getFirst());
    copy.publish(List.of(files.getFirst()));
    copy.copy(files.getLast());
    copy.discard(files);
    assertThat(Samples.tree(samples.prefix)).containsOnlyKeys("x");
  }

  @Test
  void neitherADraftThatIsALinkNorADirectoryThatBecameOneLeadsOut() throws IOException {
    FileMeta file = samples.cached(3, 0, "d/x").files().getFirst();
    Path victim = temp.resolve("victim");
    Files.writeString(victim, "precious");
    Files.createDirectories(samples.prefix.resolve("d"));
    Files.createSymbolicLink(samples.paths.draft("d/x", Samples.owner(3)), victim);
    Files.createSymbolicLink(samples.prefix.resolve("d/x"), victim);
    copy.copy(file);
    copy.publish(List.of(file));
    assertThat(victim).hasContent("precious");
    assertThat(samples.prefix.resolve("d/x")).isRegularFile().hasBinaryContent(bytes(3, 0, "d/x"));

    Path outside = Files.createDirectory(temp.resolve("outside"));
    Files.createSymbolicLink(samples.prefix.resolve("link"), outside);
    FileMeta led = samples.cached(3, 1, "link/x").files().getFirst();
    refused(Fault.OUTSIDE_PREFIX, () -> copy.copy(led), "link", samples.prefix.toString());
    assertThat(outside).isEmptyDirectory();
  }

  @Test
  void aFileInPlaceOfADirectoryIsAnErrorThatNamesIt() throws IOException {
    Files.writeString(samples.prefix.resolve("d"), "I was here first");
    FileMeta file = samples.cached(3, 0, "d/x").files().getFirst();
    refused(Fault.IO, () -> copy.copy(file), samples.prefix.resolve("d").toString());
    Files.createDirectories(samples.prefix.resolve("y/z"));
    List<FileMeta> onDirectory = samples.cached(3, 1, "y").files();
    copy.copy(onDirectory.getFirst());
    refused(Fault.IO, () -> copy.publish(onDirectory), samples.prefix.resolve("y").toString());
    assertThat(samples.prefix.resolve("d")).hasContent("I was here first");
  }

  @Test
  void pathsOfForeignMetadataThatLeadOutAreRefused() {
    for (String path : List.of("../x", "/etc/x", "", ".", "a/../../x", ".scr/index.scr", "a/./b", "a\0b")) {
      FileMeta file = new FileMeta("rank.0/x", path, 1, OptionalInt.empty());
      refused(Fault.OUTSIDE_PREFIX, () -> copy.copy(file));
    }
  }

  @Test
  void aBaseNameThatFillsItsComponentCanBeFlushedToo() {
    RankFiles rank = samples.cached(3, 0, "a".repeat(255), "a".repeat(254) + "b");
    rank.files().forEach(copy::copy);
    copy.publish(rank.files());
    rank.files().forEach(file ->
        assertThat(samples.prefix.resolve(file.path())).hasBinaryContent(bytes(3, 0, file.path())));
  }

  @Test
  void aFileKeepsItsModeAndItsTimeThroughFlushAndFetchWhateverTheUmask() throws IOException {
    RankFiles rank = samples.cached(3, 0, "x");
    Path cached = samples.cacheOf(3).resolve(rank.files().getFirst().name());
    FlushCopy plain = new FlushCopy(samples.paths, Samples.owner(3), samples.cacheOf(3), new OwnDrafts());
    for (int mode : new int[] {0600, 0400, 0777, 0666, 0640, 0444}) {
      Stamp stamp = new Stamp(mode, 1_500_000_000L + mode, 123_456_789);
      FileStamps.apply(stamp, cached);
      for (FlushCopy way : List.of(plain, plain.resuming(9), plain.compressing(Optional.of(new Compression(1))),
          plain.resuming(9).compressing(Optional.of(new Compression(1))))) {
        way.extents(List.of(rank)).forEach(extent -> extent.copy(Meter.NONE));
        way.extents(List.of(rank)).forEach(extent -> extent.copy(Meter.NONE));   // a later attempt
        way.publish(rank.files());
        Path compressed = samples.prefix.resolve("x.zst");
        FlushedFile flushed = FlushedFile.of(rank.files().getFirst());
        FlushedFile there = Files.exists(compressed) ? flushed.compressed(Files.size(compressed)) : flushed;
        assertThat(FileStamps.read(samples.paths.file(there.place()))).isEqualTo(stamp);
        FileMeta fetched = Samples.fetched(new FetchCopy(samples.paths, 3, temp.resolve("back")),
            new RankEntry(0, List.of(there))).files().getFirst();
        assertThat(fetched.stamp()).hasValue(stamp);
        assertThat(FileStamps.read(temp.resolve("back").resolve(fetched.name()))).isEqualTo(stamp);
        Files.deleteIfExists(compressed);
      }
    }
  }

  @Test
  void aFullPrefixDirectoryIsNamedLeavesNoDraftAndTakesTheFileLater() throws Exception {
    Path small = Files.createDirectory(temp.resolve("small"));
    assumeTrue(Mounts.mount("-t", "tmpfs", "-o", "size=64k", "tmpfs", small.toString()),
        "cannot mount a small tmpfs here");
    try {
      PrefixPaths paths = new PrefixPaths(small);
      FlushCopy toSmall = new FlushCopy(paths, Samples.owner(3), samples.cacheOf(3), new OwnDrafts());
      FileMeta first = samples.cached(3, 0, "x").files().getFirst();
      toSmall.copy(first);
      Path filler = small.resolve("filler");
      byte[] big = new byte[50 << 10];
      Files.write(filler, big);
      Samples.write(samples.cacheOf(3).resolve("rank.1/big"), big);
      FileMeta file = new FileMeta("rank.1/big", "big", big.length, OptionalInt.of(Samples.crc(big)));
      refused(Fault.NO_SPACE, () -> toSmall.copy(file), "big");
      toSmall.discard(List.of(first, file));
      assertThat(Samples.tree(small)).containsOnlyKeys("filler");
      Files.delete(filler);
      toSmall.copy(file);
      toSmall.publish(List.of(file));
      assertThat(small.resolve("big")).hasBinaryContent(big);
    } finally {
      Mounts.unmount(small);
    }
  }

  @Test
  void aPrefixThatMayNotBeWrittenIsNamed() throws Exception {
    FileMeta file = samples.cached(3, 0, "x").files().getFirst();
    Path readOnly = Files.createDirectory(temp.resolve("readonly"));
    assumeTrue(Mounts.mount("-t", "tmpfs", "-o", "ro", "tmpfs", readOnly.toString()), "cannot mount read-only here");
    try {
      FlushCopy toReadOnly = new FlushCopy(
          new PrefixPaths(readOnly), Samples.owner(3), samples.cacheOf(3), new OwnDrafts());
      refused(Fault.IO, () -> toReadOnly.copy(file), readOnly.toString(), "Read-only");
    } finally {
      Mounts.unmount(readOnly);
    }
  }
}

package io.vertxscr.prefix.metadata;

import static io.vertxscr.prefix.metadata.Samples.descriptor;
import static io.vertxscr.prefix.metadata.Samples.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.cli.CliRun;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.IndexFile;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.Leaf;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.format.prefix.RankFileMapFile;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RestartHistory;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.FetchCopy;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.storage.AtomicFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: what another user puts in a prefix directory costs that dataset or command and a line. No file elsewhere is
 * written or read, and nothing hangs.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class HostilePrefixTest {
  private static final String YEARS = "years of work\n";

  @TempDir
  private Path temp;
  private Samples samples;
  private Path victim;

  @BeforeEach
  void makeSamples() throws IOException {
    samples = new Samples(temp);
    Files.createDirectories(samples.paths.scr());
    victim = Files.writeString(temp.resolve("victim"), YEARS);
  }

  private Path link(Path at) throws IOException {
    Files.deleteIfExists(at);
    return Files.createSymbolicLink(at, victim);
  }

  private static Path fifo(Path at) throws Exception {
    Files.deleteIfExists(at);
    Path mkfifo = Path.of("/usr/bin/mkfifo");
    Assumptions.assumeTrue(Files.isExecutable(mkfifo), "no mkfifo");
    assertThat(new ProcessBuilder(mkfifo.toString(), at.toString()).start().waitFor()).isZero();
    return at;
  }

  @Test
  void noDraftIsWrittenThroughALink() throws IOException {
    Path file = samples.paths.scr().resolve("halt.scr");
    link(file.resolveSibling("halt.scr.draft"));
    AtomicFile.replace(file, new byte[] {1});
    assertThat(file).hasBinaryContent(new byte[] {1});
    assertThat(victim).hasContent(YEARS);
  }

  @Test
  void aLinkInPlaceOfALockIsRefusedAndItsTargetIsNotChanged() throws IOException {
    for (String lock : List.of("index.lock", "leader.lock")) {
      Path planted = link(samples.paths.scr().resolve(lock));
      var user = PatientLocks.user("n0", Duration.ofSeconds(1));
      assertThatThrownBy(() -> (lock.startsWith("index") ? new PrefixLock(samples.paths, user)
          : PrefixLock.ofNames(samples.paths, user)).with(() -> 1))
          .isInstanceOf(ScrException.class).hasMessageContaining(planted + ": this is a link");
    }
    assertThat(victim).hasContent(YEARS);
  }

  @Test
  void aFileOfAnotherNameInPlaceOfTheLockKeepsItsContent() throws IOException {
    Files.createLink(samples.paths.indexLock(), victim);
    var user = PatientLocks.user("n0", Duration.ofSeconds(1));
    assertThat(new PrefixLock(samples.paths, user).<Integer>with(() -> 1)).isEqualTo(1);
    assertThat(victim).hasContent(YEARS);
  }

  @Test
  void theHolderOfALockIsNamedOverALongerOrShorterOne() throws IOException {
    for (String name : List.of("n1", "a-node-with-a-long-name", "n2")) {
      var user = PatientLocks.user(name, Duration.ofSeconds(1));
      new PrefixLock(samples.paths, user).with(() -> 1);
      assertThat(Files.readString(samples.paths.indexLock()).lines()).singleElement().asString()
          .matches(name + " \\(process \\d+\\) since [-0-9T:]+ *");
    }
  }

  @Test
  void theLogIsNotWrittenThroughALink() throws IOException {
    link(samples.paths.log());
    assertThatThrownBy(() -> new LogFile(samples.paths).append(List.of())).isInstanceOf(ScrException.class)
        .hasMessageContaining(samples.paths.log() + ": this is a link");
    assertThat(victim).hasContent(YEARS);
  }

  @Test
  void metadataThatIsNoFileOrTooLargeIsCorruptInOneLine() throws Exception {
    Path file = samples.paths.haltFile();
    HaltFileStore halt = new HaltFileStore(samples.paths, PatientLocks.user("n0", Duration.ofSeconds(1)));
    fifo(file);
    refused(Fault.CORRUPT, halt::read, file + ": this is a FIFO, a socket or a device");
    Files.delete(file);
    Files.createSymbolicLink(file, Path.of("/dev/zero"));
    refused(Fault.CORRUPT, halt::read, file + ": this is a link");
    Files.delete(file);
    Files.createDirectory(file);
    refused(Fault.IO, halt::read, file + ": this is a directory");
    Files.delete(file);
    try (RandomAccessFile giant = new RandomAccessFile(file.toFile(), "rw")) {
      giant.setLength(1L << 40);
    }
    refused(Fault.CORRUPT, halt::read, file + ": 1099511627776 bytes are too many");
  }

  @Test
  void aDirectoryOfOursThatIsALinkIsNotFollowed() throws IOException {
    Samples other = new Samples(temp.resolve("other"));
    other.flush(descriptor(3, "b.3"), List.of(other.cached(3, 0, "x")));
    Path planted = Files.createSymbolicLink(samples.paths.dataset(3), other.paths.dataset(3));
    refused(Fault.CORRUPT, () -> new RankMapReader(samples.paths, 3), planted + ": this is a link");
    Files.delete(planted);
    Files.delete(samples.paths.scr());
    Files.createSymbolicLink(samples.paths.scr(), other.paths.scr());
    refused(Fault.CORRUPT, () -> new PrefixLock(samples.paths, PatientLocks.user("n0", Duration.ofSeconds(1)))
        .with(() -> 1), samples.paths.scr() + ": this is a link");
    refused(Fault.CORRUPT, () -> new LogFile(samples.paths).append(List.of()), ".scr: this is a link");
  }

  @Test
  void anIndexThatIsNoFileIsMadeAgainAndKeptAside() throws Exception {
    samples.flush(descriptor(3, "b.3"), List.of(samples.cached(3, 0, "x")));
    fifo(samples.paths.index());
    assertThat(samples.index.update(before -> before).index().find(3)).isPresent();
    assertThat(samples.paths.index()).isRegularFile();
    assertThat(Files.exists(samples.paths.scr().resolve("index.scr.bad-1"))).isTrue();
    assertThat(samples.index.read().remarks()).isEmpty();
  }

  @Test
  void anIndexOfAMillionDatasetsCanBeRead() {
    List<Index.Entry> entries = new ArrayList<>();
    for (int id = 1_000_001; id <= 1_001_000; id++) {
      entries.add(Index.Entry.flushed(descriptor(id, "a-name-as-long-as-applications-have/step-" + id), true,
          Samples.TIME));
    }
    long bytes = IndexFile.encode(Index.EMPTY.putAll(entries)).length;
    assertThat(bytes * 1000).isBetween(100L << 20, MetadataFiles.MAX_INDEX_BYTES);
  }

  /** Maps without checksums, as other writers have them: nothing but the place says whose bytes these are. */
  @Test
  void aFetchReadsNothingThatIsOutsideThePrefix() throws Exception {
    Path secret = Files.createDirectories(temp.resolve("secret"));
    Files.writeString(secret.resolve("x"), YEARS);
    Files.createSymbolicLink(samples.prefix.resolve("link"), secret.resolve("x"));
    Files.createSymbolicLink(samples.prefix.resolve("led"), secret);
    Path back = temp.resolve("back");
    FetchCopy fetch = new FetchCopy(samples.paths, 3, back);
    for (String path : List.of("link", "led/x")) {
      OptionalLong large = OptionalLong.of(1L << 33);
      for (OptionalLong size : List.of(OptionalLong.empty(), OptionalLong.of(YEARS.length()), large)) {
        OptionalInt crc = size.equals(large) ? OptionalInt.of(1) : OptionalInt.empty();
        RankEntry entry = new RankEntry(0, List.of(new FlushedFile(path, size, crc, List.of())));
        refused(Fault.OUTSIDE_PREFIX, () -> Samples.fetched(fetch, entry), samples.prefix + "/" + path, "out of");
      }
    }
    assertThat(Files.exists(back.resolve("rank.0/x"))).isFalse();
    fifo(samples.prefix.resolve("fifo"));
    RankEntry entry = new RankEntry(0, List.of(
        new FlushedFile("fifo", OptionalLong.empty(), OptionalInt.empty(), List.of())));
    refused(Fault.CORRUPT, () -> Samples.fetched(fetch, entry), "fifo of rank 0 is missing");
  }

  /** A terabyte would fill the cache, or take hours. */
  @Test
  void ofAFileThatIsLargerThanItsMapSaysNothingIsCopied() throws IOException {
    try (RandomAccessFile giant = new RandomAccessFile(samples.prefix.resolve("giant").toFile(), "rw")) {
      giant.setLength(1L << 40);
    }
    FetchCopy fetch = new FetchCopy(samples.paths, 3, temp.resolve("back"));
    RankEntry entry = new RankEntry(0, List.of(
        new FlushedFile("giant", OptionalLong.of(YEARS.length()), OptionalInt.of(1), List.of())));
    refused(Fault.CORRUPT, () -> Samples.fetched(fetch, entry), "has 1099511627776 bytes instead of 14");
    assertThat(Files.exists(temp.resolve("back/rank.0/giant"))).isFalse();
  }

  @Test
  void aFileThatWasMovedWithinThePrefixIsFetchedThroughItsLink() throws IOException {
    samples.flush(descriptor(3, "b.3"), List.of(samples.cached(3, 0, "a/x")));
    Files.move(samples.prefix.resolve("a"), samples.prefix.resolve("moved"));
    Files.createSymbolicLink(samples.prefix.resolve("a"), Path.of("moved"));
    FetchCopy fetch = new FetchCopy(samples.paths, 3, temp.resolve("back"));
    RankEntry entry = new RankMapReader(samples.paths, 3).entries(List.of(0)).getFirst();
    assertThat(Samples.fetched(fetch, entry).files()).hasSize(1);
  }

  /** Method: of three published datasets the map of the middle one is changed in several ways. */
  @Test
  void oneBadMapDoesNotKeepABuildFromTheOthers() throws Exception {
    for (int id = 1; id <= 3; id++) {
      samples.flush(descriptor(id, "b." + id), List.of(samples.cached(id, 0, "d" + id + "/x")));
    }
    byte[] good = Files.readAllBytes(samples.paths.rankMap(2));
    Files.delete(samples.paths.index());
    for (String place : List.of("../../etc/passwd", "/etc/passwd", ".scr/index.scr", "")) {
      Leaf map = new Leaf(1, List.of(new RankEntry(0, List.of(
          new FlushedFile(place, OptionalLong.of(1), OptionalInt.empty(), List.of())))));
      Files.write(samples.paths.rankMap(2), RankFileMapFile.encode(map));
      CliRun ran = CliRun.index(samples.prefix, "--build");
      assertThat(ran.exit()).as(place + ran).isNotZero();
      assertThat(ran.out() + ran.err()).contains("b.1", "b.3", "dataset 2").doesNotContain("Exception", "internal");
      Index index = samples.index.read().index();
      assertThat(index.find(1)).isPresent();
      assertThat(index.find(3)).isPresent();
    }
    fifo(samples.paths.rankMap(2));
    assertThat(CliRun.index(samples.prefix, "--build").out()).contains("b.1", "b.3");
    Files.delete(samples.paths.rankMap(2));
    Files.write(samples.paths.rankMap(2), good);
    assertThat(CliRun.index(samples.prefix, "--build")).returns(0, CliRun::exit);
    assertThat(new Publication(samples.paths, samples.index).isComplete(2)).isTrue();
  }

  @Test
  void noCommandHangsOnAFifo() throws Exception {
    samples.flush(descriptor(1, "b.1"), List.of(samples.cached(1, 0, "x")));
    for (String name : List.of("halt.scr", "index.scr", "index.lock", "flush.scr", "nodes.scr", "restart.scr",
        "leader.scr", "failures.scr", "log", "scr.dataset.1/summary.scr", "scr.dataset.1/rank2file")) {
      fifo(samples.paths.scr().resolve(name));
      for (Object[] command : List.<Object[]>of(
          new Object[] {"halt", "--list", samples.prefix}, new Object[] {"halt", samples.prefix},
          new Object[] {"index", "--prefix", samples.prefix, "--list"},
          new Object[] {"index", "--prefix", samples.prefix, "--verify"},
          new Object[] {"index", "--prefix", samples.prefix, "--build"},
          new Object[] {"print", samples.paths.scr().resolve(name)},
          new Object[] {"print", samples.paths.scr()})) {
        CliRun ran = CliRun.of(Map.of(), command);
        assertThat(ran.out() + ran.err()).as(name + ": " + List.of(command)).doesNotContain("Exception", "\tat ");
      }
    }
  }

  @Test
  void aHistoryThatIsALinkIsNotTakenForOne() throws IOException {
    link(samples.paths.restartFile());
    var store = new RestartFileStore(samples.paths, PatientLocks.user("n0", Duration.ofSeconds(1)));
    store.update(before -> RestartHistory.EMPTY);
    assertThat(victim).content(StandardCharsets.UTF_8).isEqualTo(YEARS);
  }
}

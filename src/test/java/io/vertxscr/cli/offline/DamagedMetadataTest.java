package io.vertxscr.cli.offline;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cli.CliRun;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.Scheme;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.scavenge.TestCaches;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: no command accepts what restarts refuse. A summary or map is rebuilt only from complete information. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class DamagedMetadataTest {
  @TempDir
  private Path temp;
  private TestCaches caches;
  private PrefixPaths paths;

  @BeforeEach
  void makeCaches() {
    caches = new TestCaches(temp, Scheme.XOR, 4, 1, 1000);
    paths = new PrefixPaths(caches.prefix);
  }

  @Test
  void aDamagedSummaryIsFoundByVerifyAndMadeAgainOfWhatIsPublished() throws IOException {
    caches.dataset(5, "b.5");
    caches.dataset(6, "b.6");
    caches.copy(5);
    caches.copy(6);
    index("--build");
    forgetScavenged(6);
    List<Index.Entry> whole = entries();
    byte[] good = Files.readAllBytes(paths.summary(6));
    for (int length : new int[] {0, 1, 20, good.length / 2, good.length - 1}) {
      TestCaches.tear(paths.summary(6), good, length);
      assertThat(index("--verify", "b.6")).returns(1, CliRun::exit).extracting(CliRun::out).asString()
          .startsWith("dataset 6 'b.6': " + paths.summary(6))
          .endsWith("dataset 6 'b.6': marked as failed, restarts pass it over\n");
      assertThat(explain()).returns(1, CliRun::exit).extracting(CliRun::out).asString()
          .contains("ckpt, 4 ranks, 8 files", "scr index --add 6 reads every file, and makes the summary again")
          .doesNotContain("no node knows");

      String command = length % 2 == 0 ? "--build" : "--add=6";
      assertThat(index(command)).as(command).returns(1, CliRun::exit).extracting(CliRun::out).asString()
          .contains("; every file was read, and the summary was made again from the index and the map\n",
              "dataset 6 'b.6': its files have the right sizes, but it is marked as failed by scr index --verify")
          .doesNotContain("'b.6' is in the index, whole");
      assertThat(paths.summary(6)).hasBinaryContent(good);
      assertThat(index("--verify")).returns(0, CliRun::exit);
      assertThat(entries()).isEqualTo(whole);
      assertThat(index(command)).returns(0, CliRun::exit);
    }
  }

  @Test
  void aDamagedSummaryIsNotMadeAgainWhereIndexMapOrFilesDoNotSayAllOfIt() throws IOException {
    caches.dataset(6, "b.6");
    caches.copy(6);
    index("--add", "6");
    forgetScavenged(6);
    TestCaches.tear(paths.summary(6), Files.readAllBytes(paths.summary(6)), 30);
    byte[] torn = Files.readAllBytes(paths.summary(6));
    for (Path other : List.of(paths.file("b.6/b.1"), paths.rankMap(6), paths.index())) {
      byte[] good = Files.readAllBytes(other);
      byte[] bad = good.clone();
      bad[good.length / 2] ^= 4;
      Files.write(other, bad);
      CliRun ran = index("--add=6");
      assertThat(ran.exit()).isEqualTo(1);
      assertThat(ran.err()).contains(paths.summary(6).toString(), "; it cannot be made again: ",
          ". Put " + paths.summary(6) + " back from a copy, or restart from another dataset");
      assertThat(paths.summary(6)).hasBinaryContent(torn);
      assertThat(entries()).noneMatch(Index.Entry::restartable);
      Files.write(other, good);
    }
    assertThat(index("--build").out()).contains("dataset 6 'b.6' is in the index, whole");
    assertThat(entries()).allMatch(Index.Entry::restartable);

    Files.delete(paths.summary(6));                       // a flush that was cut off would look the same
    assertThat(index("--verify")).returns(1, CliRun::exit);
    assertThat(index("--build")).isEqualTo(new CliRun(1, "dataset 6 was never whole in the prefix directory: it has no"
        + " summary\ndataset 6 'b.6' has lost its summary: not valid any more\n", ""));
    assertThat(paths.summary(6)).doesNotExist();
  }

  @Test
  void withoutIndexADamagedSummaryIsRebuiltFromScavengedData() throws IOException {
    caches.dataset(6, "b.6");
    caches.copy(6);
    index("--add", "6");
    byte[] good = Files.readAllBytes(paths.summary(6));
    TestCaches.tear(paths.summary(6), good, 30);
    Files.delete(paths.index());
    assertThat(index("--add=6")).returns(0, CliRun::exit).extracting(CliRun::out).asString()
        .contains("it cannot be made again: the index does not list it", "published again from what was scavenged",
            "dataset 6 'b.6' is in the index, whole");
    assertThat(paths.summary(6)).hasBinaryContent(good);

    TestCaches.tear(paths.summary(6), good, 30);
    byte[] bytes = Files.readAllBytes(paths.file("b.6/b.1"));
    bytes[500] ^= 1;
    Files.write(paths.file("b.6/b.1"), bytes);
    assertThat(index("--add=6")).returns(0, CliRun::exit).extracting(CliRun::out).asString()
        .contains("1 of its 8 files are not what its map says",
            "is in the index, whole: 8 files, 4.1 kB; rebuilt rank 1");
    assertThat(paths.summary(6)).hasBinaryContent(good);
    assertThat(index("--verify")).returns(0, CliRun::exit);

    TestCaches.tear(paths.summary(6), good, 30);
    Files.delete(paths.file("b.6/b.1"));
    Files.delete(paths.file("b.6/b.2"));
    assertThat(index("--add=6")).returns(1, CliRun::exit).extracting(CliRun::out).asString()
        .contains("dataset 6 'b.6' is INVALID: MISSING files of ranks 1-2; UNRECOVERABLE ranks 1-2");
    assertThat(entries()).noneMatch(Index.Entry::restartable);
  }

  @Test
  void whatIsMarkedAsFailedIsNotCalledWholeByAddAndBuild() throws IOException {
    caches.dataset(6, "b.6");
    caches.copy(6);
    index("--add", "6");
    byte[] bytes = Files.readAllBytes(paths.file("b.6/b.1"));
    bytes[500] ^= 1;
    Files.write(paths.file("b.6/b.1"), bytes);
    index("--verify");
    for (String command : List.of("--build", "--add=6")) {
      assertThat(index(command)).isEqualTo(new CliRun(1, "dataset 6 'b.6': its files have the right sizes, but it is"
          + " marked as failed by scr index --verify, restarts pass it over; to end that, put the files right: scr"
          + " index --verify \"b.6\" names those that differ, and takes its mark back where none does\n", ""));
    }
  }

  @Test
  void explainDoesNotInventTheRanksOfADatasetWhoseMapIsDamaged() throws IOException {
    caches.dataset(6, "b.6");
    caches.copy(6);
    index("--add", "6");
    forgetScavenged(6);
    TestCaches.tear(paths.rankMap(6), Files.readAllBytes(paths.rankMap(6)), 30);
    assertThat(explain()).returns(1, CliRun::exit).extracting(CliRun::out).asString()
        .contains("ckpt, ranks not known, 8 files", "scr index --add 6 makes the map again")
        .doesNotContain("no node knows", "missing");
  }

  /** Leaves the state of a daemon's flush, without filemaps and redundancy. */
  private void forgetScavenged(int id) throws IOException {
    try (var files = Files.newDirectoryStream(paths.dataset(id), "*.scrfilemap")) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
  }

  private CliRun explain() {
    return CliRun.of(Map.of(), "explain", "--prefix", caches.prefix, "--control", temp.resolve("none"), "b.6");
  }

  private List<Index.Entry> entries() {
    return new PrefixIndex(paths, PatientLocks.user("test", Duration.ofSeconds(10))).read().index().entries();
  }

  private CliRun index(Object... arguments) {
    return CliRun.index(caches.prefix, arguments);
  }
}

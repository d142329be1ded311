package io.vertxscr.cli.offline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.CliRun;
import io.vertxscr.format.FilemapFile;
import io.vertxscr.format.prefix.FlushStatus.Location;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Scheme;
import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.prefix.metadata.LogFile;
import io.vertxscr.prefix.metadata.Mounts;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.scavenge.TestCaches;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.NodeLock;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: from dead daemons' caches to a listed dataset by one command, never beside a living daemon. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class ScavengeCommandTest {
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
  void copyBringsWhatThisMachineHas() {
    caches.dataset(6, "b.6");

    assertThat(run("copy", "--id", 6)).isEqualTo(new CliRun(0, """
        node n0: rank 0 of dataset 6, 3 files, 2.9 kB, with redundancy
        node n1: rank 1 of dataset 6, 3 files, 2.9 kB, with redundancy
        node n2: rank 2 of dataset 6, 3 files, 2.9 kB, with redundancy
        node n3: rank 3 of dataset 6, 3 files, 2.9 kB, with redundancy
        """, ""));
    assertThat(run("copy", "--id", 6, "--node", "n1").out()).startsWith("node n1: ");
    assertThat(run("copy", "--id", 7)).isEqualTo(new CliRun(3, "",
        "scr: none of the nodes n0, n1, n2, n3 has anything of dataset 7\n"));
    assertThat(run("copy", "--id", 6, "--node", "n9")).returns(1, CliRun::exit)
        .returns("scr: no control directory of node n9 in " + caches.control + "\n", CliRun::err);
  }

  @Test
  void copyLooksWhetherWhatIsPublishedIsStillWholeAndBringsWhatMendsIt() throws IOException {
    caches.dataset(6, "b.6");
    assertThat(run("scavenge", "--id", 6).exit()).isZero();
    assertThat(run("copy", "--id", 6))
        .isEqualTo(new CliRun(0, "dataset 6 is in the prefix directory, whole: nothing to copy\n", ""));

    Files.delete(paths.file("b.6/b.1"));                  // two of one set: more than its redundancy makes up for
    Files.write(paths.file("b.6/b.2"), new byte[3]);
    assertThat(run("copy", "--id", 6)).returns(0, CliRun::exit).extracting(CliRun::out).asString().startsWith("""
        dataset 6: rank 1: %s is missing
        dataset 6: rank 2: %s has 3 bytes instead of 1006
        dataset 6 is in the prefix directory, but not whole any more: 'scr index --add 6' repairs it with what is\
         copied now
        node n0: rank 0 of dataset 6, 3 files, 2.9 kB, with redundancy
        """.formatted(paths.file("b.6/b.1"), paths.file("b.6/b.2")));
    assertThat(run("index", "--add", "6").exit()).isZero();
    assertThat(run("index", "--verify").out()).isEqualTo("dataset 6 'b.6': good, 8 files, 4.1 kB\n");

    Files.write(paths.dataset(6).resolve("rank2file.0.0"), new byte[20]);
    assertThat(run("copy", "--id", 6)).returns(0, CliRun::exit).extracting(CliRun::out).asString()
        .startsWith("dataset 6: " + paths.dataset(6).resolve("rank2file.0.0")).contains("not whole any more");
    assertThat(run("index", "--add", "6").exit()).isZero();
    assertThat(run("index", "--verify").out()).isEqualTo("dataset 6 'b.6': good, 8 files, 4.1 kB\n");
  }

  @Test
  void aNodeWhoseDaemonRunsIsLeftToIt() {
    caches.dataset(6, "b.6");
    Path control = caches.control.resolve("n1");
    try (NodeLock _ = NodeLock.take(new NodeDirectories(control, control), LocalFiles.ofThisMachine())) {
      CliRun ran = run("scavenge", "--id", 6);
      assertThat(ran.exit()).isEqualTo(1);
      assertThat(ran.err()).startsWith("scr: node n1: its daemon is running and flushes by itself; stop it first");
      assertThat(paths.summary(6)).doesNotExist();
    }
    assertThat(run("scavenge", "--id", 6).exit()).isZero();
  }

  @Test
  void scavengeTakesTheNewestCheckpointThatCanBeHad() {
    caches.dataset(5, "b.5");
    caches.dataset(6, "b.6");
    caches.lose("n2");

    assertThat(run("scavenge").out()).endsWith(
        "dataset 6 'b.6' is in the index, whole: 8 files, 4.1 kB; rebuilt rank 2\n").doesNotContain("dataset 5");
    assertThat(run("index", "--verify").out()).isEqualTo("dataset 6 'b.6': good, 8 files, 4.1 kB\n");
  }

  @Test
  void anOlderCheckpointIsTakenWhereTheNewestCannotBeHad() throws IOException {
    caches.dataset(5, "b.5");
    caches.dataset(6, "b.6");
    for (String node : List.of("n1", "n2")) {
      Files.delete(caches.directory(node, 6).resolve("rank." + node.substring(1) + "/b." + node.substring(1)));
    }

    CliRun ran = run("scavenge");
    assertThat(ran.exit()).isZero();
    assertThat(ran.out()).contains("dataset 6 'b.6' is INVALID: MISSING files of ranks 1-2; UNRECOVERABLE ranks 1-2")
        .endsWith("dataset 5 'b.5' is in the index, whole: 8 files, 4.1 kB\n");
  }

  @Test
  void whatALostNodeHasLeftOfAnOlderCheckpointStaysInItsCache() throws IOException {
    caches.dataset(5, "b.5");
    caches.dataset(6, "b.6");
    run("scavenge", "--id", 6);
    for (String node : List.of("n0", "n1", "n3")) {
      Trees.delete(caches.directory(node, 5));
    }

    assertThat(run("scavenge")).isEqualTo(new CliRun(0,
        "left in the caches, for 6 'b.6' is newer and in the prefix directory: 5 'b.5'\n", ""));
    assertThat(paths.dataset(5)).doesNotExist();
    assertThat(PrefixOption.index(paths).read().index().find(5)).isEmpty();
    assertThat(run("scavenge", "--id", 5)).as("who asks for it gets it").returns(1, CliRun::exit)
        .extracting(CliRun::out).asString().contains("dataset 5 'b.5' is INVALID");
  }

  @Test
  void anOlderCheckpointIsTakenWhereTheOneInTheIndexHasFailed() {
    caches.dataset(5, "b.5");
    caches.dataset(6, "b.6");
    run("scavenge", "--id", 6);
    PrefixOption.index(paths).update(index -> index.markFailed(6, LocalDateTime.now()));

    assertThat(run("scavenge")).returns(0, CliRun::exit).extracting(CliRun::out).asString()
        .contains("dataset 5 'b.5' is in the index, whole");
  }

  @Test
  void aFlushThatItsDaemonsDidNotFinishIsFinished() {
    DatasetDescriptor dataset = caches.dataset(6, "b.6");
    var flushFile = new FlushFileStore(paths, PatientLocks.user("test", Duration.ofSeconds(10)));
    flushFile.update(status -> status.put(dataset, Set.of(Location.CACHE, Location.FLUSHING)));

    assertThat(run("scavenge").exit()).isZero();
    assertThat(flushFile.read().find(6).orElseThrow().locations())
        .containsExactlyInAnyOrder(Location.CACHE, Location.PFS);
    assertThat(run("scavenge")).isEqualTo(
        new CliRun(0, "nothing to scavenge: every dataset that is known is in the prefix directory\n", ""));
  }

  @Test
  void hostsAreReachedByTheCommandOfTheUserAndTheDeadAndTheEmptyAreToldApart() throws IOException {
    caches.dataset(6, "b.6");
    String classpath = System.getProperty("java.class.path");
    String java = ProcessHandle.current().info().command().orElseThrow();
    // What runs on a host: there, only the node of that name is. The host n2 does not answer, n9 has nothing.
    Path remote = Files.writeString(temp.resolve("remote"), """
        #!/bin/sh
        host=$1; shift 2
        [ "$host" != n2 ] || exit 255
        [ "$host" != n9 ] || exit 3
        exec "%s" -XX:TieredStopAtLevel=1 -cp "%s" io.vertxscr.cli.ScrCommand "$@" --node "$host"
        """.formatted(java, classpath));
    Files.setPosixFilePermissions(remote, PosixFilePermissions.fromString("rwx------"));

    CliRun ran = run("scavenge", "--id", 6, "--hosts", "n0,n1,n2,n3,n9", "--remote", remote + " {host}");
    assertThat(ran).returns(0, CliRun::exit).returns("", CliRun::err);
    assertThat(ran.out()).contains("n1: node n1: rank 1 of dataset 6, 3 files")
        .contains("nothing of dataset 6 is on 1 of 5 hosts: n9\n")
        .contains("not reached, and taken for dead: 1 of 5 hosts: n2\n")
        .doesNotContain("failed")
        .endsWith("dataset 6 'b.6' is in the index, whole: 8 files, 4.1 kB; rebuilt rank 2\n");
  }

  @Test
  void whereACommandFailsOnAHostTheFlushOfItsDaemonIsNotTakenOver() {
    DatasetDescriptor dataset = caches.dataset(6, "b.6");
    run("copy", "--id", 6);
    var flushFile = new FlushFileStore(paths, PatientLocks.user("test", Duration.ofSeconds(10)));
    flushFile.update(status -> status.put(dataset, Set.of(Location.CACHE, Location.FLUSHING)));
    for (String remote : List.of("false", temp.resolve("none").toString())) {
      CliRun ran = run("scavenge", "--id", 6, "--hosts", "n0,n1", "--remote", remote);
      assertThat(ran.exit()).as(ran.toString()).isEqualTo(1);
      assertThat(ran.out()).contains("failed, for the reason above, on 2 of 2 hosts: n0, n1\n");
      assertThat(paths.summary(6)).doesNotExist();
    }
  }

  @Test
  void aPrefixDirectoryThatCannotBeWrittenToIsNamedOnceWithWhatToDo() throws Exception {
    caches.dataset(6, "b.6");
    assumeTrue(Mounts.mount("-t", "tmpfs", "-o", "ro", "tmpfs", caches.prefix.toString()), "may mount");
    try {
      for (String command : List.of("copy", "scavenge")) {
        assertThat(run(command, "--id", 6)).isEqualTo(new CliRun(1, "", "scr: " + caches.prefix
            + " cannot be written to, so nothing can be brought there: mount its file system for writing, or be the"
            + " user who wrote the datasets\n"));
      }
      assertThat(run("copy", "--id", 7).exit()).isEqualTo(3);
    } finally {
      Mounts.unmount(caches.prefix);
    }
  }

  @Test
  void inspectAsksThePrefixDirectoryWhetherAFlushThatWasWantedIsDone() throws IOException {
    caches.dataset(6, "b.6");
    caches.dataset(7, "b.7");
    assertThat(run("scavenge", "--id", 6).exit()).isZero();
    assertThat(run("inspect").out().lines().filter(line -> line.contains(" n1 ")).toList()).hasSize(2)
        .satisfiesExactly(six -> assertThat(six).contains(" done "), seven -> assertThat(seven).contains(" wanted "));
    Files.write(paths.summary(6), new byte[100]);
    assertThat(run("inspect").out()).doesNotContain(" done ");
  }

  @Test
  void aScavengeIsInTheLogOfThePrefixDirectory() {
    caches.dataset(6, "b.6");
    run("scavenge", "--id", 6);
    run("scavenge", "--id", 7);
    assertThat(new LogFile(paths).read()).extracting(line -> line.event().orElseThrow() + " "
        + line.fields().get("dset") + " " + line.fields().get("note")).containsExactly("SCAVENGE_START 6 null",
            "SCAVENGE_END 6 in the prefix directory", "SCAVENGE_START 7 null", "SCAVENGE_END 7 could not be had");
  }

  @Test
  void datasetsOfAnotherPrefixDirectoryAreNeitherScavengedNorExplained() throws IOException {
    caches.dataset(6, "b.6");
    Path other = Files.createDirectory(temp.resolve("other"));
    String says = "dataset 6 'b.6', which the caches of n0, n1, n2, n3 hold, belongs to the prefix directory "
        + caches.prefix + ", not to " + other + ": say --prefix " + caches.prefix + "\n";

    assertThat(at(other, "copy", "--id", 6)).isEqualTo(new CliRun(3, "", "scr: " + says));
    assertThat(at(other, "scavenge", "--id", 6)).isEqualTo(new CliRun(1, "dataset 6: " + says, ""));
    assertThat(at(other, "scavenge").out()).isEqualTo("nothing to scavenge: found no dataset of " + other
        + ", neither in its flush file nor in the caches of n0, n1, n2, n3, whose control directories are in "
        + caches.control + "\n");
    assertThat(at(other, "explain", 6)).isEqualTo(new CliRun(1, "", "scr: " + says));
    assertThat(at(other, "explain", "b.6")).isEqualTo(new CliRun(1, "", "scr: " + says));
    assertThat(other.resolve(".scr/scr.dataset.6")).doesNotExist();

    Path link = Files.createSymbolicLink(temp.resolve("link"), caches.prefix);
    assertThat(at(link, "scavenge", "--id", 6).exit()).isZero();
    assertThat(paths.summary(6)).exists();
  }

  @Test
  void whereDatasetsOfSeveralPrefixDirectoriesAreHereInspectSaysWhose() throws IOException {
    caches.dataset(6, "b.6");
    assertThat(run("inspect").out()).doesNotContain(caches.prefix.toString());
    Path map;
    try (var maps = Files.newDirectoryStream(caches.control.resolve("n1"), "*.scrfilemap")) {
      map = maps.iterator().next();
    }
    DatasetRecord record = FilemapFile.decode(Files.readAllBytes(map));
    var other = new DatasetRecord(record.descriptor(), new DatasetRecord.Origin("/other", 4), record.cache(),
        record.redundancy(), record.flush(), record.ranks());
    Files.write(map, FilemapFile.encode(other));
    assertThat(run("inspect").out()).contains("  name  prefix\n", "b.6   /other\n", "b.6   " + caches.prefix + "\n");
  }

  private CliRun at(Path prefix, String command, Object... arguments) {
    List<Object> line = new ArrayList<>(List.of(command, "--prefix", prefix, "--control", caches.control));
    line.addAll(List.of(arguments));
    return CliRun.of(Map.of(), line.toArray());
  }

  @Test
  void inspectShowsWhatIsHereAndWhatCanBeRestored() throws IOException {
    caches.dataset(5, "b.5");
    caches.dataset(6, "b.6");
    caches.lose("n3");
    Files.delete(caches.directory("n2", 6).resolve("rank.2/a.2"));

    CliRun ran = run("inspect");
    assertThat(ran.exit()).isEqualTo(1);
    assertThat(ran.out()).isEqualTo("""
        id  kind  node  ranks    size  scheme  flush   name
         5  ckpt  n0    0      1.0 kB  XOR     wanted  b.5
         5  ckpt  n1    1      1.0 kB  XOR     wanted  b.5
         5  ckpt  n2    2      1.0 kB  XOR     wanted  b.5
         6  ckpt  n0    0      1.0 kB  XOR     wanted  b.6
         6  ckpt  n1    1      1.0 kB  XOR     wanted  b.6
         6  ckpt  n2    -         0 B  XOR     wanted  b.6

        dataset 5 'b.5': can be restored from these caches, but not after the loss of n0, of n1, or of n2
        dataset 6 'b.6': cannot be restored from these caches alone: ranks 2-3 of 4 are missing
        """);
    assertThat(ran.err()).isEqualTo("scr: dataset 6, rank 2 on n2: " + caches.directory("n2", 6).resolve("rank.2/a.2")
        + " is missing\n");
    JsonObject json = new JsonObject(run("inspect", "--json").out());
    assertThat(json.getJsonArray("datasets").getJsonObject(5).getJsonArray("lostRanks").encode())
        .isEqualTo("[2,3]");
  }

  @Test
  void explainSaysWhyWhatIsMissingAndWhatToDo() {
    caches.dataset(6, "b.6");
    assertThat(run("explain", "b.6")).returns(0, CliRun::exit).extracting(CliRun::out).asString()
        .contains("It is not in the prefix directory, but the caches can give it.")
        .contains("at risk\n  any one node may be lost; it would be gone with n0 and n1, with n0 and n2, ")
        .contains("next\n  with the daemons running, a restart takes it from the caches, and scr flush");
    caches.lose("n2");
    caches.lose("n3");
    CliRun lost = run("explain", 6);
    assertThat(lost.exit()).isEqualTo(1);
    assertThat(lost.out()).startsWith("dataset 6 'b.6': ckpt, 4 ranks, 8 files, 4.1 kB, created 20")
        .contains("It cannot be had from what was looked at.\n\nwhy\n  the prefix directory has no summary of it")
        .contains("missing\n  rank 2: in the same XOR set [0, 1, 2, 3], "
            + "which tolerates 1 loss, ranks [3] have lost their files");
    assertThat(run("explain", "b.7")).returns(1, CliRun::exit).extracting(CliRun::err).asString()
        .contains("know a dataset 'b.7'");
    assertThat(new JsonObject(run("explain", "b.6", "--json").out()).getString("verdict")).isEqualTo("LOST");
  }

  @Test
  void explainSeesThePrefixDirectoryToo() throws IOException {
    caches.dataset(6, "b.6");
    run("copy", "--id", 6);
    assertThat(run("explain", "b.6").out()).contains("It was scavenged and can be made whole")
        .contains("scr index --add 6 rebuilds what is missing and publishes it");
    run("index", "--add", 6);
    assertThat(run("explain", "b.6").out()).contains("It is in the prefix directory, whole.");
    for (int node = 0; node < 4; node++) {
      caches.lose("n" + node);
    }
    Files.write(paths.file("b.6/b.1"), new byte[3]);
    String bad = "rank 1: " + paths.file("b.6/b.1") + " has 3 bytes instead of 1003\n";
    assertThat(run("explain", "b.6")).returns(0, CliRun::exit).extracting(CliRun::out).asString()
        .contains(bad, "It was scavenged and can be made whole", "scr index --add 6 rebuilds what is missing");
    try (var maps = Files.newDirectoryStream(paths.dataset(6), "*.scrfilemap")) {
      for (Path map : maps) {
        Files.delete(map);                                // as after a flush, which leaves no redundancy
      }
    }
    assertThat(run("explain", "b.6")).returns(1, CliRun::exit).extracting(CliRun::out).asString()
        .contains("missing\n  " + bad).doesNotContain("rank 0", "redundancy set");
  }

  private CliRun run(String command, Object... arguments) {
    List<Object> line = new ArrayList<>(List.of(command, "--prefix", caches.prefix));
    if (command.equals("inspect")) {
      line = new ArrayList<>(List.of(command));
    }
    if (!command.equals("index")) {
      line.addAll(List.of("--control", caches.control));
    }
    line.addAll(List.of(arguments));
    return CliRun.of(Map.of(), line.toArray());
  }
}

package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertxscr.cli.CliRun;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.prefix.copy.FetchCopy;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.recorded.RecordedFileSystemProvider;
import io.vertxscr.recorded.States;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.scavenge.TestCaches;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a kill of daemons or a command at any write leaves the old or the new state, all bytes right. The next daemon
 * or command completes the work. Method: {@link RecordedWork} keeps a copy of everything before each of its changes,
 * torn writes included. Each copy is read as a restart does, and all its files are fetched; every {@link #EACH}-th of a
 * command, and a third as many of daemons, are also listed and verified by the command, and gone on with; all are with
 * -Deach=1.
 */
class KillAtEveryWriteIT {
  private static final int EACH = Integer.getInteger("each", 16);
  private static Vertx vertx;

  @TempDir
  private static Path all;
  private int fetches;

  /** Every byte that a dataset has. */
  private interface Bytes {
    byte[] of(int dataset, int rank, String path);
  }

  @BeforeAll
  static void recordAll() throws Exception {
    vertx = Vertx.vertx();
    List<String> line = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElseThrow(),
        "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
        "-Djava.nio.file.spi.DefaultFileSystemProvider=" + RecordedFileSystemProvider.class.getName(),
        "-cp", System.getProperty("java.class.path"), RecordedWork.class.getName(), all.toString()));
    Process recording = new ProcessBuilder(line).inheritIO().start();
    assertThat(recording.waitFor()).isZero();
  }

  @AfterAll
  static void close() {
    vertx.close().await();
  }

  @ParameterizedTest
  @EnumSource(RecordedWork.Flush.class)
  void aFlushKilledAtAnyWriteShowsTheOldDatasetOrTheNewOneToo(RecordedWork.Flush flush) throws Exception {
    Bytes bytes = (dataset, rank, path) ->
        RankProgram.bytes(rank, dataset, Integer.parseInt(path.substring(path.lastIndexOf('-') + 1)));
    List<Path> states = states(flush.name());
    boolean wasThere = false;
    for (Path state : states) {
      boolean isThere = read(state, bytes).contains("step-2");
      assertThat(isThere || !wasThere).as("%s: what was there stays", state).isTrue();
      wasThere = isThere;
    }
    assertThat(wasThere).isTrue();
    for (Path state : each(states, 3 * EACH)) {
      goOn(flush, state, bytes);
    }
  }

  /** Daemons start again on what is left, and ranks with them. */
  private void goOn(RecordedWork.Flush flush, Path state, Bytes bytes) throws Exception {
    listAndVerify(state);
    Path work = restored(state);
    try (TestCluster cluster = flush.cluster(vertx, work)) {
      int step = cluster.restart(RecordedWork.NODES);
      assertThat(step).as(state.toString()).isIn(RecordedWork.OLD, RecordedWork.NEW);
      assertThat(read(work, bytes)).as(state.toString()).contains("step-" + step);
      listAndVerify(work);
      if (step == RecordedWork.NEW) {
        assertThat(leftOvers(work.resolve("prefix"))).as(state.toString()).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(RecordedWork.Command.class)
  void aCommandKilledAtAnyWriteLeavesTheOldStateOrTheNewOneAndIsRunAgain(RecordedWork.Command command)
      throws Exception {
    TestCaches caches = command.caches(Files.createDirectories(all.resolve("bytes-" + command)));
    Bytes bytes = (dataset, rank, path) -> caches.bytes(dataset, rank, 
        path.substring(path.indexOf('/') + 1, path.lastIndexOf('.')));
    List<Path> states = states(command.name());
    Index before = index(states.getFirst());
    Index after = index(states.getLast());
    assertThat(after).isNotEqualTo(before);
    Set<List<String>> allowed = new HashSet<>(Set.of(listed(before), listed(after)));
    if (command == RecordedWork.Command.BUILD) {
      allowed.add(listed(after.drop(2)));                 // lists one after the other, the newest first
    }
    for (Path state : states) {
      read(state, bytes);
      assertThat(listed(index(state))).as(state.toString()).isIn(allowed);
    }
    for (Path state : each(states, EACH)) {
      listAndVerify(state);
      Path work = restored(state);
      CliRun again = command.run(work);
      assertThat(again.exit()).as("%s: %s", state, again).isIn(0, command == RecordedWork.Command.DROP ? 1 : 0);
      read(work, bytes);
      assertThat(listed(index(work))).as(state.toString()).isEqualTo(listed(after));
    }
  }

  /** Some, and the last in any case. */
  private static List<Path> each(List<Path> states, int step) {
    return IntStream.range(0, states.size()).filter(i -> EACH == 1 || (states.size() - 1 - i) % step == 0)
        .mapToObj(states::get).toList();
  }

  private static List<String> listed(Index index) {
    List<String> lines = new ArrayList<>(index.entries().stream()
        .map(entry -> entry.name() + " " + entry.complete()).toList());
    lines.add("current " + index.current());
    return lines;
  }

  private static Index index(Path state) {
    PrefixIndex.Reading reading = new PrefixIndex(
        new PrefixPaths(state.resolve("prefix")), PatientLocks.user("test", Duration.ofSeconds(10))).read();
    assertThat(reading.remarks()).as(state.toString()).isEmpty();
    return reading.index();
  }

  private static void listAndVerify(Path state) {
    for (String action : List.of("--list", "--verify")) {
      CliRun ran = CliRun.of(Map.of(), "index", "--prefix", state.resolve("prefix"), action);
      assertThat(ran).as(state + " " + ran).returns(0, CliRun::exit);
    }
  }

  /** Names of the datasets that are there, each fetched whole. */
  private List<String> read(Path state, Bytes bytes) throws IOException {
    PrefixPaths paths = new PrefixPaths(state.resolve("prefix"));
    Index index = index(state);
    for (Index.Entry entry : index.entries()) {
      assertThat(entry.complete()).as("%s: %s", state, entry).isTrue();
      Path fetched = all.resolve("fetched" + fetches++);
      FetchCopy copy = new FetchCopy(paths, entry.id(), fetched);
      new RankMapReader(paths, entry.id()).forEach(rank -> copy.parts(rank).forEach(part ->
          copy.join(List.of(part.copy())).getFirst().files().forEach(file ->
              assertThat(fetched.resolve(file.name())).as("%s: %s", state, file.path())
                  .hasBinaryContent(bytes.of(entry.id(), rank.rank(), file.path())))));
      Trees.delete(fetched);
    }
    return index.entries().stream().map(Index.Entry::name).toList();
  }

  private static List<Path> leftOvers(Path prefix) throws IOException {
    try (Stream<Path> files = Files.walk(prefix)) {
      return files.filter(file -> file.getFileName().toString()
          .matches(".*scr-(draft|marks|kept).*|flush\\.(?!scr).*")).toList();
    }
  }

  /** In their order. */
  private static List<Path> states(String work) throws IOException {
    Path states = all.resolve(work).resolve("states");
    List<Path> inOrder = new ArrayList<>();
    for (String change : Files.readAllLines(states.resolve("changes"))) {
      inOrder.add(states.resolve(change.substring(0, change.indexOf(' '))));
    }
    System.out.printf("%s: killed at %d changes%n", work, inOrder.size() - 1);
    return inOrder;
  }

  /** Restores the directory to its state at the kill. */
  private static Path restored(Path state) throws IOException {
    Path work = state.getParent().resolveSibling("work");
    Trees.delete(work);
    States.copy(state, work);
    return work;
  }
}

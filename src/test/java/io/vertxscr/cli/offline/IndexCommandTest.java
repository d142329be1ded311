package io.vertxscr.cli.offline;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.CliRun;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Job;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: the index shows every dataset, and what commands and runs change at the same time all counts. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class IndexCommandTest {
  private static final LocalDateTime TIME = LocalDateTime.of(2026, 11, 20, 11, 58, 50);

  @TempDir
  private Path prefix;

  @Test
  void everyKindOfDatasetIsListed() {
    enlist(entry(1, "b.1", DatasetFlags.CHECKPOINT, true));
    enlist(entry(2, "out of 2", DatasetFlags.OUTPUT, true));
    enlist(entry(10, "b.10", DatasetFlags.CHECKPOINT_AND_OUTPUT, false));
    index().update(index -> index.markFailed(1, TIME).setCurrent("b.1"));

    assertThat(index("--list")).isEqualTo(new CliRun(0, """
        id  kind    valid   flushed                size  files  current  name
         1  ckpt    failed  2026-11-20T11:58:50  1.5 MB      3  *        b.1
         2  output  yes     2026-11-20T11:58:50  1.5 MB      3           out of 2
        10  both    no      2026-11-20T11:58:50  1.5 MB      3           b.10
        """, ""));
  }

  @Test
  void whatWasWrittenOverIsListedAsReplacedAndNeitherVerifiedNorMadeCurrent() {
    enlist(entry(1, "b.1", DatasetFlags.CHECKPOINT, true));
    enlist(entry(2, "b.2", DatasetFlags.CHECKPOINT, true));
    index().update(index -> index.markReplaced(Set.of(1), 2));
    assertThat(index("--list").out()).contains("\n 1  ckpt  replaced-by-2  2026", "\n 2  ckpt  yes            2026");
    JsonObject json = new JsonObject(index("--list", "--json").out());
    assertThat(json.getJsonArray("datasets").getJsonObject(0).getInteger("replacedBy")).isEqualTo(2);
    assertThat(index("--verify", "b.1")).isEqualTo(new CliRun(0, "dataset 1 'b.1' was replaced by dataset 2, which has"
        + " written over its files: not read, restarts pass it over\n", ""));
    assertThat(index("--current", "b.1").err()).contains("was replaced by dataset 2", "no restart can use it");
    assertThat(CliRun.of(Map.of("SCR_PREFIX", prefix.toString()), "explain", "1").out())
        .contains("a later dataset has replaced it", "dataset 2 has written over files", "a restart takes 'b.2'");
  }

  @Test
  void theListAsJsonHasWhatTheTableHas() {
    enlist(entry(1, "b.1", DatasetFlags.CHECKPOINT, true));
    index().update(index -> index.markFetched(1, TIME).setCurrent("b.1"));

    JsonObject json = new JsonObject(index("--list", "--json").out());
    assertThat(json.getString("current")).isEqualTo("b.1");
    assertThat(json.getJsonArray("datasets").getJsonObject(0).encode()).isEqualTo("{\"id\":1,\"name\":\"b.1\","
        + "\"kind\":\"ckpt\",\"complete\":true,\"valid\":\"yes\",\"current\":true,\"files\":3,\"bytes\":1500000,"
        + "\"createdUs\":1000,\"flushed\":\"2026-11-20T11:58:50\",\"fetched\":[\"2026-11-20T11:58:50\"]}");
  }

  @Test
  void anEmptyPrefixSaysSoAndAMissingOneIsWrongUse() {
    assertThat(index("--list")).isEqualTo(new CliRun(0, "no datasets\n", ""));
    assertThat(CliRun.of(Map.of(), "index", "--list", "--prefix", prefix.resolve("none")))
        .isEqualTo(new CliRun(2, "", "scr: prefix directory " + prefix.resolve("none") + " is not there\n"));
    assertThat(CliRun.of(Map.of("SCR_PREFIX", prefix.toString()), "index", "--list").out()).isEqualTo("no datasets\n");
    assertThat(index().read().index()).isEqualTo(Index.EMPTY);
    assertThat(prefix).isEmptyDirectory();
  }

  @Test
  void oneActionAtMostIsTakenAndNoneLists() {
    assertThat(index().read().remarks()).isEmpty();
    assertThat(index("--list", "--drop", "x").exit()).isEqualTo(2);
    assertThat(index().read().index()).isEqualTo(Index.EMPTY);
    assertThat(CliRun.index(prefix)).isEqualTo(new CliRun(0, "no datasets\n", ""));
    enlist(entry(1, "b.1", DatasetFlags.CHECKPOINT, true));
    assertThat(CliRun.index(prefix)).isEqualTo(CliRun.index(prefix, "--list"));
    assertThat(new JsonObject(CliRun.index(prefix, "--json").out()).getJsonArray("datasets")).hasSize(1);
    assertThat(index("--list", "/p")).returns(2, CliRun::exit).extracting(CliRun::err).asString()
        .contains("'/p': a prefix directory is given by --prefix /p\n");
  }

  @Test
  void currentAndDropSayWhatIsDifferentNow() {
    for (int id = 1; id <= 5; id++) {
      enlist(entry(id, "b." + id, DatasetFlags.CHECKPOINT, true));
    }

    assertThat(index("--current", "b.4")).isEqualTo(new CliRun(0, "current is 'b.4'\n", ""));
    assertThat(index("--drop", "b.1")).isEqualTo(new CliRun(0, "dropped dataset 1 'b.1'; its files stay\n", ""));
    assertThat(index("--drop-after", "b.3").out()).isEqualTo("""
        dropped dataset 4 'b.4'; its files stay
        dropped dataset 5 'b.5'; its files stay
        nothing is current: a restart begins with the newest checkpoint
        """);
    assertThat(index().read().index().entries()).extracting(Index.Entry::id).containsExactly(2, 3);
  }

  @Test
  void aNameThatIsNotThereIsRefusedWithTheNearestOneAndNothingChanges() {
    enlist(entry(1, "step-100", DatasetFlags.CHECKPOINT, true));

    for (String action : List.of("--current", "--drop", "--drop-after")) {
      assertThat(index(action, "setp-100")).isEqualTo(
          new CliRun(1, "", "scr: the index has no dataset 'setp-100'; did you mean step-100?\n"));
    }
    assertThat(index().read().index().entries()).hasSize(1);
  }

  @Test
  void whoMistypesANumberIsNotLedToAnotherDatasetButToldTheNewest() {
    for (int id = 1; id <= 4; id++) {
      enlist(entry(id, "ckpt." + id, DatasetFlags.CHECKPOINT, true));
    }
    assertThat(index("--drop", "ckpt.7")).isEqualTo(new CliRun(1, "",
        "scr: the index has no dataset 'ckpt.7'; its newest are 'ckpt.4', 'ckpt.3', 'ckpt.2'\n"));
    assertThat(index().read().index().entries()).hasSize(4);
  }

  @Test
  void whatRestartsPassOverCannotBeMadeCurrent() {
    enlist(entry(1, "whole", DatasetFlags.CHECKPOINT, true));
    enlist(entry(2, "partial", DatasetFlags.CHECKPOINT, false));
    enlist(entry(3, "bad bytes", DatasetFlags.CHECKPOINT, true));
    enlist(entry(4, "bad run", DatasetFlags.CHECKPOINT, true));
    enlist(entry(5, "picture", DatasetFlags.OUTPUT, true));
    index().update(index -> index.setCurrent("whole").markDamaged(3, TIME).markFailed(4, TIME));

    assertThat(index("--current", "partial")).isEqualTo(new CliRun(1, "",
        "scr: dataset 2 'partial' is not valid: no restart can use it; scr explain 2 says why\n"));
    assertThat(index("--current", "bad bytes")).isEqualTo(new CliRun(1, "", "scr: dataset 3 'bad bytes' cannot be"
        + " current: it is marked as failed by scr index --verify, restarts pass it over; to end that, put the files"
        + " right: scr index --verify \"bad bytes\" names those that differ, and takes its mark back where none does"
        + "\n"));
    assertThat(index("--current", "bad run")).isEqualTo(new CliRun(1, "", "scr: dataset 4 'bad run' cannot be"
        + " current: it is marked as failed by a run, restarts pass it over; to end that: scr index --drop \"bad run\","
        + " then --add 4\n"));
    assertThat(index("--current", "picture")).isEqualTo(new CliRun(1, "",
        "scr: dataset 5 'picture' is output, no checkpoint: no restart can use it\n"));
    assertThat(index().read().index().current()).hasValue("whole");
  }

  @Test
  void aDamagedIndexIsListedFromTheSummariesAndSaysHowItIsRepaired() throws IOException {
    Files.createDirectories(prefix.resolve(".scr"));
    Files.writeString(prefix.resolve(".scr/index.scr"), "torn");

    CliRun ran = index("--list");
    assertThat(ran).returns(1, CliRun::exit).returns("no datasets\n", CliRun::out);
    assertThat(ran.err()).contains("index damaged").contains("'scr index --build'");
  }

  @Test
  void commandsOfSeveralProcessesAndARunNeverLoseEachOthersEntries() throws Exception {
    for (int id = 1; id <= 40; id++) {
      enlist(entry(id, "b." + id, DatasetFlags.CHECKPOINT, true));
    }
    List<Process> commands = new ArrayList<>();
    for (int process = 0; process < 2; process++) {
      commands.add(new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-XX:TieredStopAtLevel=1",
          "-cp", System.getProperty("java.class.path"), DropEveryOther.class.getName(), prefix.toString(),
          Integer.toString(process + 1)).inheritIO().start());
    }
    for (int id = 41; id <= 80; id++) {                    // what a run does meanwhile
      enlist(entry(id, "b." + id, DatasetFlags.CHECKPOINT, true));
    }
    for (Process command : commands) {
      assertThat(command.waitFor()).isZero();
    }
    assertThat(index().read().index().entries()).extracting(Index.Entry::id)
        .containsExactlyElementsOf(java.util.stream.IntStream.rangeClosed(41, 80).boxed().toList());
  }

  /** Drops b.1, b.3, ... or b.2, b.4, ..., each with a command of its own. */
  static final class DropEveryOther {
    public static void main(String[] arguments) {
      for (int id = Integer.parseInt(arguments[1]); id <= 40; id += 2) {
        CliRun ran = CliRun.of(Map.of(), "index", "--prefix", arguments[0], "--drop", "b." + id);
        if (ran.exit() != 0) {
          throw new IllegalStateException(ran.toString());
        }
      }
    }
  }

  private void enlist(Index.Entry entry) {
    index().update(index -> index.put(entry));
  }

  private PrefixIndex index() {
    return new PrefixIndex(new PrefixPaths(prefix), PatientLocks.user("test", Duration.ofSeconds(60)));
  }

  private CliRun index(Object... arguments) {
    List<Object> line = new ArrayList<>(List.of("index", "--prefix", prefix));
    line.addAll(List.of(arguments));
    return CliRun.of(Map.of(), line.toArray());
  }

  private static Index.Entry entry(int id, String name, DatasetFlags flags, boolean complete) {
    var descriptor = new DatasetDescriptor(id, name, flags, id, 1000L * id, new Job("u", "j", "1", "c"),
        new DatasetDescriptor.Totals(3, 1_500_000));
    return new Index.Entry(descriptor, complete, Optional.of(TIME), List.of(), Optional.empty());
  }
}

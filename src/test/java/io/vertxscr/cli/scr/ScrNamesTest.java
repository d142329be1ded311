package io.vertxscr.cli.scr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.vertxscr.cli.CliRun;
import io.vertxscr.format.prefix.FlushStatus.Location;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.FailureHistory.Level;
import io.vertxscr.model.FailureHistory;
import io.vertxscr.model.Halt;
import io.vertxscr.model.Job;
import io.vertxscr.prefix.metadata.FailuresFileStore;
import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.prefix.metadata.HaltFileStore;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Goal: a script that was written for SCR's commands goes on working under their names. */
class ScrNamesTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final LocalDateTime TIME = LocalDateTime.of(2026, 11, 20, 11, 58, 50);

  @TempDir
  private Path prefix;

  private CliRun run(Object... words) {
    return CliRun.of(Map.of("SCR_PREFIX", prefix.toString(), "SCR_USER_NAME", "u", "SCR_JOB_ID", "7",
        "SCR_CNTL_BASE", prefix.toString(), "PATH", "/usr/bin:/bin"), words);
  }

  private PrefixPaths paths() {
    return new PrefixPaths(prefix);
  }

  private static DatasetDescriptor dataset(int id, String name, DatasetFlags flags) {
    return new DatasetDescriptor(id, name, flags, id, 1000L * id, new Job("u", "j", "1", "c"),
        new DatasetDescriptor.Totals(3, 1500));
  }

  private void enlist(int id, String name, DatasetFlags flags, boolean complete) {
    new PrefixIndex(paths(), PatientLocks.user("test", SECOND)).update(index -> index.put(
        new Index.Entry(dataset(id, name, flags), complete, complete ? Optional.of(TIME) : Optional.empty(), List.of(),
            Optional.empty())));
  }

  /** The columns are SCR's name and its options, long and short, each as its parsers take it. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "scr_index|-l;--list;-b 5;--build 5;--build=5;-a n;--add n;--add=n;-d n;--drop n;--drop-after n;-c n;--current n;"
          + "-p d;--prefix d;--prefix=d;-l -p d;--cur n",
      "scr_halt|-c 3;-c3;--checkpoints 3;-b t;--before t;-a t;--after t;-i;--immediate;-s 5;--seconds 5;-l;--list;"
          + "--unset-checkpoints;--unset-before;--unset-after;--unset-seconds;--unset-reason;-r;--remove;-v;--verbose;"
          + "a b c;-c 3 a b",
      "scr_halt_cntl|-f f -l;-f f -c 1 -b 2 -a 3 -s 4 -r R;-f f -xc -xb -xa -xs -xr",
      "scr_retries_halt|-d d;--dir d",
      "scr_prerun|-p d;--prefix d;-v;--verbose",
      "scr_postrun|-j srun;--joblauncher srun;-p d;--prefix d;-v;--verbose",
      "scr_should_exit|-p d;--prefix d;--down n1;--runs 3;-v;--verbose",
      "scr_list_down_nodes|-j srun;--joblauncher srun;-r;--reason;-f;--free;-d n1;--down n1;-l;--log;-s 5;--secs 5;"
          + "-j srun -r n1 n2",
      "scr_env|-u;--user;-j;--jobid;-n;--nodes;-d;--down;-p d -r;--prefix d --runnodes",
      "scr_nodes_file|-d d;--dir d",
      "scr_flush_file|-d d -o;--dir d --list-output;--dir d --list-ckpt --before 5;-d d -c -b 5;-d d -n 5;"
          + "--dir d --need-flush 5;-d d -l;--dir d --latest;-d d -L 5;--dir d --location 5;-d d -s 5;--dir d --name 5;"
          + "-r -s 5 --dir d;--dir d --resume --name 5;-s 5 -S --dir d;--dir d --summary --name 5",
      "scr_copy|--cntldir c --id 5 --prefix d --buf 1048576 --crc --partner n1 n2;-c c -i 5 -d d -b 1MB -r -p",
      "scr_print|f;-m tree f;--mode keyval f", "kvtree_print|f;-m tree f", "kvtree_print_file|f;--mode tree f",
      "scr_crc32|f",
      "scr_log_event|-p d -u u -j j -i 1 -s 2 -T T -N n -D 3 -n x -S 4 -L 5;-pd -TT",
      "scr_log_transfer|-p d -u u -j j -i 1 -s 2 -T T -X a -Y b -D 3 -n x -S 4 -L 5 -B 6 -F 7",
      "scr_ckpt_interval|--stats;--model young;--model daly;--percent;--prefix d;--logfile f",
      "scr_have_restart|''",
      "scr_run|srun -n 4 ./a -x;srun -n4 -rc ./a -rs ./b;srun --run-cmd=./a --restart-cmd=./b -N 4",
      "scr_srun|-n 4 ./a;--run-cmd ./a --restart-cmd ./b", "scr_jsrun|-n 4 ./a", "scr_lrun|-n 4 ./a",
      "scr_mpirun|-np 4 ./a", "scr_aprun|-n 4 ./a", "scr_flux|run -n 4 ./a", "scr_fluxrun|mini run -n 4 ./a"})
  void everyOptionOfScrIsTaken(String name, String lines) {
    for (String line : lines.split(";")) {
      CommandLine command = ScrNames.find(name, Map.of(), (_, _, _) -> 0).orElseThrow();
      assertThatCode(() -> command.parseArgs(line.isEmpty() ? new String[0] : line.split(" "))).as(name + " " + line)
          .doesNotThrowAnyException();
    }
  }

  @Test
  void everyNameIsInThatTable() throws Exception {
    CsvSource table = ScrNamesTest.class.getDeclaredMethod("everyOptionOfScrIsTaken", String.class, String.class)
        .getAnnotation(CsvSource.class);
    assertThat(Stream.of(table.value()).map(row -> row.split("\\|")[0]))
        .containsExactlyInAnyOrderElementsOf(ScrNames.all());
  }

  @Test
  void anOptionThatCanHaveNoEffectIsAcceptedAndThatIsSaid() {
    assertThat(run("scr_halt", "-v", "--list", prefix)).isEqualTo(new CliRun(0,
        "Halt file settings for " + prefix + "/.scr/halt.scr:\n  None\n",
        "scr_halt: --verbose has no effect here: everything is told already.\n"));
  }

  @Test
  void theListOfTheIndexHasTheColumnsThatScriptsCut() {
    enlist(6, "ckpt.6", DatasetFlags.CHECKPOINT, true);
    enlist(7, "output 7", DatasetFlags.OUTPUT, true);
    enlist(12, "ckpt.12", DatasetFlags.CHECKPOINT_AND_OUTPUT, false);
    enlist(12345, "a name", DatasetFlags.CHECKPOINT, true);
    new PrefixIndex(paths(),
        PatientLocks.user("test", SECOND)).update(index -> index.markFailed(12345, TIME).setCurrent("ckpt.6"));

    CliRun list = run("scr_index", "--prefix", prefix);
    assertThat(list).isEqualTo(new CliRun(0, """
        DSET VALID FLUSHED             CUR NAME
        12345 NO    2026-11-20T11:58:50     a name
          12 NO                            ckpt.12
           6 YES   2026-11-20T11:58:50   * ckpt.6
        """, ""));
    assertThat(run("scr_index", "-l", "-p", prefix)).isEqualTo(list);
  }

  @Test
  void theIndexIsChangedAsScrDoesItAndTheExitCodeIsZeroOrOne() {
    for (int id = 1; id <= 4; id++) {
      enlist(id, "c" + id, DatasetFlags.CHECKPOINT, true);
    }
    assertThat(run("scr_index", "-p", prefix, "--current", "c2").exit()).isZero();
    assertThat(run("scr_index", "-p", prefix, "--drop-after=c3").exit()).isZero();
    assertThat(run("scr_index", "-p", prefix, "--drop", "c1").exit()).isZero();
    assertThat(run("scr_index", "-p", prefix, "--drop", "c1").exit()).isEqualTo(1);
    assertThat(run("scr_index", "-p", prefix, "--build", "9").exit()).isEqualTo(1);
    assertThat(run("scr_index", "-p", prefix, "--add", "none").exit()).isEqualTo(1);
    assertThat(run("scr_index", "-p", prefix.resolve("none")).exit()).isEqualTo(1);
    assertThat(run("scr_index", "-p", prefix, "-a", "c1", "-c", "c2")).returns(1, CliRun::exit)
        .extracting(CliRun::err).asString().startsWith("scr: one at a time of --build").contains("'scr_index --help'");
    assertThat(run("scr_index", "--bad").exit()).isEqualTo(1);
    assertThat(run("scr_index", "-p", prefix).out().lines().map(line -> line.substring(line.lastIndexOf(' ') + 1)))
        .containsExactly("NAME", "c3", "c2");
  }

  /** SCR uses the working directory, independent of SCR_PREFIX. */
  @Test
  void withoutAnIndexTheListSaysWhereAnotherOneMayBe(@TempDir Path other) {
    assertThat(run("scr_index", "-p", prefix))
        .isEqualTo(new CliRun(1, "", "scr_index: no index in " + prefix + "\n"));
    assertThat(prefix).isEmptyDirectory();
    assertThat(run("scr_index", "-p", other)).isEqualTo(new CliRun(1, "", "scr_index: no index in " + other
        + "; SCR_PREFIX is " + prefix + ": scr_index --prefix \"$SCR_PREFIX\"\n"));
  }

  @Test
  void haltConditionsAreSetForSeveralDirectoriesAndPrintedInScrsForm(@TempDir Path other) {
    CliRun set = run("scr_halt", "-c", 10, "-s", 60, prefix, other);
    assertThat(set).returns(0, CliRun::exit).returns("", CliRun::err).extracting(CliRun::out).asString().isEqualTo("""
        Setting CheckpointsLeft
        Setting HaltSeconds

        Halt file settings for %1$s/.scr/halt.scr:
          CheckpointsLeft: 10
          HaltSeconds:     60
        Setting CheckpointsLeft
        Setting HaltSeconds

        Halt file settings for %2$s/.scr/halt.scr:
          CheckpointsLeft: 10
          HaltSeconds:     60
        """.formatted(prefix, other));
    assertThat(run("scr_halt", "--unset-seconds", "--unset-checkpoints", prefix).out()).endsWith("  None\n");
    assertThat(run("scr_halt", prefix).out()).endsWith("  ExitReason:      JOB_HALTED\n");
    assertThat(run("scr_halt", "--remove", prefix)).isEqualTo(new CliRun(0, "", ""));
    assertThat(prefix.resolve(".scr/halt.scr")).doesNotExist();
    assertThat(run("scr_halt", "--seconds", "x", prefix).exit()).isEqualTo(2);
    assertThat(run("scr_halt", prefix.resolve("none")).exit()).isEqualTo(2);
  }

  @Test
  void scriptsOfScrItselfChangeTheHaltFileAndAskForIt() {
    Path file = prefix.resolve(".scr/halt.scr");
    assertThat(run("scr_retries_halt", "--dir", prefix))
        .isEqualTo(new CliRun(1, "scr_retries_halt: CONTINUE RUN: No halt file found.\n", ""));
    assertThat(run("scr_halt_cntl", "-f", file, "-c", 0, "-b", 9_999_999_999L, "-a", 9_999_999_999L, "-s", 5).exit())
        .isZero();
    assertThat(run("scr_retries_halt", "--dir", prefix))
        .isEqualTo(new CliRun(0, "scr_retries_halt: HALT RUN: Reason: NO_CHECKPOINTS_LEFT.\n", ""));
    assertThat(run("scr_halt_cntl", "-f", file, "-xc", "-xb", "-xa", "-xs", "-r", "MINE").out())
        .isEqualTo("Halt file settings for " + file + ":\n  ExitReason:      MINE\n");
    assertThat(run("scr_retries_halt", "-d", prefix).out()).endsWith(": HALT RUN: Reason: MINE.\n");
    assertThat(run("scr_halt_cntl", "-f", file, "-xr").out()).endsWith("  None\n");
    assertThat(new HaltFileStore(paths(), PatientLocks.user("test", SECOND)).read()).isEqualTo(Halt.NONE);
    assertThat(run("scr_halt_cntl", "-f", prefix, "-xr").exit()).isEqualTo(1);
    assertThat(run("scr_retries_halt").exit()).as("a wrong command line is answered with halt").isZero();
  }

  @Test
  void theFlushFileAndTheNodesFileAnswerScripts() {
    var store = new FlushFileStore(paths(), PatientLocks.user("test", SECOND));
    assertThat(run("scr_nodes_file", "--dir", prefix)).isEqualTo(new CliRun(1, "0\n", ""));
    store.writeNodes(4);
    store.update(status -> status.put(dataset(5, "c5", DatasetFlags.CHECKPOINT), Set.of(Location.CACHE, Location.PFS))
        .put(dataset(6, "o6", DatasetFlags.OUTPUT), Set.of(Location.CACHE, Location.FLUSHING))
        .put(dataset(7, "b7", DatasetFlags.CHECKPOINT_AND_OUTPUT), Set.of(Location.CACHE)));

    assertThat(run("scr_nodes_file", "-d", prefix).out()).isEqualTo("4\n");
    assertThat(run("scr_env", "--prefix", prefix, "--runnodes").out()).isEqualTo("4\n");
    assertThat(flush("--list-output")).isEqualTo(new CliRun(0, "6 7\n", ""));
    assertThat(flush("--list-ckpt")).isEqualTo(new CliRun(0, "7 5\n", ""));
    assertThat(flush("--list-ckpt", "--before", 7)).isEqualTo(new CliRun(0, "5\n", ""));
    assertThat(flush("--list-ckpt", "--before", 5)).isEqualTo(new CliRun(1, "", ""));
    assertThat(flush("--need-flush", 7)).isEqualTo(new CliRun(0, "", ""));
    assertThat(flush("--need-flush", 5).exit()).isEqualTo(1);
    assertThat(flush("--need-flush", 9).exit()).isEqualTo(1);
    assertThat(flush("--latest").out()).isEqualTo("7\n");
    assertThat(flush("--name", 6).out()).isEqualTo("o6\n");
    assertThat(List.of(flush("--location", 5).out(), flush("-L", 6).out(), flush("-L", 7).out()))
        .containsExactly("PFS\n", "FLUSHING\n", "CACHE\n");
    assertThat(flush("--location", 8)).isEqualTo(new CliRun(1, "", ""));
    assertThat(flush("-r", "-s", 6)).returns(1, CliRun::exit).extracting(CliRun::err).asString()
        .contains("type scr scavenge --id 6 --prefix " + prefix);
    assertThat(flush("--latest", "--list-ckpt").exit()).isEqualTo(1);
  }

  private CliRun flush(Object... words) {
    return run(Stream.concat(Stream.of("scr_flush_file", "--dir", prefix), Stream.of(words)).toArray());
  }

  @Test
  void filesArePrintedAndSummedAsScrDoesIt() throws IOException {
    new FlushFileStore(paths(), PatientLocks.user("test", SECOND)).writeNodes(4);
    Path file = paths().nodesFile();
    assertThat(run("scr_print", file)).isEqualTo(new CliRun(0, "  NODES = 4\n", ""));
    assertThat(run("kvtree_print", "--mode", "tree", file)).isEqualTo(new CliRun(0, "NODES\n  4\n", ""));
    assertThat(run("scr_print", "--mode", "json", file).exit()).isEqualTo(1);
    assertThat(run("scr_print", prefix.resolve("none")).exit()).isEqualTo(1);
    assertThat(run("scr_crc32", Files.writeString(prefix.resolve("x"), "123456789")).out()).isEqualTo("cbf43926\n");
  }

  @Test
  void linesOfTheLogAreWrittenAsScrWritesThem() throws IOException {
    long start = TIME.atZone(ZoneId.systemDefault()).toEpochSecond();
    CliRun event = run("scr_log_event", "-p", prefix, "-i", 9, "-T", "NODE_FAIL", "-N", "n1: why", "-D", 3, "-n", "c3",
        "-S", start, "-L", 5, "-u", "u");
    assertThat(event).returns(0, CliRun::exit)
        .returns("scr_log_event: -u has no effect here: a line of the log has no user.\n", CliRun::err);
    assertThat(run("scr_log_transfer", "-p", prefix, "-T", "FLUSH", "-X", "/a", "-Y", "/b", "-S", start, "-L", 2, "-B",
        100, "-F", 4).exit()).isZero();
    assertThat(Files.readAllLines(paths().log())).extracting(line -> line.replaceFirst("host=[^,]*", "host=h"))
        .containsExactly("2026-11-20T11:58:50: host=h, jobid=9, event=NODE_FAIL, note=\"n1: why\", dset=3, name=\"c3\","
            + " secs=5.000000", "2026-11-20T11:58:50: host=h, jobid=7, xfer=FLUSH, from=/a, to=/b, secs=2.000000,"
            + " bytes=100.000000, files=4");
    assertThat(run("scr_log_event", "-T", "X").exit()).isEqualTo(1);
  }

  @Test
  void theIntervalIsANumberForAScript() {
    assertThat(run("scr_ckpt_interval", "--prefix", prefix)).isEqualTo(new CliRun(0, "10\n", ""));
    new FailuresFileStore(paths(), PatientLocks.user("test", SECOND))
        .add(FailureHistory.EMPTY.computed(1_000_000L * 86_400).costing(Level.PROCESS, 8_000_000));
    int daly = Integer.parseInt(run("scr_ckpt_interval", "--prefix", prefix).out().strip());
    int young = Integer.parseInt(run("scr_ckpt_interval", "--model", "young", "--prefix", prefix).out().strip());
    assertThat(daly).isBetween(1000, 3000).isLessThanOrEqualTo(young);
    assertThat(run("scr_ckpt_interval", "--percent", "--prefix", prefix).out()).matches("0\\.[0-9]{3}\n");
    assertThat(run("scr_ckpt_interval", "--stats", "--prefix", prefix).out()).contains("Model = Daly",
        "Checkpoint Interval (s) = " + daly + ".");
  }

  @Test
  void theNameOfTheCheckpointThatAStartWouldFindIsPrinted() {
    assertThat(run("scr_have_restart")).isEqualTo(new CliRun(0, "", ""));
    enlist(1, "one", DatasetFlags.CHECKPOINT, true);
    enlist(2, "two", DatasetFlags.CHECKPOINT, false);
    enlist(3, "three", DatasetFlags.OUTPUT, true);
    assertThat(run("scr_have_restart")).isEqualTo(new CliRun(0, "one\n", ""));
  }

  @Test
  void theEnvironmentOfAJobIsPrintedOneThingAtATime() {
    assertThat(run("scr_env", "--user").out()).isEqualTo("u\n");
    assertThat(run("scr_env", "-j").out()).isEqualTo("7\n");
    assertThat(run("scr_env", "--nodes").exit()).isEqualTo(1);
    assertThat(run("scr_env").exit()).isEqualTo(1);
  }

  @Test
  void aCopyThatFindsNothingEndsWithTheReturnCodeThatAScavengeLooksFor() {
    CliRun copy = run("scr_copy", "--cntldir", prefix, "--id", 5, "--prefix", prefix, "--crc", "n1");
    assertThat(copy.exit()).isEqualTo(1);
    assertThat(copy.out()).matches("scr_copy: \\S+: Return code: 1\n");
    assertThat(copy.err()).contains("scr_copy: --crc has no effect here: ", "scr_copy: NODE has no effect here: ");
    assertThat(run("scr_copy", "--id", 5).exit()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
      "scr_srun -n 4 ./a, run srun -n 4 ./a", "scr_mpirun -rc ./a -np 4, run mpirun -np 4 ./a",
      "scr_flux run -n 4 ./a, run flux run -n 4 ./a", "scr_fluxrun mini submit -n 4 ./a, run flux run -n 4 ./a",
      "scr_flux -n 4 ./a, run flux run -n 4 ./a", "scr_run --nodes 2 mpirun ./a, run --nodes 2 mpirun ./a",
      "scr_jsrun -rs ./r -n4, run --restart-word=jsrun --restart-word=-n4 --restart-word=./r jsrun -n4"})
  void aWrapperPutsItsLauncherFirstAndFailsWithOne(String line, String ours) {
    String[] words = line.split(" ");
    List<String> called = new ArrayList<>();
    CommandLine command = ScrNames.find(words[0], Map.of(), (_, _, run) -> {
      called.addAll(List.of(run));
      return 137;
    }).orElseThrow();
    assertThat(command.execute(Arrays.copyOfRange(words, 1, words.length))).isEqualTo(1);
    assertThat(String.join(" ", called)).isEqualTo(ours);
  }

  @Test
  void aLauncherLineThatCannotBeMeantIsRefused() {
    assertThat(run("scr_run", "srun", "-rc")).returns(1, CliRun::exit).extracting(CliRun::err).asString()
        .contains("-rc: a command is missing");
    assertThat(run("scr_run", "--nodes", "-rc", "./a").err()).contains("the launcher comes first");
  }
}

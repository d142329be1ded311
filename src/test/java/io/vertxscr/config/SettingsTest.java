package io.vertxscr.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.config.policy.CachePolicy;
import io.vertxscr.config.policy.FetchPolicy;
import io.vertxscr.config.policy.FlushPolicy;
import io.vertxscr.config.policy.HaltPolicy;
import io.vertxscr.config.policy.IntervalPolicy;
import io.vertxscr.config.policy.LogPolicy;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.config.policy.Syslog;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FlushDescriptor;
import io.vertxscr.model.Limits;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.StoreDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: every parameter has its effect, precedence is kept, unknown names are refused. */
@Execution(ExecutionMode.CONCURRENT)
class SettingsTest {
  private static final Map<String, String> ALICE = Map.of("USER", "alice");

  @TempDir
  private Path directory;

  @Test
  void withoutAnySettingTheBuiltInValuesHold() {
    Settings settings = Settings.load(ALICE, Optional.empty());
    StoreDescriptor store = StoreDescriptor.of("/tmp", 1);

    assertThat(settings.cache()).isEqualTo(
        new CacheSettings(Path.of("/tmp"), Path.of("/tmp"), List.of(store), Limits.PIECE_BYTES));
    assertThat(settings.policy()).isEqualTo(
        RunPolicy.of(Descriptors.of(Redundancy.of(Scheme.XOR, 8), store), FlushPolicy.every(10, true)));
    assertThat(settings.job()).isEqualTo(new JobSettings("local", "", "alice", "", Optional.empty()));
  }

  @Test
  void everyParameterOfAFileTakesEffect() throws IOException {
    Path file = file("SCR_PREFIX=/p", "SCR_CNTL_BASE=/c", "SCR_CACHE_BASE=/ssd/${USER}", "SCR_CACHE_SIZE=2",
        "SCR_COPY_TYPE=partner SCR_SET_SIZE=4", "SCR_FLUSH=0", "SCR_FLUSH_ASYNC=0", "SCR_JOB_ID=$USER-7",
        "SCR_JOB_NAME=\"my heat\"", "SCR_FILE_BUF_SIZE=1m", "SCR_USER_NAME=bob", "SCR_CLUSTER_NAME=c1");

    Settings settings = Settings.load(ALICE, Optional.of(file));
    StoreDescriptor store = StoreDescriptor.of("/ssd/alice", 2);
    assertThat(settings.cache()).isEqualTo(
        new CacheSettings(Path.of("/c"), Path.of("/ssd/alice"), List.of(store), 1 << 20));
    assertThat(settings.policy()).isEqualTo(
        RunPolicy.of(Descriptors.of(Redundancy.of(Scheme.PARTNER, 4), store), FlushPolicy.every(0, false)));
    assertThat(settings.job())
        .isEqualTo(new JobSettings("alice-7", "my heat", "bob", "c1", Optional.of(Path.of("/p"))));
  }

  /** Method: all at once, each with a value of its own, so that none is taken for another. */
  @Test
  void everyParameterOfARunReachesItsPolicy() throws IOException {
    Map<String, String> said = new TreeMap<>();
    said.putAll(Map.of("SCR_CACHE_BASE", "/ssd", "SCR_CACHE_SIZE", "3", "SCR_CACHE_BYPASS", "1", "SCR_CACHE_FULL",
        "bypass", "SCR_CACHE_PURGE", "1", "SCR_COPY_TYPE", "RS", "SCR_GROUP", "WORLD", "SCR_SET_SIZE", "9",
        "SCR_SET_FAILURES", "4", "SCR_JOB_NAME", "heat"));
    said.putAll(Map.of("SCR_FLUSH", "5", "SCR_FLUSH_ASYNC", "0", "SCR_FLUSH_ASYNC_BW", "6MB", "SCR_FLUSH_WIDTH", "7",
        "SCR_USE_CONTAINERS", "1", "SCR_CONTAINER_SIZE", "8MB", "SCR_CONTAINER_ALIGN", "1MB", "SCR_PREFIX_SIZE", "10",
        "SCR_PREFIX_PURGE", "1", "SCR_CRC_ON_DELETE", "1"));
    said.put("SCR_SMALL_BYTES", "3KB");
    said.putAll(Map.of("SCR_FETCH", "0", "SCR_FETCH_BYPASS", "1", "SCR_FETCH_WIDTH", "11",
        "SCR_RESTART_LOOP_LIMIT", "5", "SCR_VERIFY_ON_RESTART", "always"));
    said.putAll(Map.of("SCR_DISTRIBUTE", "0", "SCR_FLUSH_ON_RESTART", "1", "SCR_GLOBAL_RESTART", "1", "SCR_CURRENT",
        "step-12", "SCR_LOG_ENABLE", "0", "SCR_LOG_TXT_ENABLE", "0", "SCR_DEBUG", "1"));
    said.putAll(Map.of("SCR_LOG_SYSLOG_ENABLE", "1", "SCR_LOG_SYSLOG_FACILITY", "LOG_LOCAL3", "SCR_LOG_SYSLOG_LEVEL",
        "log_notice", "SCR_LOG_SYSLOG_PREFIX", "heat", "SCR_LOG_SYSLOG_HOST", "logs", "SCR_LOG_SYSLOG_PORT", "1514"));
    said.putAll(Map.of("SCR_CHECKPOINT_INTERVAL", "13", "SCR_CHECKPOINT_SECONDS", "14", "SCR_CHECKPOINT_OVERHEAD",
        "15.5", "SCR_CHECKPOINT_OPTIMAL", "1", "SCR_HALT_SECONDS", "16", "SCR_HALT_EXIT", "1",
        "SCR_HALT_ENABLED", "1", "SCR_CACHE_EVICT", "early"));
    assertThat(Arrays.stream(Parameter.values()).filter(p -> p.scope() == Parameter.Scope.RUN).map(Parameter::name))
        .as("all but those that have one value only")
        .filteredOn(name -> !name.equals("SCR_CRC_ON_COPY") && !name.equals("SCR_CRC_ON_FLUSH"))
        .containsExactlyInAnyOrderElementsOf(said.keySet());

    Path file = file(said.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toArray(String[]::new));
    assertReached(Settings.load(ALICE, Optional.of(file)).of(
        new UserSettings(Optional.empty(), Map.of(), List.of())));
  }

  private static void assertReached(RunSettings run) {
    assertThat(run.policy().descriptors().checkpoints()).containsExactly(new CheckpointDescriptor(
        0, true, 1, "WORLD", "/ssd", new Redundancy(Scheme.RS, 9, 4), true));
    assertThat(run.policy().descriptors().store("/ssd").count()).isEqualTo(3);
    assertThat(run.policy().cache()).isEqualTo(new CachePolicy(true, true, true, true, 10, true, 3 << 10));
    assertThat(run.policy().flush())
        .isEqualTo(new FlushPolicy(5, false, 7, 6L << 20, FlushDescriptor.packed(8L << 20, 1L << 20)));
    assertThat(run.policy().fetch())
        .isEqualTo(new FetchPolicy(false, true, false, true, true,
            new FetchPolicy.CheckpointChoice(Optional.of("step-12"), 5), 11, true));
    assertThat(run.policy().interval()).isEqualTo(new IntervalPolicy(13, 14, 15.5, true));
    assertThat(run.policy().halt()).isEqualTo(new HaltPolicy(16, true));
    assertThat(run.policy().log()).isEqualTo(
        new LogPolicy(false, false, Optional.of(new Syslog("logs", 1514, "LOG_LOCAL3", "LOG_NOTICE", "heat")), true));
    assertThat(run.policy().log().syslog().orElseThrow().priority()).isEqualTo(19 * 8 + 5);
    assertThat(run.jobName()).isEqualTo("heat");
    assertThat(run.lines()).anyMatch(line -> line.startsWith("SCR_FETCH_WIDTH=11 ("));
  }

  @Test
  void theEnvironmentWinsOverTheFileAndSaysSo() throws IOException {
    Path file = file("", "SCR_FLUSH=3", "SCR_SET_SIZE=4");
    Effective effective =
        Configuration.ofSystem(Map.of("USER", "alice", "SCR_FLUSH", "5"), Optional.of(file)).effective();

    assertThat(effective.values()).contains(
        new Effective.Value(Parameter.SCR_FLUSH, "5", "environment"),
        new Effective.Value(Parameter.SCR_SET_SIZE, "4", file + " line 3"),
        new Effective.Value(Parameter.SCR_CACHE_SIZE, "1", "default"),
        new Effective.Value(Parameter.SCR_USER_NAME, "alice", "USER"));
  }

  @ParameterizedTest
  @CsvSource({
      "SCR_FLSH=3,            did you mean SCR_FLUSH?",
      "SCR_FLUSH_ASYNCH=1,    did you mean SCR_FLUSH_ASYNC?",
      "scr_flush=3,           did you mean SCR_FLUSH?",
      "SCR_CONTROL_BASE=/c,   it is called SCR_CNTL_BASE here",
      "SCR_FLUSH=often,       expected a whole number from 0 to 2147483647",
      "SCR_FLUSH=-1,          expected a whole number",
      "SCR_FETCH_WIDTH=0,     expected a whole number from 1 to 1048576",
      "SCR_CHECKPOINT_OVERHEAD=101, expected a number from 0 to 100",
      "SCR_CRC_ON_FLUSH=2,    expected 0 or 1",
      "SCR_FILE_BUF_SIZE=some, expected a size from 1 to",
      "'SCR_ALLOWED_BASES=/a,b', expected absolute paths with commas between them",
      "SCR_LOG_SYSLOG_FACILITY=LOG_LOCAL8, expected one of LOG_KERN",
      "SCR_FLUSH=,            expected a whole number",
      "SCR_FLUSH_ASYNC=yes,   expected 0 or 1",
      "SCR_CACHE_SIZE=-1,     expected a whole number from 0 to 1024",
      "SCR_SET_SIZE=1,        expected a whole number from 2 to 1024",
      "SCR_COPY_TYPE=RAID,    'expected one of SINGLE, PARTNER, XOR, RS, FILE'",
      "SCR_CACHE_BASE=tmp,    expected an absolute path",
      "SCR_CACHE_BASE=/$NONE, 'uses NONE, which the environment does not have'",
      "SCR_FLUSH: 3,          expected KEY=VALUE",
      "SCR_CONTAINER_SIZE=1 GB, a value with spaces stands in double quotes",
      "SCR_GROUP=SWITCH,      a line GROUPS=<node> SWITCH=<value> for each node makes it"})
  void aWrongEntryIsRefusedWithFileLineAndReason(String entry, String reason) throws IOException {
    Path file = file("# first line", entry);

    assertThatThrownBy(() -> Settings.load(ALICE, Optional.of(file)))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_CONFIGURATION))
        .hasMessageContaining(file + " line 2").hasMessageContaining(reason);
  }

  @Test
  void aWrongValueInTheEnvironmentIsRefusedToo() {
    assertThatThrownBy(() -> Settings.load(Map.of("SCR_FLUSH", "x"), Optional.empty()))
        .hasMessage("environment: SCR_FLUSH=x: expected a whole number from 0 to 2147483647");
  }

  @ParameterizedTest
  @CsvSource(nullValues = "-", value = {"-, -, false, 0", "-, 1, true, 0", "-, 0, false, 0", "1, -, true, 0",
      "1, 1, true, 0", "1, 0, true, 1", "0, 1, false, 1"})
  void theTwoNamesOfTheAutomaticExitHaveTheSameEffect(String exit, String enabled, boolean exits, int remarks) {
    Map<String, String> environment = new TreeMap<>(ALICE);
    Optional.ofNullable(exit).ifPresent(value -> environment.put("SCR_HALT_EXIT", value));
    Optional.ofNullable(enabled).ifPresent(value -> environment.put("SCR_HALT_ENABLED", value));
    RunSettings run = Settings.load(environment, Optional.empty()).of(user());

    assertThat(run.policy().halt().exit()).isEqualTo(exits);
    assertThat(run.remarks()).hasSize(remarks).allSatisfy(remark -> assertThat(remark)
        .contains("SCR_HALT_ENABLED=" + enabled + " (environment) has no effect", "SCR_HALT_EXIT=" + exit));
  }

  @Test
  void aNameInTheEnvironmentThatOnlyLooksLikeOursIsReported() {
    Effective effective = Configuration.ofSystem(
        Map.of("SCR_CASHE_SIZE", "3", "SCR_XOR_SIZE", "4", "SCR_JAVA_HOME", "/jdk", "PATH", "/bin"),
        Optional.empty()).effective();

    assertThat(effective.ignored())
        .containsExactly("SCR_CASHE_SIZE in the environment is not a parameter; did you mean SCR_CACHE_SIZE?",
            "SCR_XOR_SIZE in the environment is not a parameter; it is called SCR_SET_SIZE here");
  }

  /** Nothing of this is an error, but an operator must be told that it has no effect. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "SCR_CRC_ON_FLUSH=0 | 1 | SCR_CRC_ON_FLUSH=0",
      "SCR_CRC_ON_COPY=0                 | 1 | has no effect: checksums are always made and compared",
      "SCR_CACHE_SIZE=0                  | 1 | datasets go past the cache, as with SCR_CACHE_BYPASS=1",
      "SCR_FILE_BUF_SIZE=128KB           | 1 | pieces have 262144 to 4194304 bytes",
      "SCR_FLUSH=3 SCR_FLUSH=4           | 1 | 'SCR_FLUSH=4 counts, and not SCR_FLUSH=3 before it'",
      "SCR_SET_FAILURES=3                | 1 | has no effect: XOR survives the loss of one member of a set",
      "SCR_FLUSH_ASYNC=0 SCR_FLUSH_ASYNC_BW=1GB | 1 | has no effect with SCR_FLUSH_ASYNC=0",
      "SCR_CONTAINER_SIZE=1GB            | 1 | has no effect without SCR_USE_CONTAINERS=1",
      "SCR_CONTAINER_ALIGN=1MB           | 1 | has no effect without SCR_USE_CONTAINERS=1",
      "SCR_DISTRIBUTE=0 SCR_FETCH=0      | 1 | no run restarts from any checkpoint, and the caches are emptied",
      "SCR_CACHE_PURGE=1 SCR_FETCH=0     | 1 | no run restarts from any checkpoint, and the caches are emptied",
      "SCR_GLOBAL_RESTART=1 SCR_FETCH=0  | 1 | no run restarts from any checkpoint, and the caches are emptied",
      "CKPT=0 TYPE=PARTNER               | 1 | because SCR_COPY_TYPE is XOR (default); with SCR_COPY_TYPE=FILE",
      "SCR_CACHE_BYPASS=1 SCR_USE_CONTAINERS=1 | 1 | has no effect: all datasets go past the cache",
      "SCR_CACHE_BYPASS=1 SCR_CACHE_SIZE=2 | 1 | has no effect: all datasets go past the cache",
      "SCR_CACHE_BYPASS=1                | 0 | ''",
      "SCR_CACHE_SIZE=2                  | 0 | ''",
      "SCR_CACHE_EVICT=EARLY             | 1 | 'keeps 1 dataset, has none while one is written'",
      "SCR_CACHE_EVICT=EARLY SCR_CACHE_SIZE=2 | 0 | ''",
      "SCR_SET_FAILURES=1                | 0 | ''",
      "SCR_COPY_TYPE=RS SCR_SET_FAILURES=3 | 0 | ''",
      "SCR_COPY_TYPE=PARTNER SCR_SET_FAILURES=3 | 0 | ''",
      "SCR_FLUSH_ASYNC_BW=1GB            | 0 | ''",
      "SCR_USE_CONTAINERS=1 SCR_CONTAINER_SIZE=1GB | 0 | ''",
      "SCR_DISTRIBUTE=0                  | 0 | ''",
      "SCR_FETCH=0                       | 0 | ''"})
  void whatIsSaidWithoutEffectIsReportedWithItsPlace(String line, int remarks, String remark) throws IOException {
    Path file = file(line);
    List<String> told = Settings.load(ALICE, Optional.of(file)).of(
        new UserSettings(Optional.empty(), Map.of(), List.of())).remarks();

    assertThat(told).hasSize(remarks).allSatisfy(one -> assertThat(one).contains(remark, file + " line 1"));
  }

  @Test
  void aStoreThatIsToKeepNothingIsPassedByAndTheOthersAreNot() throws IOException {
    Path file = file("SCR_CACHE_SIZE=0", "SCR_COPY_TYPE=FILE", "STORE=/ssd COUNT=2", "CKPT=0 STORE=/tmp",
        "CKPT=1 INTERVAL=2 STORE=/ssd");

    assertThat(Settings.load(ALICE, Optional.of(file)).policy().descriptors().checkpoints())
        .extracting(CheckpointDescriptor::bypass).containsExactly(true, false);
  }

  @Test
  void aPieceHasTheSizeThatIsNearestToWhatIsWanted() {
    assertThat(Settings.load(Map.of("SCR_FILE_BUF_SIZE", "1KB"), Optional.empty()).cache().pieceBytes())
        .isEqualTo(Limits.MIN_PIECE_BYTES);
    assertThat(Settings.load(Map.of("SCR_FILE_BUF_SIZE", "1GB"), Optional.empty()).cache().pieceBytes())
        .isEqualTo(Limits.MAX_PIECE_BYTES);
  }

  @Test
  void aRelativePrefixIsMeantFromTheWorkingDirectory() {
    assertThat(Settings.load(Map.of("SCR_PREFIX", "out/."), Optional.empty()).job().prefix())
        .contains(Path.of("out").toAbsolutePath());
  }

  @Test
  void theCacheSizeIsToldToHaveNoEffectWhereEveryStoreHasItsCount() throws IOException {
    Path file = file("SCR_CACHE_SIZE=3", "STORE=/tmp COUNT=1", "STORE=/ssd");
    Settings settings = Settings.load(ALICE, Optional.of(file));

    assertThat(settings.of(user()).remarks()).containsExactly("SCR_CACHE_SIZE=3 (" + file
        + " line 1) has no effect: the STORE entries of all stores that are used have a COUNT");
    assertThat(settings.of(user("SCR_CACHE_BASE=/ssd")).remarks()).isEmpty();
  }

  /** With SCR_COPY_TYPE of the system's own, its entries are a choice that it leaves to users. */
  @Test
  void unusedEntriesAreReported() throws IOException {
    Path file = file("SCR_COPY_TYPE=PARTNER", "CKPT=0 TYPE=RS");
    Settings system = Settings.load(ALICE, Optional.of(file));

    assertThat(system.of(user()).remarks()).isEmpty();
    assertThat(system.of(user("CKPT=0 TYPE=SINGLE")).remarks()).containsExactly(
        "config call \"CKPT=0 TYPE=SINGLE\": CKPT=0: no CKPT entry is used, because SCR_COPY_TYPE is PARTNER"
            + " (" + file + " line 1); with SCR_COPY_TYPE=FILE they are");
    assertThat(system.of(user("SCR_COPY_TYPE=FILE")).remarks()).isEmpty();
  }

  private static UserSettings user(String... calls) {
    return new UserSettings(Optional.empty(), Map.of(), List.of(calls));
  }

  @ParameterizedTest
  @CsvSource({"SLURM_JOB_ID", "FLUX_JOB_ID", "PBS_JOBID", "LSB_JOBID"})
  void theJobIdComesFromTheBatchSystem(String variable) {
    assertThat(Settings.load(Map.of(variable, "4711"), Optional.empty()).job().id()).isEqualTo("4711");
    assertThat(Settings.load(Map.of(variable, "4711", "SCR_JOB_ID", "mine"), Optional.empty()).job().id())
        .isEqualTo("mine");
  }

  @ParameterizedTest
  @CsvSource({"..", ".", "a/b", "' '"})
  void aJobIdThatLeadsOutOfTheBaseDirectoryIsRefused(String id) {
    assertThatThrownBy(() -> Settings.load(Map.of("SLURM_JOB_ID", id), Optional.empty()))
        .isInstanceOf(ScrException.class).hasMessageContaining("job id '" + id + "'");
  }

  @ParameterizedTest
  @EnumSource(Parameter.class)
  void everyBuiltInValueIsAllowedAndTheSampleFileShowsWhatHasItsEffect(Parameter parameter) throws IOException {
    if (!parameter.standard().isEmpty()) {
      assertThat(parameter.kind().complaint(parameter.standard())).isEmpty();
    }
    List<String> sample = Files.readAllLines(Path.of("conf/scr.conf"));
    assertThat(sample).anyMatch(line -> line.startsWith("# " + parameter + "="));
  }

  @Test
  void theSampleFileHoldsWithAndWithoutItsCommentSigns() throws IOException {
    List<String> sample = Files.readAllLines(Path.of("conf/scr.conf"));
    Path uncommented = file(sample.stream().map(l -> l.replaceFirst("^# (SCR_[A-Z_]+=)", "$1")).toArray(String[]::new));

    Settings of = Settings.load(ALICE, Optional.of(Path.of("conf/scr.conf")));
    Settings without = Settings.load(ALICE, Optional.empty());
    assertThat(of.policy()).isEqualTo(without.policy());
    assertThat(of.cache()).isEqualTo(without.cache());
    assertThat(of.job()).isEqualTo(without.job());
    assertThat(Settings.load(ALICE, Optional.of(uncommented)).job().name()).isEqualTo("heat");
  }

  @Test
  void aCheckpointIsFlushedWhenItsNumberDividesByTheInterval() {
    var tenth = FlushPolicy.every(10, true);

    assertThat(tenth.wants(DatasetFlags.CHECKPOINT, 9)).isFalse();
    assertThat(tenth.wants(DatasetFlags.CHECKPOINT, 10)).isTrue();
    assertThat(FlushPolicy.every(0, true).wants(DatasetFlags.CHECKPOINT, 10)).isFalse();
    assertThat(FlushPolicy.every(0, true).wants(DatasetFlags.OUTPUT, 0)).isTrue();
  }

  private Path file(String... lines) throws IOException {
    return Files.write(directory.resolve("scr.conf"), List.of(lines));
  }
}

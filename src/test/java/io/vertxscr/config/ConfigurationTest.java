package io.vertxscr.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: precedence of sources, users change only their own settings, each refusal names its place. */
class ConfigurationTest {
  /** From the first to be heard to the last; the value that each of them sets is its place in the list. */
  private static final List<String> PLACES = List.of("environment of the application", ".scrconf line 1",
      "config call \"SCR_FLUSH=2\"", "environment", "scr.conf line 1", "default");

  @TempDir
  private Path directory;

  private final Map<String, String> daemon = new HashMap<>(Map.of("USER", "alice"));
  private final Map<String, String> application = new HashMap<>();
  private final List<String> calls = new ArrayList<>();

  @Test
  void everySubsetOfThePlacesIsDecidedByItsFirst() throws IOException {
    for (int subset = 0; subset < 1 << 5; subset++) {
      set(subset, 0, () -> application.put("SCR_FLUSH", "0"), () -> application.remove("SCR_FLUSH"));
      set(subset, 2, () -> calls.add("SCR_FLUSH=2"), calls::clear);
      set(subset, 3, () -> daemon.put("SCR_FLUSH", "3"), () -> daemon.remove("SCR_FLUSH"));
      Files.deleteIfExists(directory.resolve(".scrconf"));
      if ((subset & 2) != 0) {
        user("SCR_FLUSH=1");
      }
      int first = Math.min(5, Integer.numberOfTrailingZeros(subset | 32));

      Effective.Value value = with((subset & 16) != 0 ? "SCR_FLUSH=4" : "").effective().value(Parameter.SCR_FLUSH)
          .orElseThrow();

      assertThat(value.text()).as("subset " + subset).isEqualTo(first == 5 ? "10" : "" + first);
      assertThat(value.source()).as("subset " + subset).endsWith(PLACES.get(first));
    }
  }

  private static void set(int subset, int place, Runnable set, Runnable unset) {
    unset.run();
    if ((subset & 1 << place) != 0) {
      set.run();
    }
  }

  @Test
  void theFileThatTheApplicationNamesIsReadInsteadOfTheOneInThePrefix() throws IOException {
    user("SCR_FLUSH=1");
    application.put("SCR_CONF_FILE", Files.writeString(directory.resolve("mine"), "SCR_FLUSH=6").toString());

    assertThat(with("").effective().text(Parameter.SCR_FLUSH)).isEqualTo("6");
    application.put("SCR_CONF_FILE", directory.resolve("none").toString());
    refused("none", () -> with(""));
  }

  @Test
  void laterCallsReplaceEarlierOnesAndEmptyOnesTakeThemBack() {
    calls.addAll(List.of("SCR_FLUSH=2", "SCR_FLUSH=3", "SCR_SET_SIZE=4", "SCR_SET_SIZE=", "CKPT=0 TYPE=XOR SET_SIZE=4",
        "CKPT=0 TYPE=PARTNER", "CKPT=0 SET_SIZE="));
    Configuration all = with("SCR_SET_SIZE=5");

    assertThat(all.said("SCR_FLUSH")).contains("3");
    assertThat(all.said("SCR_SET_SIZE")).contains("5");
    assertThat(all.said("CKPT=0 TYPE")).contains("PARTNER");
    assertThat(all.said("CKPT=0 SET_SIZE")).isEmpty();
    assertThat(all.said("SCR_CACHE_SIZE")).isEmpty();
    assertThat(all.said("CKPT=7 TYPE")).isEmpty();
  }

  /** A CKPT entry comes from one place, with that place's omissions; a store is identified by its path. */
  @Test
  void anAnswerIsWhatHoldsAndNotWhatSomebodyElseHasSaid() {
    calls.addAll(List.of("CKPT=0 SET_SIZE=4", "STORE=/ssd/ COUNT=3"));
    Configuration all = with("CKPT=0 TYPE=PARTNER SET_SIZE=2\nCKPT=1 INTERVAL=2\nSTORE=/ssd COUNT=1 SIZE=1TB");

    assertThat(all.said("CKPT=0 SET_SIZE")).contains("4");
    assertThat(all.said("CKPT=0 TYPE")).isEmpty();
    assertThat(all.said("CKPT=1 INTERVAL")).isEmpty();
    assertThat(all.said("STORE=/ssd/. COUNT")).contains("3");
    assertThat(all.said("STORE=/ssd SIZE")).contains("1TB");
  }

  @ParameterizedTest
  @CsvSource({"SCR_FLSH, did you mean SCR_FLUSH?", "CKPT=0, expected a parameter", "CKPT TYPE, expected a parameter",
      "CKPT=0 TYPE=XOR, expected a parameter", "CKTP=0 TYPE, did you mean CKPT?"})
  void aQueryThatAsksForNothingIsRefused(String query, String reason) {
    refused(reason, () -> with("").said(query));
  }

  @Test
  void nobodyHasSetWhatIsNoParameter() {
    assertThat(with("").said("OMP_NUM_THREADS")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
      "SCR_FLSH=1,              did you mean SCR_FLUSH?",
      "SCR_FLUSH_TIPE=PTHREAD,  did you mean SCR_FLUSH_TYPE?",
      "SCR_CACHE_BASE=/scratch, 'SCR_CACHE_BASE=/scratch: the system allows /local, /nvme/a, /ssd'",
      "STORE=/ssd/../local/..,  'STORE=/: the system allows /local, /nvme/a, /ssd'",
      "STORE=/nvme/ab COUNT=2,  'and what is below /local, /nvme/a (SCR_ALLOWED_BASES'",
      "CKPT=0 STORE=/scratch,   STORE=/scratch: the system allows",
      "STORE=/ssd CONT=2,       STORE has no CONT; did you mean COUNT?",
      "STORE=ssd,               expected an absolute path",
      "CKPT=a,                  expected a whole number",
      "CKPT=0 TYPE=RAID,        expected one of",
      "CKPT=0 TYP=XOR,          CKPT has no TYP; did you mean TYPE?",
      "SCR_FLUSH=1 CKPT=0,      CKPT=... must stand first on its line"})
  void whatAUserMayNotSayIsRefusedWithItsPlaceWhereverItStands(String entry, String reason) throws IOException {
    user("# one", entry);
    refused(directory.resolve(".scrconf") + " line 2", () -> restricted().effective());
    refused(reason, () -> restricted().effective());

    Files.delete(directory.resolve(".scrconf"));
    calls.add(entry);
    refused("config call \"" + entry + "\": ", () -> restricted().effective());
  }

  @ParameterizedTest
  @ValueSource(strings = {"SCR_CNTL_BASE=/tmp", "SCR_USER_NAME=alice", "SCR_CACHE_BASE=/ssd/.", "STORE=/ssd/ COUNT=2",
      "STORE=/nvme/a/deep COUNT=2", "SCR_CACHE_BASE=/local", "SCR_ENABLE=1"})
  void theSameAsTheSystemHasMayBeSaid(String entry) throws IOException {
    user(entry);
    daemon.put("SCR_CNTL_BASE", "/tmp");
    daemon.put("SCR_ALLOWED_BASES", "/tmp");
    refused("environment: SCR_CNTL_BASE=/tmp: the system allows", () -> restricted().effective());

    daemon.clear();
    daemon.put("USER", "alice");
    assertThat(restricted().effective().ignored()).isEmpty();
  }

  /** Parameters of daemons, processes or scr run: a remark, and no failure. */
  @ParameterizedTest
  @CsvSource({
      "SCR_CNTL_BASE=/x,       'the daemons have read it when they started, and have /tmp (default)'",
      "SCR_USER_NAME=bob,      'the daemons have read it when they started, and have alice (USER)'",
      "SCR_FILE_BUF_SIZE=8MB,  and have 524288 (default)",
      "SCR_END_TIME=1795179600, and have none",
      "SCR_PREFIX=/elsewhere,  set it in their environment",
      "SCR_PREFIX=elsewhere,   set it in their environment"})
  void whatHasNoEffectWhereItIsSaidIsARemark(String entry, String reason) throws IOException {
    user("# one", entry);
    Effective effective = with("").effective();

    assertThat(effective.ignored()).singleElement().asString()
        .startsWith(directory.resolve(".scrconf") + " line 2: " + entry + " has no effect: ").endsWith(reason);
    assertThat(effective.value(Parameter.SCR_CNTL_BASE).orElseThrow().text()).isEqualTo("/tmp");
    assertThat(effective.value(Parameter.SCR_USER_NAME).orElseThrow().text()).isEqualTo("alice");
  }

  @Test
  void aRelativePrefixThatTheProcessesHaveMadeAbsoluteNeedsNoRemark() {
    calls.add("SCR_PREFIX=../" + directory.getFileName());

    assertThat(with("").effective().ignored()).isEmpty();
  }

  @Test
  void aUserMayHaveStoresWhereverHeLikesUnlessTheSystemSaysOtherwise() throws IOException {
    user("SCR_COPY_TYPE=FILE", "STORE=/mine/a COUNT=2 GROUP=WORLD FLUSH=PTHREAD", "CKPT=0 STORE=/mine/a");
    calls.add("SCR_CACHE_BASE=/mine/b");
    Effective effective = with("STORE=/ssd").effective();

    assertThat(effective.of(Section.STORE)).extracting(Effective.DescriptorEntry::key)
        .containsExactly("/mine/a", "/mine/b", "/ssd", "/tmp");
    assertThat(new DescriptorReader(effective).descriptors().store("/mine/a").count()).isEqualTo(2);
    assertThat(new DescriptorReader(effective).descriptors().checkpoints().getFirst().storeBase())
        .isEqualTo("/mine/a");
    assertThat(effective.ignored()).singleElement().asString().contains("line 2: FLUSH has no effect here: ");
  }

  @Test
  void ofWhatIsSaidTwiceTheLastCountsAndARemarkSaysSo() throws IOException {
    user("SCR_FLUSH=1", "CKPT=0 SET_SIZE=3", "SCR_FLUSH = 2", "CKPT=0 SET_SIZE=4");
    Effective effective = with("").effective();
    Path file = directory.resolve(".scrconf");

    assertThat(effective.text(Parameter.SCR_FLUSH)).isEqualTo("2");
    assertThat(effective.of(Section.CKPT).getFirst().text("SET_SIZE")).contains("4");
    assertThat(effective.ignored()).contains(
        file + " line 3: SCR_FLUSH=2 counts, and not SCR_FLUSH=1 before it (" + file + " line 1)",
        file + " line 4: SET_SIZE=4 counts, and not SET_SIZE=3 before it (" + file + " line 2)");
  }

  @ParameterizedTest
  @CsvSource({
      "SCR_MPI_BUF_SIZE=131072,     'SCR_MPI_BUF_SIZE has no effect here: redundancy is computed by the daemons'",
      "SCR_LOG_DB_PASS=hush,        'SCR_LOG_DB_PASS has no effect here: there is no log in a database'",
      "CNTLDIR=/dev/shm BYTES=1GB,  'CNTLDIR has no effect here: the control directory is below SCR_CNTL_BASE'",
      "CACHEDIR=/dev/shm BYTES=1GB, 'CACHEDIR has no effect here: stores are SCR_CACHE_BASE'",
      "STORE=/tmp VIEW=PRIVATE,     'VIEW has no effect here: GROUP says which nodes share the store'",
      "STORE=/tmp QZXWVJK=1,        'QZXWVJK has no effect here: STORE has no such key'",
      "SITE_QZXWVJK=1,              'SITE_QZXWVJK has no effect: there is no such parameter'"})
  void foreignNamesAreRemarksAndMisspeltOnesAreRefused(String line, String remark)
      throws IOException {
    user(line);
    Effective effective = with("").effective();

    assertThat(effective.ignored()).singleElement().asString()
        .startsWith(directory.resolve(".scrconf") + " line 1: " + remark).doesNotContain("hush");
  }

  @Test
  void whatHasNoEffectCanBeAskedForAllTheSame() {
    calls.add("SCR_FLUSH_TYPE=PTHREAD");

    assertThat(with("").said("SCR_FLUSH_TYPE")).contains("PTHREAD");
    assertThat(with("").said("SCR_LOG_DB_HOST")).isEmpty();
  }

  @Test
  void variablesAreTheApplicationsAndElseTheDaemons() throws IOException {
    application.put("SCR_JOB_NAME", "heat");
    daemon.put("SCR_JOB_NAME", "other");
    user("SCR_GROUP=${SCR_JOB_NAME}-$USER");

    assertThat(with("").effective().text(Parameter.SCR_GROUP)).isEqualTo("heat-alice");
  }

  @Test
  void ofTheDaemonsVariablesOnlyThoseThatTheSettingsNameGoToTheLeader() throws IOException {
    daemon.putAll(Map.of("SCRATCH", "/lustre", "DAY", "1", "SCR_JOB_NAME", "other", "TOKEN", "sesame"));
    application.putAll(Map.of("SCR_JOB_NAME", "heat", "SCR_GROUP", "$USER"));
    calls.add("SCR_PREFIX=${DAY}");
    UserSettings mine = new UserSettings(Optional.of(directory), application, calls);
    ConfText file = new ConfText("file", List.of("STORE=$SCRATCH/$MISSING/${SCR_JOB_NAME}"));

    assertThat(mine.sources(Optional.of(file), daemon))
        .isEqualTo(new SettingsSources(Optional.of(file), Map.of("USER", "alice", "SCRATCH", "/lustre", "DAY", "1")));
  }

  /** The leader is not on the node of the application. */
  @Test
  void aUsersSettingsAreGivenNoVariableOfAnotherNode() throws IOException {
    daemon.put("TOKEN", "sesame");
    user("SCR_GROUP=nothing of this file is read");
    Configuration leaders = Configuration.ofSystem(daemon, Optional.empty());
    calls.add("SCR_GROUP=$TOKEN");
    UserSettings theirs = new UserSettings(Optional.of(directory), application, calls);

    refused("uses TOKEN, which the environment does not have",
        () -> leaders.with(theirs, new SettingsSources(Optional.empty(), Map.of())));
    assertThat(leaders.with(theirs, new SettingsSources(Optional.empty(), Map.of("TOKEN", "mine"))).effective()
        .text(Parameter.SCR_GROUP)).isEqualTo("mine");
  }

  @Test
  void storesOfTheSystemAreFilledInFieldByField() throws IOException {
    user("STORE=/ssd COUNT=3");
    Effective effective = with("STORE=/ssd COUNT=2 ENABLED=1\nSTORE=/nvme").effective();

    assertThat(effective.of(Section.STORE)).extracting(Effective.DescriptorEntry::key)
        .containsExactly("/nvme", "/ssd", "/tmp");
    assertThat(effective.of(Section.STORE).get(1).text("COUNT")).contains("3");
    assertThat(effective.of(Section.STORE).get(1).text("ENABLED")).contains("1");
    assertThat(effective.of(Section.STORE).get(0).fields()).isEmpty();
  }

  @Test
  void checkpointEntriesComeFromTheFirstPlaceThatHasAny() throws IOException {
    user("CKPT=0 TYPE=SINGLE");
    Effective effective = with("CKPT=0 TYPE=XOR SET_SIZE=4\nCKPT=1 INTERVAL=2").effective();

    assertThat(effective.of(Section.CKPT)).hasSize(1);
    assertThat(effective.of(Section.CKPT).getFirst().text("SET_SIZE")).isEmpty();
  }

  @Test
  void theSettingsOfARunHaveItsNameAndWithDebugEverythingThatIsSet() throws IOException {
    user("SCR_JOB_NAME=heat", "SCR_FLUSH=2", "CKPT=0 TYPE=SINGLE");
    Settings settings = Settings.load(daemon, Optional.empty());
    UserSettings quiet = new UserSettings(Optional.of(directory), application, calls);
    calls.add("SCR_DEBUG=1");
    UserSettings debug = new UserSettings(Optional.of(directory), application, calls);

    assertThat(settings.of(quiet).jobName()).isEqualTo("heat");
    assertThat(settings.of(quiet).lines()).isEmpty();
    Path file = directory.resolve(".scrconf");
    assertThat(settings.of(debug).lines()).contains("SCR_FLUSH=2 (" + file + " line 2)",
        "CKPT=0 TYPE=SINGLE (" + file + " line 3)", "SCR_DEBUG=1 (config call \"SCR_DEBUG=1\")");
  }

  private Configuration restricted() {
    return with("STORE=/ssd\nSCR_CACHE_BASE=/local\nSCR_ALLOWED_BASES=/local,/nvme/a/");
  }

  private Configuration with(String systemFile) {
    try {
      Path file = Files.writeString(directory.resolve("scr.conf"), systemFile);
      return Configuration.ofSystem(daemon, Optional.of(file))
          .with(new UserSettings(Optional.of(directory), application, calls));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void user(String... lines) throws IOException {
    Files.write(directory.resolve(".scrconf"), List.of(lines));
  }

  private static void refused(String why, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_CONFIGURATION))
        .hasMessageContaining(why);
  }
}

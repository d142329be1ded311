package io.vertxscr.cli.halt;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.format.prefix.HaltFile;
import io.vertxscr.model.Halt;
import io.vertxscr.prefix.metadata.HaltFileStore;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class HaltCommandTest {
  @TempDir
  Path prefix;
  private final StringWriter text = new StringWriter();

  private int run(Map<String, String> environment, String... args) {
    text.getBuffer().setLength(0);
    PrintWriter writer = new PrintWriter(text, true);
    return new CommandLine(new HaltCommand(environment)).setOut(writer).setErr(writer)
        .setExecutionStrategy(parsed -> new CommandLine.RunLast().execute(parsed)).execute(args);   // as ScrCommand
  }

  private Halt halt(String... args) throws Exception {
    assertThat(run(Map.of("SCR_PREFIX", prefix.toString()), args)).as(text.toString()).isZero();
    Path file = prefix.resolve(".scr/halt.scr");
    return Files.exists(file) ? HaltFile.decode(Files.readAllBytes(file)) : Halt.NONE;
  }

  @Test
  void severalDirectoriesAreHaltedAndNoneWhereOneIsMissing(@TempDir Path other) {
    assertThat(run(Map.of(), "-c", "2", prefix.toString(), other.resolve("none").toString())).isEqualTo(1);
    assertThat(prefix).isEmptyDirectory();
    assertThat(run(Map.of(), "-c", "2", prefix.toString(), other.toString())).isZero();
    assertThat(text.toString()).contains(prefix + "/.scr/halt.scr", other + "/.scr/halt.scr");
    assertThat(List.of(prefix, other)).allSatisfy(one -> assertThat(new HaltFileStore(new PrefixPaths(one),
        PatientLocks.user("test", Duration.ofSeconds(1))).read().checkpointsLeft()).hasValue(2));
  }

  @Test
  void everyConditionIsSetAndTakenBackAloneAndTheOthersStay() throws Exception {
    assertThat(halt("--checkpoints", "3").checkpointsLeft()).hasValue(3);
    assertThat(halt("--before", "1795179600").exitBeforeSeconds()).hasValue(1_795_179_600);
    assertThat(halt("--after", "2026-11-20T12:00:00Z").exitAfterSeconds()).hasValue(1_795_176_000);
    assertThat(halt("--seconds", "1200").haltSeconds()).hasValue(1200);
    Halt all = halt("--immediate");
    assertThat(all.immediate()).isTrue();
    assertThat(all.reason()).contains("JOB_HALTED");
    assertThat(text.toString()).contains("checkpoints left  3", "exit before", "exit after", "halt seconds      1200",
        "JOB_HALTED", "immediate", "--remove");

    Halt noHurry = halt("--unset-reason");
    assertThat(noHurry).isEqualTo(new Halt(OptionalInt.of(3), Optional.empty(), OptionalLong.of(1_795_176_000),
        OptionalLong.of(1_795_179_600), OptionalLong.of(1200), Optional.empty(), false));
    assertThat(halt("--unset-checkpoints")).isEqualTo(noHurry.withCheckpointsLeft(OptionalInt.empty()));
    assertThat(halt("--unset-before").exitBeforeSeconds()).isEmpty();
    assertThat(halt("--unset-after").exitAfterSeconds()).isEmpty();
    assertThat(halt("--unset-seconds")).isEqualTo(Halt.NONE);
    assertThat(prefix.resolve(".scr/halt.scr")).doesNotExist();
  }

  @Test
  void removingAConditionRemovesTheReasonOfARunThatStoppedForIt() throws Exception {
    Map<String, String> optionOfReason = Map.of("NO_CHECKPOINTS_LEFT", "--unset-checkpoints",
        "EXIT_BEFORE_TIME", "--unset-before", "EXIT_AFTER_TIME", "--unset-after", "TIME_LIMIT", "--unset-seconds");
    for (String reason : List.of("NO_CHECKPOINTS_LEFT", "EXIT_BEFORE_TIME", "EXIT_AFTER_TIME", "TIME_LIMIT",
        "JOB_HALTED", "SCR_FINALIZE_CALLED")) {
      for (String option : optionOfReason.values()) {
        halt("--remove");
        new HaltFileStore(new PrefixPaths(prefix), PatientLocks.user("test", Duration.ofSeconds(1)))
            .update(_ -> Halt.NONE.withReason(Optional.of(reason)));
        assertThat(halt(option).reason().isEmpty()).as(reason + option)
            .isEqualTo(option.equals(optionOfReason.get(reason)));
      }
    }
    halt("--immediate", "--checkpoints", "0");
    assertThat(halt("--unset-checkpoints").immediate()).isTrue();
    assertThat(halt("--unset-all")).isEqualTo(Halt.NONE);
  }

  @Test
  void secondsMayBeWrittenAsHoursAndMinutes() throws Exception {
    assertThat(halt("--seconds", "1h30m").haltSeconds()).hasValue(5400);
    assertThat(halt("--seconds", "0").haltSeconds()).hasValue(0);
  }

  @Test
  void withoutAnOptionTheRunIsToStopAndRemoveTakesItBack() throws Exception {
    assertThat(halt().reason()).contains("JOB_HALTED");
    assertThat(halt("--list").immediate()).isFalse();
    assertThat(text.toString()).contains("reason            JOB_HALTED");
    assertThat(halt("--remove")).isEqualTo(Halt.NONE);
    assertThat(text.toString()).startsWith("taken back:\n  reason            JOB_HALTED\n")
        .contains("no halt condition is set", prefix.toString());
    halt("--remove");
    assertThat(text.toString()).startsWith("no halt condition is set");
  }

  @Test
  void listingChangesNothingAndTheArgumentComesBeforeTheEnvironment() throws Exception {
    halt("--checkpoints", "3");
    byte[] before = Files.readAllBytes(prefix.resolve(".scr/halt.scr"));
    assertThat(run(Map.of("SCR_PREFIX", "/nowhere"), "--list", prefix.toString())).isZero();
    assertThat(text.toString()).contains("checkpoints left  3");
    assertThat(run(Map.of(), "--list", "--prefix", prefix.toString())).isZero();
    assertThat(text.toString()).contains("checkpoints left  3");
    assertThat(run(Map.of(), "--list", "--prefix", prefix.toString(), prefix.toString())).isEqualTo(2);
    assertThat(Files.readAllBytes(prefix.resolve(".scr/halt.scr"))).isEqualTo(before);
  }

  @Test
  void relativeTimesCountFromNow() throws Exception {
    long now = Instant.now().getEpochSecond();
    assertThat(halt("--before", "+1h").exitBeforeSeconds().orElseThrow()).isBetween(now + 3600, now + 3700);
  }

  @Test
  void wrongUseIsRefusedAndChangesNothing() throws Exception {
    Map<String, String> environment = Map.of("SCR_PREFIX", prefix.toString());
    for (String[] args : new String[][] {{"--before", "soon"}, {"--checkpoints", "-1"}, {"--checkpoints", "many"},
        {"--seconds", "-5"}, {"--list", "--immediate"}, {"--list", "--remove"}, {"--remove", "--checkpoints", "2"},
        {"--remove", "--unset-before"}, {"--nonsense"}}) {
      assertThat(run(environment, args)).as(String.join(" ", args)).isNotZero();
      assertThat(prefix.resolve(".scr/halt.scr")).doesNotExist();
    }
    assertThat(run(Map.of("SCR_PREFIX", "/nowhere/at/all"))).isNotZero();
    assertThat(run(Map.of(), "--list", prefix.resolve("missing").toString())).isNotZero();
  }

  /** The working directory of the tests is the prefix directory of no run. */
  @Test
  void aWorkingDirectoryWithoutARunIsRefused(@TempDir Path base) {
    Map<String, String> environment = Map.of("SCR_CNTL_BASE", base.toString());
    for (String[] args : new String[][] {{}, {"--list"}, {"--immediate"}, {"--remove"}, {"-c", "3"}}) {
      assertThat(run(environment, args)).as(String.join(" ", args)).isEqualTo(1);
      assertThat(text.toString()).contains("no run has begun in the working directory " + Path.of("").toAbsolutePath(),
          "scr halt PREFIX", "no daemon of this user and job answers on this host");
      assertThat(Path.of(".scr")).doesNotExist();
    }
  }

  @Test
  void aDirectoryThatIsGivenMayWaitForItsFirstRun() throws Exception {
    assertThat(halt("--checkpoints", "3").checkpointsLeft()).hasValue(3);
    assertThat(text.toString()).endsWith("note: no run has begun in " + prefix + " yet\n");
    halt("--checkpoints", "2");
    assertThat(text.toString()).doesNotContain("no run has begun");
  }
}

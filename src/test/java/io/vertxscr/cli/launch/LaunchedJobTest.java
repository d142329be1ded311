package io.vertxscr.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.launch.LaunchSettings;
import io.vertxscr.launch.Program;
import io.vertxscr.launch.ResourceManagers;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.recorded.FaultyDisk;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Goal: after a split brain a daemon is restarted before its node is excluded. That happens on a loaded machine. A
 * prefix directory that does not answer keeps nobody from ending the job.
 * Method: stub daemons, see {@link StubMachine}; they are given a second to see each other. The prefix directory is on
 * a disk that hangs when it is told to.
 */
@Execution(ExecutionMode.CONCURRENT)
class LaunchedJobTest {
  private static final String APART = "scr run: node node2: its daemon sees [node2], the others see ";

  @TempDir
  private Path directory;
  private StubMachine machine;
  private final StringWriter err = new StringWriter();
  /** What happens when a line begins with this. */
  private final Map<String, Consumer<LaunchedJob>> onLine = new HashMap<>();
  private final FaultyDisk shared = new FaultyDisk();

  @BeforeEach
  void set() throws IOException {
    machine = new StubMachine(directory);
    machine.command("program", "exit 0\n");
    onLine.put("scr run: waits for the daemons of", _ -> machine.remove("late-node2"));   // now it may come
  }

  private LaunchedJob.JobOutcome run(int spares, long agreeMs) throws Exception {
    return run(spares, agreeMs, LaunchedJob.AGREE_MS);
  }

  private LaunchedJob.JobOutcome run(int spares, long agreeMs, long noticeMs) throws Exception {
    Map<String, String> environment = machine.environment();
    Allocation allocation =
        Allocation.read(ResourceManagers.find(environment, "", OptionalInt.of(2 + spares)), "", environment);
    LaunchSettings settings = new LaunchSettings(2, 0, Set.of(), false, OptionalLong.empty(), 0);
    JobPlan plan = new JobPlan(allocation, Program.of(List.of("program"), ""), Optional.empty(), settings,
        new PrefixPaths(shared.directory("/p")), 2, Map.of("SCR_USER_NAME", "u", "SCR_JOB_ID", "1"));
    Path logs = Files.createDirectories(directory.resolve("logs"));
    LaunchedJob[] job = new LaunchedJob[1];
    job[0] = new LaunchedJob(plan, new Fleet.Setup("scr", plan.variables(), Optional.empty(), logs),
        new PrintWriter(err, true) {
          @Override
          public void println(String line) {
            super.println(line);
            onLine.forEach((begin, action) -> {
              if (line.startsWith(begin)) {
                action.accept(job[0]);
              }
            });
          }
        }, agreeMs, noticeMs);
    return job[0].run();
  }

  /** From now on reads of the prefix directory have no answer. @return lets them have it */
  private Runnable hang() {
    CountDownLatch answers = new CountDownLatch(1);
    shared.looks(_ -> {
      try {
        answers.await();
      } catch (InterruptedException e) {
        answers.countDown();
        throw new IOException(e);
      }
    });
    return answers::countDown;
  }

  /** The program fails once. */
  private void failsOnce() throws IOException {
    machine.command("program", "[ -e \"$STATE/failed\" ] && exit 0\ntouch \"$STATE/failed\"\nexit 3\n");
  }

  @Test
  @Timeout(60)
  void aPrefixDirectoryThatHangsBetweenTwoRunsIsToldAndTheJobCanBeEnded() throws Exception {
    failsOnce();
    AtomicReference<Runnable> answer = new AtomicReference<>();
    onLine.put("scr run: run 1 failed", _ -> answer.set(hang()));
    onLine.put("scr run: prefix: no answer for", job -> {
      if (answer.get() != null) {                         // else it is slow, and does not hang
        job.stop("asked to end");
      }
    });
    LaunchedJob.JobOutcome outcome = run(0, 1000, 100);
    answer.get().run();
    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(outcome.unanswered()).hasValueSatisfying(what -> assertThat(what).startsWith("prefix: no answer for"));
    assertThat(err.toString()).contains("scr run: prefix: no answer for ", " s: read /p/.scr/halt.scr\n")
        .endsWith("scr run: asked to end\n");
  }

  @Test
  @Timeout(60)
  void whenItAnswersTheNextRunBegins() throws Exception {
    failsOnce();
    AtomicReference<Runnable> answer = new AtomicReference<>();
    onLine.put("scr run: run 1 failed", _ -> answer.set(hang()));
    onLine.put("scr run: prefix: no answer for", _ -> Optional.ofNullable(answer.get()).ifPresent(Runnable::run));
    LaunchedJob.JobOutcome outcome = run(0, 1000, 100);
    assertThat(outcome.exit()).as(err.toString()).isZero();
    assertThat(outcome.unanswered()).isEmpty();
    assertThat(err.toString()).contains("scr run: prefix: no answer for ")
        .endsWith("scr run: run 2 begins on 2 nodes: node1,node2\n");
  }

  @Test
  @Timeout(60)
  void aJobWhosePrefixDirectoryHangsBeforeItsFirstRunCanBeEnded() throws Exception {
    Runnable answer = hang();
    onLine.put("scr run: prefix: no answer for", job -> job.stop("asked to end"));
    LaunchedJob.JobOutcome outcome = run(0, 1000, 100);
    answer.run();
    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(machine.called("scr")).as("no daemon is started").isEmpty();
  }

  @Test
  void aDaemonThatBeganAClusterOfItsOwnIsStartedAgainAndFindsTheOthers() throws Exception {
    machine.touch("apart-once-node2");
    LaunchedJob.JobOutcome outcome = run(0, 1000);
    assertThat(outcome.exit()).as(err.toString()).isZero();
    assertThat(outcome.up()).containsExactly("node1", "node2");
    assertThat(err).hasToString(APART + "[node1]; it is started again\n"
        + "scr run: run 1 begins on 2 nodes: node1,node2\n");
  }

  @Test
  void oneThatNeverFindsThemIsLeftOutAfterTwoMoreTries() throws Exception {
    machine.touch("apart-node2");
    LaunchedJob.JobOutcome outcome = run(1, 500);
    assertThat(outcome.exit()).as(err.toString()).isZero();
    assertThat(outcome.up()).containsExactly("node1", "node3");
    assertThat(machine.called("scr")).filteredOn(line -> line.contains("--name node2")).hasSize(3);
    assertThat(err).hasToString((APART + "[node1, node3]; it is started again\n").repeat(2)
        + "scr run: node node2 is left out: its daemon sees [node2], the others see [node1, node3]\n"
        + "scr run: run 1 begins on 2 nodes: node1,node3\n");
  }

  @Test
  void aWaitForDaemonsIsToldOnce() throws Exception {
    machine.touch("late-node2");
    LaunchedJob.JobOutcome outcome = run(0, 1000, 100);
    assertThat(outcome.exit()).as(err.toString()).isZero();
    assertThat(err.toString()).startsWith("scr run: waits for the daemons of node").containsOnlyOnce("waits for the"
        + " daemons of node").contains("node2", " to start, up to 180 s; their logs are in " + directory + "/logs\n",
        "scr run: run 1 begins on 2 nodes: node1,node2\n");
  }

  @Test
  void soIsAWaitForThemToSeeEachOther() throws Exception {
    machine.touch("apart-node2");
    assertThat(run(1, 1000, 500).exit()).as(err.toString()).isZero();
    assertThat(err.toString()).contains("scr run: waits for the daemons to find each other, up to 1 s\n");
  }
}

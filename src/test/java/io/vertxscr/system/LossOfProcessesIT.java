package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.JsonPage;
import io.vertxscr.cli.drill.DrillProcess;
import io.vertxscr.client.Scr;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.timing.Eventually;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: daemons and ranks that are killed, as real processes. Method: four daemons, the two oldest of them (the leader
 * and the next one) without ranks, unless a test says otherwise; a killed one is replaced by a spare with a new
 * name before the next test. Prints how long the ranks waited for the news; no test depends on it.
 */
@Timeout(120)
class LossOfProcessesIT {
  private static final int FILES = 3;
  private static final int DAEMONS = 4;
  private static DaemonCluster cluster;

  private Path prefix;

  @BeforeAll
  static void open() throws Exception {
    cluster = new DaemonCluster(Map.of("SCR_FLUSH", "0", "SCR_COPY_TYPE", "XOR"));
  }

  @AfterAll
  static void close() throws Exception {
    cluster.close();
  }

  @BeforeEach
  void fill() throws Exception {
    prefix = cluster.newPrefix();
    cluster.fill(DAEMONS);
  }

  private List<DaemonProcess> withoutOldest(int count) {
    return cluster.alive().subList(count, DAEMONS);
  }

  private int restartAndGoOn(Scr scr) throws Exception {
    int step = RankProgram.restart(scr, FILES);
    RankProgram.checkpoint(scr, prefix, step + 1, FILES);
    scr.finish();
    return step;
  }

  /** All ranks write two checkpoints. Then all but rank 0 wait in a call as long as rank 0 waits for the latch. */
  private List<CompletableFuture<Integer>> waitingForRank0(SocketRun run, CyclicBarrier written, CountDownLatch go) {
    return run.start(scr -> {
      int step = RankProgram.restart(scr, FILES);
      RankProgram.checkpoint(scr, prefix, step + 1, FILES);
      RankProgram.checkpoint(scr, prefix, step + 2, FILES);
      written.await();
      if (scr.rank() == 0) {
        go.await();
      }
      RankProgram.checkpoint(scr, prefix, step + 3, FILES);
      scr.finish();
      return step + 3;
    });
  }

  private static void assertAllHear(List<CompletableFuture<Integer>> ranks, String what, String name)
      throws Exception {
    long killed = System.nanoTime();
    for (CompletableFuture<Integer> rank : ranks) {
      assertThat(EmbeddedRun.failure(rank)).isInstanceOfSatisfying(ScrException.class,
          e -> assertThat(e.fault()).as(e.getMessage()).isIn(Fault.NODE_LOST, Fault.RANK_LOST))
          .hasMessageContaining(name);
    }
    System.out.printf("%s: the last of %d waiting ranks heard of it after %d ms%n", what, ranks.size(),
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killed));
  }

  @Test
  void everyWaitingRankHearsOfAKilledDaemonAndASpareTakesItsPlace() throws Exception {
    List<DaemonProcess> three = withoutOldest(1);
    SocketRun run = SocketRun.twoOnEach(prefix, three);
    CyclicBarrier written = new CyclicBarrier(7);
    CountDownLatch go = new CountDownLatch(1);
    List<CompletableFuture<Integer>> ranks = waitingForRank0(run, written, go);
    written.await();
    untilRanksWait(cluster.alive().getFirst(), three.subList(1, 3));
    String victim = three.get(1).name();
    cluster.kill(victim);
    assertAllHear(ranks.subList(1, 6), "daemon killed", victim);
    go.countDown();
    assertAllHear(ranks.subList(0, 1), "its next call", victim);

    cluster.wipe(victim);
    cluster.fill(DAEMONS);
    List<DaemonProcess> now = List.of(three.get(0), cluster.alive().getLast(), three.get(2));
    assertThat(EmbeddedRun.all(SocketRun.twoOnEach(prefix, now).start(this::restartAndGoOn))).containsOnly(2);
  }

  /** An operator's drill on a run of an application, which the test starts again as a launcher does. */
  @Test
  void aDrillOnTheRunThatIsOnKillsANodeAndFindsEveryByteRestored() throws Exception {
    List<DaemonProcess> three = withoutOldest(1);
    CyclicBarrier written = new CyclicBarrier(7);
    CountDownLatch go = new CountDownLatch(1);
    List<CompletableFuture<Integer>> ranks =
        waitingForRank0(SocketRun.twoOnEach(prefix, three), written, go);
    written.await();
    DaemonProcess victim = three.get(1);
    String[] words = {"--live", "--socket", cluster.alive().getFirst().socket().toString(), "--kill-node",
        victim.name(), "--kill-command", "kill -KILL " + victim.pid() + " && : {node}", "--json"};

    try (DrillProcess unsure = DrillProcess.start(cluster.directory(), words)) {
      assertThat(unsure.exit()).as(unsure.errors()).isEqualTo(2);
      assertThat(unsure.errors()).contains("this would kill " + victim.name(), "6 ranks", "--yes-really");
    }
    assertThat(victim.isAlive()).isTrue();
    try (DrillProcess drill = DrillProcess.start(cluster.directory(),
        Stream.concat(Stream.of(words), Stream.of("--yes-really")).toArray(String[]::new))) {
      assertAllHear(ranks.subList(1, 6), "node killed by a drill", victim.name());
      go.countDown();
      assertAllHear(ranks.subList(0, 1), "its next call", victim.name());
      restartForTheDrill(drill, victim, three);
    }
  }

  private void restartForTheDrill(DrillProcess drill, DaemonProcess victim, List<DaemonProcess> three)
      throws Exception {
    cluster.kill(victim.name());
    cluster.wipe(victim.name());
    cluster.fill(DAEMONS);
    List<DaemonProcess> now = List.of(three.get(0), cluster.alive().getLast(), three.get(2));
    CountDownLatch goOn = new CountDownLatch(1);
    List<CompletableFuture<Integer>> again = SocketRun.twoOnEach(prefix, now).start(scr -> {
      int step = RankProgram.restart(scr, FILES);
      goOn.await();                                         // the next checkpoint takes the place of this one
      RankProgram.checkpoint(scr, prefix, step + 1, FILES);
      scr.finish();
      return step;
    });
    drill.untilItSays("every byte is as it was written");
    goOn.countDown();
    assertThat(EmbeddedRun.all(again)).containsOnly(2);
    assertThat(drill.exit()).as(drill.errors()).isZero();
    JsonObject json = new JsonObject(drill.output());
    new JsonPage("scr drill --live").check(json.getMap());
    assertThat(json.getJsonArray("checks").stream().map(one -> ((JsonObject) one).getString("result")))
        .as(drill.output()).containsOnly("PASSED");
    assertThat(json.getJsonArray("loss").encode()).isEqualTo("[\"" + victim.name() + "\"]");
    assertThat(json.getString("prefix")).isEqualTo(prefix.toString());
  }

  /** Until the leader has the parts of these daemons, so that their ranks wait for the others. */
  private static void untilRanksWait(DaemonProcess leader, List<DaemonProcess> daemons) throws Exception {
    try (StatusOf status = new StatusOf(leader)) {
      Eventually.holds("ranks wait", () -> {
        var waits = status.now().getJsonObject("waits");
        return waits.getString("for").startsWith("start-output")
            && daemons.stream().noneMatch(daemon -> waits.getJsonArray("missing").contains(daemon.name()));
      });
    }
  }

  @Test
  void everyRankHearsTheNumberOfAKilledRank() throws Exception {
    SocketRun run = SocketRun.twoOnEach(prefix, withoutOldest(2));
    Path log = Files.createTempFile(cluster.directory(), "rank", ".log");
    ProcessBuilder builder = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
        RankMain.class.getName(), String.valueOf(FILES)).redirectError(log.toFile());
    builder.environment().putAll(Map.of("SCR_SOCKET", run.socketOfRank().get(3).toString(), "SCR_RANK", "3",
        "SCR_RANKS", "4", "SCR_PREFIX", prefix.toString(), "SCR_JOB_NAME", "test"));
    Process process = builder.start();
    try (BufferedReader output = process.inputReader()) {
      CountDownLatch never = new CountDownLatch(1);
      CyclicBarrier written = new CyclicBarrier(4);
      List<CompletableFuture<Integer>> others = new ArrayList<>();
      for (int rank : List.of(0, 1, 2)) {
        others.add(run.start(rank, scr -> {
          RankProgram.checkpoint(scr, prefix, RankProgram.restart(scr, FILES) + 1, FILES);
          written.await();
          scr.startCheckpoint("another");
          scr.restart();                                    // wrong, and never reached: rank 3 dies before
          never.await();
          return 0;
        }));
      }
      assertThat(output.readLine()).as(Files.readString(log)).isEqualTo("written");
      process.destroyForcibly().waitFor();
      written.await();
      assertAllHear(others, "rank killed", "rank 3 on node " + withoutOldest(2).get(1).name());
    } finally {
      process.destroyForcibly();
    }
    assertThat(EmbeddedRun.all(run.start(this::restartAndGoOn))).containsOnly(1);
  }

  @Test
  void aPhaseGoesOnWithTheNextLeaderWhenOnesWithoutRanksAreKilled() throws Exception {
    List<DaemonProcess> before = cluster.alive();
    SocketRun run = SocketRun.twoOnEach(prefix, withoutOldest(2));
    CyclicBarrier written = new CyclicBarrier(5);
    CyclicBarrier betweenPhases = new CyclicBarrier(5);
    CountDownLatch go = new CountDownLatch(1);
    List<CompletableFuture<Integer>> ranks = run.start(scr -> {
      RankProgram.checkpoint(scr, prefix, 1, FILES);
      written.await();
      if (scr.rank() == 0) {
        go.await();
      }
      RankProgram.checkpoint(scr, prefix, 2, FILES);
      betweenPhases.await();
      betweenPhases.await();
      RankProgram.checkpoint(scr, prefix, 3, FILES);
      scr.finish();
      return 3;
    });
    written.await();
    untilRanksWait(before.get(0), before.subList(3, DAEMONS));
    cluster.kill(before.get(0).name());                     // in the middle of an open gather
    go.countDown();
    betweenPhases.await();
    cluster.kill(before.get(1).name());                     // between phases
    betweenPhases.await();
    assertThat(EmbeddedRun.all(ranks)).containsOnly(3);
    assertThat(EmbeddedRun.all(run.start(this::restartAndGoOn))).containsOnly(3);
  }

  @Test
  void aKilledLeaderWithRanksEndsTheRunAndTheNextOneRestarts() throws Exception {
    List<DaemonProcess> three = cluster.alive().subList(0, 3);
    SocketRun run = SocketRun.twoOnEach(prefix, three);
    CyclicBarrier written = new CyclicBarrier(7);
    CountDownLatch go = new CountDownLatch(1);
    List<CompletableFuture<Integer>> ranks = waitingForRank0(run, written, go);
    written.await();
    untilRanksWait(three.getFirst(), three.subList(1, 3));
    String leader = three.getFirst().name();
    cluster.kill(leader);
    assertAllHear(ranks.subList(1, 6), "leader killed", leader);
    go.countDown();
    assertAllHear(ranks.subList(0, 1), "its next call", leader);

    cluster.wipe(leader);
    List<DaemonProcess> now = List.of(cluster.alive().getLast(), three.get(1), three.get(2));
    assertThat(EmbeddedRun.all(SocketRun.twoOnEach(prefix, now).start(this::restartAndGoOn))).containsOnly(2);
  }

  @Test
  void aSecondDaemonOfTheSameNameAndOneWithAnotherSecretAreRefused() throws Exception {
    DaemonProcess first = cluster.alive().get(1);
    DaemonProcess sameStorage = cluster.startOutsider(first.name(), cluster.directory(), Map.of());
    assertThat(sameStorage.awaitExit()).isEqualTo(1);
    assertThat(sameStorage.output()).contains("scr: ", first.name()).doesNotContain("\tat ");

    Path job = Files.createDirectories(cluster.directory().resolve("o/c/u/scr.1"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Files.copy(cluster.directory().resolve("c/u/scr.1/secret"), job.resolve("secret"),
        StandardCopyOption.COPY_ATTRIBUTES);
    DaemonProcess otherStorage =
        cluster.startOutsider(first.name(), cluster.directory().resolve("o"), Map.of());
    assertThat(otherStorage.awaitExit()).isEqualTo(1);
    assertThat(otherStorage.output()).contains("scr: node " + first.name() + " is a member already")
        .doesNotContain("\tat ");

    Path secret = Files.writeString(cluster.directory().resolve("strange"), "not the secret of the others");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    DaemonProcess stranger = cluster.startOutsider("stranger", cluster.directory().resolve("s"), Map.of(),
        "--secret-file", secret.toString());
    assertThat(stranger.awaitExit()).isEqualTo(1);
    assertThat(stranger.output()).contains(" has another secret than this one").doesNotContain("\tat ");

    SocketRun run = SocketRun.twoOnEach(prefix, withoutOldest(1));
    assertThat(EmbeddedRun.all(run.start(this::restartAndGoOn))).containsOnly(0);
  }

  @Test
  void operatorsSeeThatADaemonIsReadyAndWhatItCounts() throws Exception {
    DaemonProcess daemon = cluster.alive().getFirst();
    assertThat(daemon.http("/health/ready")).isEqualTo("200 ready\n");
    assertThat(daemon.http("/metrics")).startsWith("200 ").contains("# TYPE ");
    assertThat(daemon.output()).doesNotContain("hazelcast", "\tat ");
  }
}

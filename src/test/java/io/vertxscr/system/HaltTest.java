package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.Output;
import io.vertxscr.client.Scr;
import io.vertxscr.client.ScrClient;
import io.vertxscr.config.policy.HaltPolicy;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Halt;
import io.vertxscr.model.ScrException;
import io.vertxscr.node.EmbeddedCluster;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.protocol.Verb;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.timing.Eventually;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: every halt condition stops a run, and the next one from beginning. Method: each of them, on a real cluster. */
class HaltTest {
  private static final long NOW = Instant.now().getEpochSecond();
  private static final long HOUR = 3600;

  @TempDir
  Path directory;
  private final BlockingQueue<JsonObject> halting = new LinkedBlockingQueue<>();
  private Vertx vertx;
  private Path prefix;
  private EmbeddedCluster cluster;

  @BeforeEach
  void open() throws Exception {
    vertx = Vertx.vertx();
    vertx.eventBus().<JsonObject>consumer(Addresses.EVENTS, message -> {
      if (message.body().getString("type").equals("halting")) {
        halting.add(message.body());
      }
    });
    prefix = Files.createDirectories(directory.resolve("prefix"));
  }

  private void start(HaltPolicy policy, OptionalLong end) {
    Map<String, String> parameters = new HashMap<>(Map.of("SCR_CACHE_SIZE", "2", "SCR_FLUSH", "100",
        "SCR_HALT_SECONDS", "" + policy.seconds(), "SCR_HALT_EXIT", policy.exit() ? "1" : "0"));
    end.ifPresent(seconds -> parameters.put("SCR_END_TIME", "" + seconds));
    cluster = new EmbeddedCluster(vertx, TestSettings.in(directory, parameters), true);
    List.of("n1", "n2").forEach(cluster::start);
  }

  private void start() {
    start(HaltPolicy.STANDARD, OptionalLong.empty());
  }

  @AfterEach
  void close() {
    cluster.close();
    vertx.close().await();
  }

  private void set(UnaryOperator<Halt> change) {
    Halts.of(prefix).update(change);
  }

  /** Conditions that hold, with the reason that each gives; the allocation ends in an hour. */
  private static Map<String, UnaryOperator<Halt>> conditions() {
    return Map.of(
        "JOB_HALTED", halt -> halt.withReason(Optional.of("JOB_HALTED")),
        "NO_CHECKPOINTS_LEFT", halt -> halt.withCheckpointsLeft(OptionalInt.of(0)),
        "EXIT_AFTER_TIME", halt -> halt.withExitAfter(OptionalLong.of(NOW - 1)),
        "EXIT_BEFORE_TIME", halt -> halt.withExitBefore(OptionalLong.of(NOW - 1)),
        "TIME_LIMIT", halt -> halt.withHaltSeconds(OptionalLong.of(HOUR)));
  }

  @Test
  void noRunBeginsWhileAConditionHoldsAndTheRefusalNamesItAndTheWayOut() throws Exception {
    start(HaltPolicy.STANDARD, OptionalLong.of(NOW + HOUR));
    for (var condition : conditions().entrySet()) {
      set(condition.getValue());
      try (RawRank rank = new RawRank(vertx, "n1", 0)) {
        RawRank.refused(rank.init(1, prefix), Fault.HALTED, condition.getKey(), "scr halt --remove", prefix.toString());
        Halts.remove(prefix);
        RawRank.ok(rank.init(1, prefix));
        RawRank.ok(rank.call(Verb.FINALIZE));
      }
    }
  }

  @Test
  void aFinishedProgramMayBeStartedAgainAndItsScriptHearsOfEachEnd() throws Exception {
    for (int allocation = 1; allocation <= 2; allocation++) {
      start();
      for (int run = 1; run <= 2; run++) {
        try (RawRank rank = new RawRank(vertx, "n1", 0)) {
          RawRank.ok(rank.init(1, prefix));
          assertThat(Halts.of(prefix).read()).as("the last end is not that of this run").isEqualTo(Halt.NONE);
          assertThat(RawRank.ok(rank.numbered(Verb.SHOULD_EXIT, 1, new JsonObject())).getBoolean("exit")).isFalse();
          assertThat(checkpoint(rank).containsKey("halt")).isFalse();
          RawRank.ok(rank.call(Verb.FINALIZE));
        }
        assertThat(Halts.of(prefix).read().reason()).contains("SCR_FINALIZE_CALLED");
      }
      cluster.close();
    }
    assertThat(halting).isEmpty();
  }

  /** The clients for C and Python end the process; a JVM is not theirs to end. */
  @Test
  void whereItIsConfiguredRanksHearAtInitThatTheyAreToExit() throws Exception {
    start(new HaltPolicy(0, true), OptionalLong.empty());
    set(halt -> halt.withReason(Optional.of("JOB_HALTED")));
    try (RawRank rank = new RawRank(vertx, "n1", 0)) {
      RawRank.refused(rank.init(1, prefix), Fault.HALT_EXIT, "JOB_HALTED", "scr halt --remove", prefix.toString());
    }
    var ranks = new EmbeddedRun(cluster, prefix, List.of("n1", "n2")).start(Scr::rank);
    for (int rank = 0; rank < 2; rank++) {
      assertHalted(ranks.get(rank));
      assertThat(EmbeddedRun.failure(ranks.get(rank)))
          .hasMessageContainingAll("JOB_HALTED", "rank " + rank + " is to exit (SCR_HALT_EXIT=1)");
    }
  }

  @Test
  void thatTheProgramHasFinishedHidesNoOtherCondition() throws Exception {
    start();
    set(halt -> halt.withCheckpointsLeft(OptionalInt.of(0)).because(Halt.Reason.SCR_FINALIZE_CALLED));
    try (RawRank rank = new RawRank(vertx, "n1", 0)) {
      RawRank.refused(rank.init(1, prefix), Fault.HALTED, "NO_CHECKPOINTS_LEFT");
    }
    assertThat(Halts.of(prefix).read().reason()).contains("SCR_FINALIZE_CALLED");
  }

  @Test
  void aConditionThatIsSetWhileARunIsOnIsToldByTheNextCheckpointAndWrittenDown() throws Exception {
    start(HaltPolicy.STANDARD, OptionalLong.of(NOW + HOUR));
    for (var condition : conditions().entrySet()) {
      try (RawRank rank = new RawRank(vertx, "n1", 0)) {
        RawRank.ok(rank.init(1, prefix));
        assertThat(checkpoint(rank).containsKey("halt")).isFalse();
        set(condition.getValue());
        JsonObject event = halting.poll(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        assertThat(event.getString("reason")).isEqualTo(condition.getKey());
        assertThat(event.getString("cause")).isNotEmpty();
        JsonObject complete = checkpoint(rank);
        assertThat(complete.getString("halt")).isEqualTo(condition.getKey());
        assertThat(complete.getBoolean("exit")).isFalse();
        RawRank.ok(rank.call(Verb.FINALIZE));
      }
      assertThat(Halts.of(prefix).read().reason()).contains(condition.getKey());
      Halts.remove(prefix);
    }
  }

  private static JsonObject checkpoint(RawRank rank) throws Exception {
    RawRank.ok(rank.call(Verb.START_OUTPUT));
    return RawRank.ok(rank.call(Verb.COMPLETE_OUTPUT));
  }

  @Test
  void everyGoodCheckpointIsCountedDownAndOutputAndDiscardedOnesAreNot() throws Exception {
    start();
    set(halt -> halt.withCheckpointsLeft(OptionalInt.of(2)));
    try (RawRank rank = new RawRank(vertx, "n1", 0)) {
      RawRank.ok(rank.init(1, prefix));
      RawRank.ok(rank.call(Verb.START_OUTPUT, new JsonObject().put("flags", 2)));
      assertThat(RawRank.ok(rank.call(Verb.COMPLETE_OUTPUT)).containsKey("halt")).isFalse();
      RawRank.ok(rank.call(Verb.START_OUTPUT));
      RawRank.refused(rank.call(Verb.COMPLETE_OUTPUT, new JsonObject().put("valid", false)), Fault.NOT_VALID, "rank 0");
      assertThat(checkpoint(rank).containsKey("halt")).isFalse();
      assertThat(checkpoint(rank).getString("halt")).isEqualTo("NO_CHECKPOINTS_LEFT");
      RawRank.ok(rank.call(Verb.FINALIZE));
    }
    Halt halt = Halts.of(prefix).read();
    assertThat(halt.checkpointsLeft()).hasValue(0);
    assertThat(halt.reason()).contains("NO_CHECKPOINTS_LEFT");
  }

  @Test
  void haltSecondsAreAsConfiguredUnlessTheHaltFileOverridesThem() throws Exception {
    start(new HaltPolicy((int) (2 * HOUR), false), OptionalLong.of(NOW + HOUR));
    try (RawRank rank = new RawRank(vertx, "n1", 0)) {
      RawRank.refused(rank.init(1, prefix), Fault.HALTED, "TIME_LIMIT", "s left");
      set(halt -> halt.withHaltSeconds(OptionalLong.of(HOUR / 2)));
      RawRank.ok(rank.init(1, prefix));
      RawRank.ok(rank.call(Verb.FINALIZE));
    }
  }

  /** The end of an allocation is not that of the job; the end of the job is reported in any allocation. */
  @Test
  void aJobThatRanOutOfTimeGoesOnInItsNextAllocationAndItsEndIsWrittenDownThen() throws Exception {
    start(new HaltPolicy(600, false), OptionalLong.of(NOW + HOUR));
    set(halt -> halt.because(Halt.Reason.TIME_LIMIT));
    try (RawRank rank = new RawRank(vertx, "n1", 0)) {
      RawRank.ok(rank.init(1, prefix));
      assertThat(Halts.of(prefix).read().reason()).as("the old reason goes").isEmpty();
      assertThat(checkpoint(rank).containsKey("halt")).isFalse();
      RawRank.ok(rank.call(Verb.FINALIZE));
    }
    assertThat(Halts.of(prefix).read().reason()).contains("SCR_FINALIZE_CALLED");
  }

  @Test
  void anUnknownEndOfTheAllocationIsReportedByTheStatus() throws Exception {
    start(new HaltPolicy(600, false), OptionalLong.empty());
    try (RawRank rank = new RawRank(vertx, "n1", 0)) {
      RawRank.ok(rank.init(1, prefix));
      assertThat(remarks()).singleElement().asString().contains("SCR_HALT_SECONDS=600 has no effect", "SCR_END_TIME");
      set(halt -> halt.withHaltSeconds(OptionalLong.of(0)));
      Eventually.holds("the halt file says otherwise", () -> remarks().isEmpty());
      RawRank.ok(rank.call(Verb.FINALIZE));
    }
  }

  private List<Object> remarks() {
    ScrClient client = cluster.client("n2");
    try {
      return List.copyOf((List<?>) client.status().get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS).get("remarks"));
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError(e);
    } finally {
      client.close();
    }
  }

  @Test
  void withAutomaticExitEveryRankFinalizesAfterTheCheckpointThatHalts() throws Exception {
    start(new HaltPolicy(0, true), OptionalLong.empty());
    EmbeddedRun run = new EmbeddedRun(cluster, prefix, List.of("n1", "n2"));
    AtomicInteger newest = new AtomicInteger();
    var ranks = run.start(scr -> {
      RankProgram.checkpoint(scr, prefix, 1, 2);
      if (scr.rank() == 0) {
        set(halt -> halt.withCheckpointsLeft(OptionalInt.of(1)));
      }
      for (int step = 2; ; step++) {                      // until the leader has seen it, and one more
        newest.accumulateAndGet(step, Math::max);
        RankProgram.checkpoint(scr, prefix, step, 2);
      }
    });
    for (CompletableFuture<?> rank : ranks) {
      assertThat(EmbeddedRun.failure(rank)).isInstanceOfSatisfying(ScrException.class, e -> {
        assertThat(e.fault()).isEqualTo(Fault.HALTED);
        assertThat(e.getMessage()).contains("NO_CHECKPOINTS_LEFT", "is complete");
      });
    }
    assertThat(Halts.of(prefix).read().reason()).contains("NO_CHECKPOINTS_LEFT");
    assertThat(flushed()).as("finalize has flushed the newest").first().isEqualTo("step-" + newest);
  }

  private List<String> flushed() {
    return new PrefixIndex(new PrefixPaths(prefix),
        PatientLocks.user("test", Duration.ofSeconds(30))).read().index().candidates()
        .stream().map(entry -> entry.name()).toList();
  }

  @Test
  void anImmediateHaltEndsWaitsAndCallsAtOnceAndFlushesWhatTheCachesHold() throws Exception {
    start();
    CountDownLatch computing = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    EmbeddedRun run = new EmbeddedRun(cluster, prefix, List.of("n1", "n2", "n2"));
    var ranks = run.start(scr -> {
      RankProgram.checkpoint(scr, prefix, 1, 2);
      if (scr.rank() == 0) {
        Output output = scr.startCheckpoint("step-2");
        output.complete(true);                            // waits for the others
      } else if (scr.rank() == 1) {
        Output output = scr.startCheckpoint("step-2");
        computing.countDown();
        ended.await();
        output.complete(true);                            // its next call
      } else {
        Output output = scr.startCheckpoint("step-2");
        ended.await();
        assertThatThrownBy(() -> output.complete(true))
            .isInstanceOf(ScrException.class).hasMessageContaining("ends now");
        scr.finish();                                     // takes its leave
      }
      return 0;
    });
    computing.await();
    set(halt -> halt.now("JOB_HALTED"));
    assertHalted(ranks.get(0));
    ended.countDown();
    assertHalted(ranks.get(1));
    assertThat(EmbeddedRun.all(List.of(ranks.get(2)))).isNotEmpty();
    Eventually.holds("the newest good checkpoint is in the prefix directory",
        () -> flushed().equals(List.of("step-1")));
    try (RawRank next = new RawRank(vertx, "n1", 0)) {
      RawRank.refused(next.init(1, prefix), Fault.HALTED, "JOB_HALTED");
    }
  }

  private static void assertHalted(CompletableFuture<?> rank) throws Exception {
    assertThat(EmbeddedRun.failure(rank)).isInstanceOfSatisfying(ScrException.class, e ->
        assertThat(e.fault()).as(e.getMessage()).isEqualTo(Fault.HALTED));
  }
}

package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.config.policy.IntervalPolicy;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.node.EmbeddedCluster;
import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.timing.Eventually;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: should-exit and need-checkpoint have one configured answer for all ranks, from memory. */
class AdviceTest {
  @TempDir
  Path directory;
  private final AtomicInteger toLeader = new AtomicInteger();
  private Vertx vertx;
  private Path prefix;
  private EmbeddedCluster cluster;

  @BeforeEach
  void open() throws Exception {
    vertx = Vertx.vertx();
    vertx.eventBus().addOutboundInterceptor(delivery -> {
      String address = delivery.message().address();
      if (List.of("n0", "n1", "n2").stream().anyMatch(node -> address.equals(NodeVerb.ADVICE.address(node)))) {
        toLeader.incrementAndGet();
      }
      delivery.next();
    });
    prefix = Files.createDirectories(directory.resolve("prefix"));
  }

  private void start(IntervalPolicy interval, String... nodes) {
    Map<String, String> parameters = Map.of("SCR_CACHE_SIZE", "2", "SCR_FLUSH", "0",
        "SCR_CHECKPOINT_INTERVAL", "" + interval.everyCalls(), "SCR_CHECKPOINT_SECONDS", "" + interval.seconds(),
        "SCR_CHECKPOINT_OVERHEAD", "" + interval.overheadPercent(),
        "SCR_CHECKPOINT_OPTIMAL", interval.optimal() ? "1" : "0");
    cluster = new EmbeddedCluster(vertx, TestSettings.in(directory, parameters), true);
    List.of(nodes).forEach(cluster::start);
  }

  @AfterEach
  void close() {
    cluster.close();
    vertx.close().await();
  }

  private EmbeddedRun run(String... nodeOfRank) {
    return new EmbeddedRun(cluster, prefix, List.of(nodeOfRank));
  }

  /** Elsewhere every call locks, reads and writes a file of the parallel file system. 2,000 to 7,000 calls a second. */
  @Test
  void ranksAtDifferentSpeedsExitAtTheSameCallWithFewLeaderMessages() throws Exception {
    start(IntervalPolicy.STANDARD, "n1", "n2");
    List<Integer> calls = EmbeddedRun.all(run("n1", "n1", "n2", "n2").start(scr -> {
      int call = 1;
      while (!scr.shouldExit()) {
        call++;
        if (scr.rank() == 3) {
          scr.route("slowly");
          scr.route("behind");
        } else if (scr.rank() == 0 && call == 200) {
          Halts.of(prefix).update(halt -> halt.withReason(Optional.of("JOB_HALTED")));
        }
      }
      assertThat(scr.shouldExit()).isTrue();
      scr.finish();
      return call;
    }));
    assertThat(calls).containsOnly(calls.getFirst());
    assertThat(calls.getFirst()).isGreaterThan(200);
    assertThat(toLeader.get()).as("questions to the leader in %d calls", calls.getFirst()).isLessThan(20);
  }

  @Test
  void anImmediateHaltIsToldToThoseWhoAskAndTheyMayTakeTheirLeave() throws Exception {
    start(IntervalPolicy.STANDARD, "n1");
    EmbeddedRun.all(run("n1", "n1").start(scr -> {
      if (scr.rank() == 0) {
        Halts.of(prefix).update(halt -> halt.now("JOB_HALTED"));
      }
      Eventually.holds("the ranks are told to exit", scr::shouldExit);
      scr.finish();
      return 0;
    }));
  }

  @Test
  void withoutAnIntervalEveryCallSaysYes() throws Exception {
    start(IntervalPolicy.STANDARD, "n1", "n2");
    assertThat(EmbeddedRun.all(run("n1", "n2").start(scr -> {
      for (int call = 0; call < 100; call++) {
        assertThat(scr.needCheckpoint()).isTrue();
      }
      scr.finish();
      return 0;
    }))).hasSize(2);
  }

  /** A user whose program checkpoints in each step must see why; one line for any number of calls. */
  @Test
  void rank0IsToldWithItsFirstCallWhatTheAnswersComeFrom() throws Exception {
    start(IntervalPolicy.STANDARD, "n1");
    try (RawRank zero = new RawRank(vertx, "n1", 0); RawRank one = new RawRank(vertx, "n1", 1)) {
      Future<JsonObject> first = zero.init(2, prefix);
      RawRank.ok(one.init(RawRank.initBody(1, 2, prefix.toString(), "test")));
      RawRank.ok(first);
      JsonObject none = new JsonObject();
      assertThat(RawRank.ok(one.numbered(Verb.NEED_CHECKPOINT, 1, none)).containsKey("remarks")).isFalse();
      assertThat(RawRank.ok(zero.numbered(Verb.NEED_CHECKPOINT, 1, none)).getJsonArray("remarks"))
          .singleElement().asString().startsWith("need-checkpoint says yes to every call: none of SCR_CHECKPOINT_");
      assertThat(RawRank.ok(zero.numbered(Verb.NEED_CHECKPOINT, 2, none)).containsKey("remarks")).isFalse();
    }
    assertThat(new IntervalPolicy(10, 600, 2.5, true).basis()).isEqualTo("need-checkpoint goes by"
        + " SCR_CHECKPOINT_INTERVAL=10, SCR_CHECKPOINT_SECONDS=600, SCR_CHECKPOINT_OVERHEAD=2.5,"
        + " SCR_CHECKPOINT_OPTIMAL=1");
  }

  @Test
  void everyNthCallSaysYesOnAllRanks() throws Exception {
    start(new IntervalPolicy(4, 0, 0, false), "n1", "n2");
    List<List<Integer>> yes = EmbeddedRun.all(run("n1", "n2", "n2").start(scr -> {
      List<Integer> mine = new ArrayList<>();
      for (int call = 1; call <= 20; call++) {
        if (scr.needCheckpoint()) {
          mine.add(call);
          RankProgram.checkpoint(scr, prefix, call, 1);
        }
      }
      scr.finish();
      return mine;
    }));
    assertThat(yes).containsOnly(List.of(4, 8, 12, 16, 20));
  }

  @Test
  void theOptimalIntervalIsFarLongerThanOneCheckpoint() throws Exception {
    start(new IntervalPolicy(0, 0, 0, true), "n1");
    EmbeddedRun.all(run("n1").start(scr -> {
      assertThat(scr.needCheckpoint()).as("the first tells what one costs").isTrue();
      RankProgram.checkpoint(scr, prefix, 1, 1);
      for (int call = 0; call < 200; call++) {
        assertThat(scr.needCheckpoint()).isFalse();
      }
      scr.finish();
      return 0;
    }));
  }

  @Test
  void aHaltConditionAsksForALastCheckpoint() throws Exception {
    start(new IntervalPolicy(1_000_000, 0, 0, false), "n1");
    EmbeddedRun.all(run("n1").start(scr -> {
      assertThat(scr.needCheckpoint()).isFalse();
      Halts.of(prefix).update(halt -> halt.withCheckpointsLeft(OptionalInt.of(0)));
      Eventually.holds("a last checkpoint is asked for", scr::needCheckpoint);
      scr.finish();
      return 0;
    }));
  }

  @Test
  void whenTheLeaderIsLostTheNextOneGoesOnWithTheSameAnswers() throws Exception {
    start(new IntervalPolicy(3, 0, 0, false), "n0", "n1", "n2");   // n0 leads and has no rank
    CountDownLatch halfway = new CountDownLatch(2);
    CountDownLatch lost = new CountDownLatch(1);
    var ranks = run("n1", "n2").start(scr -> {
      List<Boolean> mine = new ArrayList<>();
      for (int call = 1; call <= (scr.rank() == 0 ? 500 : 20); call++) {
        mine.add(scr.needCheckpoint());
      }
      assertThat(scr.shouldExit()).isFalse();
      halfway.countDown();
      lost.await();
      while (mine.size() < 1000) {
        mine.add(scr.needCheckpoint());
      }
      Halts.of(prefix).update(halt -> halt.withReason(Optional.of("JOB_HALTED")));
      int exits = 1;
      while (!scr.shouldExit()) {
        exits++;
      }
      scr.finish();
      return new JsonObject().put("need", mine.toString()).put("exits", exits);
    });
    halfway.await();
    cluster.kill("n0");
    lost.countDown();
    List<JsonObject> told = EmbeddedRun.all(ranks);
    assertThat(told).containsOnly(told.getFirst());
  }

  @Test
  void illegalQuestionsAreRefusedAndRepeatedOnesAreDeduplicated() throws Exception {
    start(new IntervalPolicy(2, 0, 0, false), "n1");
    try (RawRank rank = new RawRank(vertx, "n1", 0)) {
      RawRank.ok(rank.init(1, prefix));
      JsonObject none = new JsonObject();
      assertThat(RawRank.ok(rank.numbered(Verb.NEED_CHECKPOINT, 1, none)).getBoolean("need")).isFalse();
      assertThat(RawRank.ok(rank.numbered(Verb.NEED_CHECKPOINT, 2, none)).getBoolean("need")).isTrue();
      assertThat(RawRank.ok(rank.numbered(Verb.NEED_CHECKPOINT, 2, none)).getBoolean("need")).isTrue();
      RawRank.refused(rank.numbered(Verb.NEED_CHECKPOINT, 5, none), Fault.BAD_REQUEST, "call 5", "after call 2");
      RawRank.refused(rank.numbered(Verb.NEED_CHECKPOINT, 1, none), Fault.BAD_REQUEST, "call 1");
      RawRank.ok(rank.call(Verb.START_OUTPUT));
      assertThat(RawRank.ok(rank.numbered(Verb.SHOULD_EXIT, 1, none)).getBoolean("exit")).isFalse();
      RawRank.ok(rank.call(Verb.COMPLETE_OUTPUT));
      assertThat(RawRank.ok(rank.numbered(Verb.NEED_CHECKPOINT, 3, none)).getBoolean("need")).isFalse();
      RawRank.ok(rank.call(Verb.FINALIZE));
      RawRank.refused(rank.numbered(Verb.NEED_CHECKPOINT, 4, none), Fault.WRONG_STATE, "need-checkpoint", "legal");
      RawRank.refused(rank.numbered(Verb.SHOULD_EXIT, 2, none), Fault.WRONG_STATE, "should-exit");
    }
  }

  /** A program that writes checkpoints in another thread asks at any time, and at another one on each rank. */
  @Test
  void questionsAreAnsweredWhileACheckpointIsStartedWrittenAndCompleted() throws Exception {
    start(new IntervalPolicy(3, 0, 0, false), "n1");
    try (RawRank one = new RawRank(vertx, "n1", 0); RawRank other = new RawRank(vertx, "n1", 1)) {
      Future<JsonObject> first = one.init(2, prefix);
      RawRank.ok(other.init(RawRank.initBody(1, 2, prefix.toString(), "test")));
      RawRank.ok(first);
      JsonObject none = new JsonObject();
      int call = 0;
      for (Verb verb : List.of(Verb.START_OUTPUT, Verb.COMPLETE_OUTPUT)) {
        Future<JsonObject> waiting = one.call(verb);
        for (int last = call + 3; call < last;) {
          call++;
          JsonObject answer = RawRank.ok(one.numbered(Verb.NEED_CHECKPOINT, call, none));
          assertThat(answer.getBoolean("need")).as("call " + call).isEqualTo(call % 3 == 0);
          assertThat(RawRank.ok(one.numbered(Verb.SHOULD_EXIT, call, none)).getBoolean("exit")).isFalse();
        }
        assertThat(waiting.isComplete()).isFalse();
        RawRank.ok(other.call(verb));
        RawRank.ok(waiting);
      }
      for (int k = 1; k <= call; k++) {
        assertThat(RawRank.ok(other.numbered(Verb.NEED_CHECKPOINT, k, none)).getBoolean("need")).isEqualTo(k % 3 == 0);
      }
    }
  }

  @Test
  void whoAsksAheadIsToldAsFarAsTheAnswerIsTheSameAndEverybodyElseHearsTheSame() throws Exception {
    start(new IntervalPolicy(10, 0, 0, false), "n1");
    try (RawRank one = new RawRank(vertx, "n1", 0); RawRank other = new RawRank(vertx, "n1", 1)) {
      Future<JsonObject> first = one.init(2, prefix);
      RawRank.ok(other.init(RawRank.initBody(1, 2, prefix.toString(), "test")));
      RawRank.ok(first);
      JsonObject four = new JsonObject().put("ahead", 4);
      JsonObject all = new JsonObject().put("ahead", Limits.MAX_ANSWERS_AHEAD);
      JsonObject expected = new JsonObject().put("need", false).put("until", 5L)
          .put("remarks", new JsonArray().add("need-checkpoint goes by SCR_CHECKPOINT_INTERVAL=10"));
      assertThat(RawRank.ok(one.numbered(Verb.NEED_CHECKPOINT, 1, four))).isEqualTo(expected);
      assertThat(RawRank.ok(one.numbered(Verb.NEED_CHECKPOINT, 1, all))).as("again").isEqualTo(expected);
      RawRank.refused(one.numbered(Verb.NEED_CHECKPOINT, 2, all), Fault.BAD_REQUEST, "call 2", "after call 5");
      assertThat(RawRank.ok(one.numbered(Verb.NEED_CHECKPOINT, 6, all)).getLong("until")).isEqualTo(9);
      assertThat(RawRank.ok(one.numbered(Verb.NEED_CHECKPOINT, 10, all)))
          .isEqualTo(new JsonObject().put("need", true));
      RawRank.refused(one.numbered(Verb.NEED_CHECKPOINT, 11, new JsonObject().put("ahead", 32)), Fault.BAD_REQUEST,
          "'ahead' is 32, expected 0 to 31");

      assertThat(RawRank.ok(one.numbered(Verb.SHOULD_EXIT, 1, all)).getLong("until")).isEqualTo(32);
      Halts.of(prefix).update(halt -> halt.withReason(Optional.of("JOB_HALTED")));
      long others = 1;
      while (!RawRank.ok(other.numbered(Verb.SHOULD_EXIT, others, new JsonObject())).getBoolean("exit")) {
        others++;
      }
      assertThat(others).isGreaterThan(32);
      long own = 33;
      JsonObject told = RawRank.ok(one.numbered(Verb.SHOULD_EXIT, own, all));
      while (!told.getBoolean("exit")) {
        own = told.getLong("until", own) + 1;
        told = RawRank.ok(one.numbered(Verb.SHOULD_EXIT, own, all));
      }
      assertThat(own).isEqualTo(others);
    }
  }
}

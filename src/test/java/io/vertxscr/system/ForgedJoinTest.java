package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertxscr.model.Fault;
import io.vertxscr.protocol.Wire;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.run.JoinRun;
import io.vertxscr.protocol.node.run.RunJoined;
import io.vertxscr.service.run.LeaderService;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.simulation.VirtualSession;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: no message about ranks that do not wait keeps a run from beginning. Method: three nodes in virtual time, whose
 * messages bear the keys of their senders; n3 says to the leader, n1, that ranks wait which do not, of other runs and
 * of the one that begins, or says again what it has said once. It answers as a daemon does whose ranks these are not.
 */
@Timeout(60)
class ForgedJoinTest {
  /** The leader looks for the ranks that it has noted every five seconds. */
  private static final Duration FORGOTTEN = Duration.ofSeconds(7);

  @TempDir
  private Path directory;
  private VirtualCluster cluster;
  private VirtualRun run;

  @BeforeEach
  void start() throws IOException {
    cluster = VirtualClusters.in(new Random(1), directory, Map.of("SCR_CACHE_SIZE", "2"));
    cluster.start("n1", "n2", "n3");
    run = new VirtualRun(cluster, "n1", "n2", "n3");
  }

  private Future<Message<Object>> say(JoinRun join) {
    return cluster.await(cluster.say("n3", NodeVerb.JOIN.address("n1"), Buffer.buffer(Wire.toBytes(join)),
        new DeliveryOptions().setSendTimeout(60_000)));
  }

  private JoinRun join(String node, String job, int ranks, Integer... here) {
    return new JoinRun(node, "n1", cluster.prefix().toString(), job, ranks, List.of(here), Optional.empty(), 0);
  }

  private String waits() {
    LeaderService leader = cluster.services("n1").leader();
    return cluster.onLoop("n1", leader::waits).result().text();
  }

  private static Fault faultOf(Future<?> answer) {
    return Fault.of(((ReplyException) answer.cause()).failureCode());
  }

  @Test
  void nobodyJoinsInTheNameOfAnotherNode() {
    for (String node : List.of("n1", "n2")) {
      assertThat(faultOf(say(join(node, "test", 3, 0)))).isEqualTo(Fault.NOT_LEADER);
    }
    assertThat(waits()).isEqualTo("no run");
    assertThat(say(join("n3", "test", 3, 0)).succeeded()).as("in its own name").isTrue();
    assertThat(waits()).isEqualTo("init: 1 of 3 ranks");
  }

  @ParameterizedTest
  @CsvSource({"other, 5", "test, 3", "test, 1000000"})
  void ranksThatDoNotWaitAreForgotten(String job, int ranks) {
    assertThat(say(join("n3", job, ranks, 0, 1)).succeeded()).isTrue();
    assertThat(waits()).isEqualTo("init: 2 of " + ranks + " ranks");
    cluster.pass(FORGOTTEN);
    assertThat(waits()).isEqualTo("no run");
    assertThat(run.steps(1, 1)).isZero();
  }

  @Test
  void ranksThatCannotBeLeaveNothing() {
    for (int round = 0; round < 2; round++) {
      assertThat(say(join("n3", "other", 3)).succeeded()).isTrue();
      assertThat(waits()).isEqualTo("no run");
      RunJoined answer = Wire.fromBody(say(join("n3", "other", 3, 3, 7)).result().body(), RunJoined.class);
      assertThat(answer.refusals()).hasSize(2);
      assertThat(waits()).isEqualTo("no run");
      assertThat(run.steps(round + 1, round + 1)).isEqualTo(round);
    }
  }

  /** Of another program, or with a rank that another node has, before those who do wait. */
  @ParameterizedTest
  @CsvSource({"other, 5", "test, 3", "test, 1000000"})
  void ranksThatDoWaitTakeTheirPlaceAtOnce(String job, int ranks) {
    assertThat(say(join("n3", job, ranks, 0, 1)).succeeded()).isTrue();
    assertThat(run.steps(1, 1)).isZero();
    assertThat(run.steps(2, 2)).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"other, 5", "test, 3", "test, 1000000"})
  void ranksThatWaitAlreadyDoNotHearOfThem(String job, int ranks) {
    List<Future<Integer>> ends = new ArrayList<>();
    ends.add(run.start(0, this::oneStep));
    ends.add(run.start(1, this::oneStep));
    cluster.awaits("two of three", () -> waits().equals("init: 2 of 3 ranks"));
    for (int i = 0; i < 3; i++) {
      RunJoined answer = Wire.fromBody(say(join("n3", job, ranks, 0, 1)).result().body(), RunJoined.class);
      assertThat(answer.refusals()).hasSize(2).allSatisfy(refusal ->
          assertThat(Fault.of(refusal.fault())).isEqualTo(Fault.RANK_LOST));
      assertThat(waits()).isEqualTo("init: 2 of 3 ranks");
    }
    ends.add(run.start(2, this::oneStep));
    ends.forEach(end -> assertThat(cluster.await(end).succeeded()).as("%s", end).isTrue());
  }

  private Future<Integer> oneStep(VirtualSession session) {
    return run.restart(session).compose(from -> run.checkpoint(session, from + 1).compose(_ -> session.finish())
        .map(from));
  }

  /** Once while the next run is about to begin, and once after the end of all. */
  @Test
  void whatANodeHasSaidOnceIsOfNoUseAgain() {
    List<Buffer> said = new ArrayList<>();
    cluster.bus().watch(sent -> {
      if (sent.from().startsWith("n3/") && sent.address().equals(NodeVerb.JOIN.address("n1"))) {
        said.add((Buffer) sent.body());
      }
    });
    assertThat(run.steps(1, 1)).isZero();
    cluster.bus().watch(_ -> {});
    assertThat(said).isNotEmpty();
    for (Buffer old : said) {
      cluster.await(cluster.say("n3", NodeVerb.JOIN.address("n1"), old, new DeliveryOptions()));
    }
    assertThat(waits()).isEqualTo("init: 1 of 3 ranks");
    assertThat(run.in(cluster.prefix().resolveSibling("other")).start(0, this::oneStep)).isNotNull();
    cluster.pass(FORGOTTEN);
    assertThat(waits()).isEqualTo("init: 1 of 3 ranks");
  }

  /** True ranks that disagree are refused by name, as ever. */
  @Test
  void ranksThatWaitAndDisagreeEndTheBeginForAll() {
    Future<Integer> first = run.start(0, this::oneStep);
    cluster.awaits("one of three", () -> waits().equals("init: 1 of 3 ranks"));
    Future<Integer> other = new VirtualRun(cluster, "n1", "n2").start(1, this::oneStep);
    assertThat(Fault.of(cluster.await(other).cause())).isEqualTo(Fault.RANKS_DISAGREE);
    assertThat(Fault.of(cluster.await(first).cause())).isEqualTo(Fault.RANKS_DISAGREE);
  }
}

package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.NodeInfo;
import io.vertxscr.service.Membership;
import io.vertxscr.service.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Goal: views differ no longer than those of real members would.
 *
 * <p>Method: a node starts again while another one is cut off or stands still, too briefly to be missed. Each with many
 * seeds; replay with -Dseed=N.
 */
@Execution(ExecutionMode.CONCURRENT)
class VirtualMembersTest {
  private static final long FIRST = Long.getLong("seed", 1);
  private static final int SEEDS = Long.getLong("seed") == null ? 50 : 1;

  private VirtualTime time;
  private VirtualMembers members;
  private final Map<String, VirtualMembers.View> views = new TreeMap<>();
  private final List<String> left = new ArrayList<>();

  private void begin(long seed) {
    Random random = new Random(seed);
    time = new VirtualTime(random);
    members = new VirtualMembers(random, time.loop(), new Trace(time::nowNs, false));
    views.clear();
    List.of("n1", "n2", "n3", "n4").forEach(this::start);
    passes(Duration.ofMinutes(1));
    left.clear();
  }

  private void start(String name) {
    VirtualMembers.View view = members.view(new NodeInfo(name, "host", "127.0.0.1", 1), time.loop());
    view.listen(new Membership.Listener() {
      @Override
      public void joined(NodeInfo node) {
        // what counts is whom the view has in the end
      }

      @Override
      public void left(NodeInfo node) {
        left.add(name + " of " + node.name());
      }
    });
    views.put(name, view);
    members.begins(view);
  }

  private void passes(Duration some) {
    time.runUntil(() -> false, some);
  }

  private void startAgain() {
    members.ends("n2", 0);
    passes(Duration.ofSeconds(1));
    left.clear();
    start("n2");
    passes(Duration.ofSeconds(1));
  }

  private void allSeeAll(String when) {
    passes(Duration.ofMillis(100));
    views.values().forEach(view -> assertThat(view.nodes().stream().map(NodeInfo::name)).as(when)
        .containsExactlyInAnyOrder("n1", "n2", "n3", "n4"));
    passes(Duration.ofMinutes(1));
    assertThat(left).as(when).isEmpty();
  }

  @Test
  void aNodeThatNobodyHearsForAMomentLearnsOfANewOneAfterwards() {
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      begin(seed);
      members.cut(Set.of("n3"), Set.of("n1", "n2", "n4"));
      startAgain();
      members.heal(Set.of("n3"), Set.of("n1", "n2", "n4"));
      allSeeAll("seed " + seed);
    }
  }

  @Test
  void aNodeThatIsCutOffForAMomentLearnsOfANewOneAfterwards() {
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      begin(seed);
      members.cut(Set.of("n3"), Set.of("n1", "n2", "n4"));
      members.cut(Set.of("n1", "n2", "n4"), Set.of("n3"));
      startAgain();
      assertThat(views.get("n3").nodes()).as("seed " + seed).hasSize(3);
      members.heal(Set.of("n3"), Set.of("n1", "n2", "n4"));
      members.heal(Set.of("n1", "n2", "n4"), Set.of("n3"));
      allSeeAll("seed " + seed);
    }
  }

  @Test
  void aNodeThatStandsStillForAMomentLearnsOfANewOneAfterwards() {
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      begin(seed);
      members.pause("n3");
      startAgain();
      members.resume("n3");
      allSeeAll("seed " + seed);
    }
  }

  @Test
  void aNodeThatStartsAgainBehindACutHasOneLeaderWithAll() {
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      begin(seed);
      members.cut(Set.of("n1", "n4"), Set.of("n2", "n3"));
      members.cut(Set.of("n2", "n3"), Set.of("n1", "n4"));
      passes(Duration.ofMillis(100 * (seed % 50)));
      members.ends("n1", 8_000);
      start("n1");
      passes(Duration.ofMillis(4_000 + 100 * (seed % 40)));
      members.heal(Set.of("n1", "n4"), Set.of("n2", "n3"));
      members.heal(Set.of("n2", "n3"), Set.of("n1", "n4"));
      passes(Duration.ofMinutes(1));
      views.values().forEach(view -> assertThat(view.nodes().stream().map(NodeInfo::name))
          .containsExactlyInAnyOrder("n1", "n2", "n3", "n4"));
      assertThat(views.values().stream().map(view -> view.leader().name()).distinct()).as("seed " + seed).hasSize(1);
    }
  }
}

package io.vertxscr.flow.advice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Goal: the k-th call of every rank gets the same answer for any order of events, without deadlock. Method: seeded
 * walks of ranks, messages that overtake each other and are told twice, changes of mind and changes of the leader,
 * against a map of what the first rank was told. Replay with -Dseed=N.
 */
@Execution(ExecutionMode.CONCURRENT)
class AnswersWalkTest {
  private static final int WALKS = 3000;
  private static final int STEPS = 400;

  /** A message on its way. */
  private record Mail(Runnable delivery, boolean again) {}

  private static final class Walk {
    private final Random random;
    private final List<String> names = new ArrayList<>();
    private final Map<String, NodeAnswers> nodes = new HashMap<>();
    private final Map<String, long[]> calls = new HashMap<>();
    private final List<Mail> mails = new ArrayList<>();
    private final List<String> asking = new ArrayList<>();
    private final List<Runnable> held = new ArrayList<>();
    private final Map<Long, Rule> told = new HashMap<>();
    private LeaderAnswers leader;
    private Advice wanted = new Advice(Rule.NO, false);
    private int epoch;

    Walk(long seed) {
      random = new Random(seed);
      int count = 1 + random.nextInt(4);
      for (int n = 0; n < count; n++) {
        names.add("n" + n);
        nodes.put("n" + n, new NodeAnswers());
        calls.put("n" + n, new long[1 + random.nextInt(3)]);
      }
      leader = new LeaderAnswers(names, 0, true);
    }

    void step() {
      int dice = random.nextInt(100);
      if (dice < 50) {
        call(names.get(random.nextInt(names.size())));
      } else if (dice < 92) {
        deliver();
      } else if (dice < 98) {
        wanted = new Advice(new Rule(random.nextInt(4), "why"), random.nextInt(4) == 0);
        settle();
      } else {
        newLeader();
      }
    }

    /** Some rank of the node goes on, if it can. */
    private void call(String node) {
      long[] ranks = calls.get(node);
      int rank = random.nextInt(ranks.length);
      boolean repeat = ranks[rank] > 0 && random.nextInt(5) == 0;
      long number = repeat ? ranks[rank] : ranks[rank] + 1;
      Optional<Rule> rule = nodes.get(node).answer(number);
      if (rule.isEmpty()) {
        assertThat(repeat).as("a repeated call is known").isFalse();
        ask(node);
        return;
      }
      boolean yes = rule.get().yesTo(number);
      hear(node, number, yes, rule.get());
      ranks[rank] = number;
      if (!repeat && random.nextInt(3) == 0) {
        ranks[rank] = nodes.get(node).sameUntil(number, yes, number + random.nextInt(8));
        for (long next = number + 1; next <= ranks[rank]; next++) {
          hear(node, next, yes, nodes.get(node).answer(next).orElseThrow());
        }
      }
    }

    private void hear(String node, long number, boolean yes, Rule rule) {
      Rule first = told.putIfAbsent(number, rule);
      if (first != null) {
        assertThat(yes).as("call %d on %s", number, node).isEqualTo(first.yesTo(number));
      }
    }

    private void ask(String node) {
      if (asking.contains(node)) {
        return;
      }
      asking.add(node);
      int asked = epoch;
      long known = nodes.get(node).known();
      long slowest = slowest(node);
      send(() -> {
        if (asked == epoch) {
          arrive(node, known, slowest);
        } else {
          asking.remove(node);                            // the old leader is gone: asks the next one again
        }
      });
    }

    private long slowest(String node) {
      return java.util.Arrays.stream(calls.get(node)).min().orElseThrow();
    }

    private void arrive(String node, long known, long slowest) {
      settle();
      if (leader.isWithdrawing()) {
        int asked = epoch;
        held.add(() -> {
          if (asked == epoch) {
            arrive(node, known, slowest);
          }
        });
        return;
      }
      Grant grant = leader.grant(node, known, slowest, wanted);
      send(() -> {
        asking.remove(node);
        nodes.get(node).learn(grant);
      });
    }

    private void settle() {
      if (leader.mustWithdraw(wanted)) {
        tell(leader.withdraw());
      }
    }

    private void tell(long version) {
      int telling = epoch;
      long known = leader.known();
      for (String node : names) {
        send(() -> {
          Withdrawn said = nodes.get(node).withdraw(version, known, slowest(node));
          send(() -> {
            if (telling == epoch) {
              leader.withdrawn(node, said);
              if (!leader.isWithdrawing()) {
                List<Runnable> waiting = List.copyOf(held);
                held.clear();
                waiting.forEach(Runnable::run);
              }
            }
          });
        });
      }
    }

    private void newLeader() {
      epoch++;
      held.clear();
      asking.clear();
      leader = new LeaderAnswers(names, (long) epoch << 32, false);
      tell(leader.withdraw());
    }

    private void send(Runnable delivery) {
      mails.add(new Mail(delivery, random.nextInt(20) == 0));
    }

    private void deliver() {
      if (!mails.isEmpty()) {
        Mail mail = mails.remove(random.nextInt(mails.size()));
        if (mail.again()) {
          mails.add(new Mail(mail.delivery(), false));
        }
        mail.delivery().run();
      }
    }

    /** In the end everybody gets as far as the first, and a change of mind reaches all. */
    void finish() {
      long most = calls.values().stream().flatMapToLong(java.util.Arrays::stream).max().orElseThrow();
      wanted = new Advice(Rule.yes("at last"), false);
      settle();
      while (!mails.isEmpty()) {
        deliver();
      }
      for (int i = 0; i < 100_000; i++) {
        call(names.get(random.nextInt(names.size())));
        deliver();
      }
      for (long[] ranks : calls.values()) {
        for (long rank : ranks) {
          assertThat(rank).isGreaterThan(most);
        }
      }
      assertThat(told.get(told.keySet().stream().max(Long::compare).orElseThrow())).isEqualTo(Rule.yes("at last"));
    }
  }

  @Test
  void everyRanksKthCallGetsTheSameAnswerForAnyOrderOfMessages() {
    long only = Long.getLong("seed", -1);
    for (long seed = only >= 0 ? only : 0; seed < (only >= 0 ? only + 1 : WALKS); seed++) {
      try {
        Walk walk = new Walk(seed);
        for (int step = 0; step < STEPS; step++) {
          walk.step();
        }
        if (seed % 100 == 0 || only >= 0) {
          walk.finish();
        }
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }

  @Test
  void aStableAnswerNeedsNoMessageAndANewOneTakesEffectAtTheForemostCall() {
    LeaderAnswers leader = new LeaderAnswers(List.of("a", "b"), 0, true);
    NodeAnswers a = new NodeAnswers();
    NodeAnswers b = new NodeAnswers();
    Advice no = new Advice(Rule.NO, false);
    a.learn(leader.grant("a", a.known(), 0, no));
    b.learn(leader.grant("b", b.known(), 0, no));
    for (long call = 1; call <= 1_000_000; call++) {
      assertThat(a.answer(call)).contains(Rule.NO);
    }
    assertThat(b.answer(3)).contains(Rule.NO);
    Advice yes = new Advice(Rule.yes("TIME_LIMIT"), false);
    assertThat(leader.mustWithdraw(yes)).isTrue();
    long version = leader.withdraw();
    leader.withdrawn("a", a.withdraw(version, leader.known(), 1_000_000));
    assertThat(leader.isWithdrawing()).isTrue();
    leader.withdrawn("b", b.withdraw(version, leader.known(), 3));
    assertThat(a.answer(1_000_001)).isEmpty();
    assertThat(b.answer(4)).isEmpty();
    b.learn(leader.grant("b", b.known(), 3, yes));
    a.learn(leader.grant("a", a.known(), 1_000_000, yes));
    assertThat(b.answer(1_000_000)).contains(Rule.NO);
    assertThat(b.answer(1_000_001)).contains(Rule.yes("TIME_LIMIT"));
    assertThat(a.answer(1_000_001)).contains(Rule.yes("TIME_LIMIT"));
  }

  @Test
  void anAnswerThatIsMeantOnceIsGivenToOneCallOfEveryRank() {
    LeaderAnswers leader = new LeaderAnswers(List.of("a", "b"), 0, true);
    NodeAnswers a = new NodeAnswers();
    NodeAnswers b = new NodeAnswers();
    a.learn(leader.grant("a", 0, 0, new Advice(Rule.yes("due"), true)));
    assertThat(a.answer(1).orElseThrow().yesTo(1)).isTrue();
    assertThat(a.answer(2)).isEmpty();
    a.learn(leader.grant("a", a.known(), 1, new Advice(Rule.NO, false)));
    assertThat(a.answer(2)).contains(Rule.NO);
    b.learn(leader.grant("b", 0, 0, new Advice(Rule.NO, false)));
    assertThat(b.answer(1).orElseThrow().yesTo(1)).isTrue();
    assertThat(b.answer(2)).contains(Rule.NO);
  }

  @Test
  void whatNobodyAsksForAgainIsForgotten() {
    LeaderAnswers leader = new LeaderAnswers(List.of("a"), 0, true);
    NodeAnswers a = new NodeAnswers();
    for (long call = 1; call <= 1000; call++) {
      a.learn(leader.grant("a", a.known(), call - 1, new Advice(call % 2 == 0 ? Rule.NO : Rule.yes("due"), true)));
      assertThat(a.answer(call)).isPresent();
    }
    assertThat(a.withdraw(1, 0, 1000).spans()).hasSizeLessThan(4);
    assertThat(a.answer(999)).isPresent();
    assertThat(a.answer(1)).isEmpty();
  }
}

package io.vertxscr.flow.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import io.vertxscr.flow.restart.Inventory.Held;
import io.vertxscr.flow.restart.RestorePlan.Action;
import io.vertxscr.flow.restart.RestorePlan.Member;
import io.vertxscr.flow.restart.RestorePlan.RankPlan;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: the planner finds a plan exactly if one exists; plans work, refusals name the lost rank.
 *
 * <p>Method: every subset of lost or corrupt files and redundancy files; every map of ranks (where they are more than
 * four: of the ranks of a node together) onto the nodes and a spare, in turns where the product is too large; against
 * an oracle that knows the losses and nothing of the planner.
 */
@Execution(ExecutionMode.CONCURRENT)
class RestorePlannerExhaustiveTest {
  private static final int MOST_PLANS = 20_000;
  private static final DatasetDescriptor DATASET = RestorePlannerTest.dataset(5, 1000);

  /** A run, in which set {@code i} is made of the ranks {@code node * ranksPerNode + i} of all nodes. */
  private record Run(int nodes, int ranksPerNode, Scheme scheme) {
    int ranks() {
      return nodes * ranksPerNode;
    }

    int failures() {
      return scheme == Scheme.RS ? Math.min(2, nodes - 1) : 1;
    }

    String home(int rank) {
      return "n" + rank / ranksPerNode;
    }

    List<Integer> set(int rank) {
      return IntStream.range(0, nodes).mapToObj(node -> node * ranksPerNode + rank % ranksPerNode).toList();
    }
  }

  /** Survivors: bit {@code 2 * rank} its files, bit {@code 2 * rank + 1} its redundancy file. */
  private record Left(int bits) {
    boolean files(int rank) {
      return (bits >> 2 * rank & 1) != 0;
    }

    boolean redundancy(int rank) {
      return (bits >> 2 * rank + 1 & 1) != 0;
    }

    boolean canBeHad(int rank, Run run) {
      List<Integer> set = run.set(rank);
      return files(rank) || switch (run.scheme()) {
        case SINGLE -> false;
        case PARTNER -> redundancy(set.get((set.indexOf(rank) + 1) % set.size()));
        case XOR, RS -> IntStream.range(0, set.size())
            .mapToObj(first -> IntStream.range(0, set.size()).mapToObj(i -> set.get((first + i) % set.size())).toList())
            .allMatch(stripe -> stripe.indexOf(rank) < run.failures() || canBeFilled(stripe, run.failures()));
      };
    }

    /** A stripe, its holders of parity first: it has as much parity as it lacks data. */
    private boolean canBeFilled(List<Integer> stripe, int failures) {
      return stripe.subList(0, failures).stream().filter(this::redundancy).count()
          >= stripe.subList(failures, stripe.size()).stream().filter(rank -> !files(rank)).count();
    }
  }

  @ParameterizedTest
  @CsvSource({"2,1", "3,1", "4,1", "2,2", "3,2", "4,2"})
  void plansExactlyWhatExists(int nodes, int ranksPerNode) {
    for (Scheme scheme : Scheme.values()) {
      Run run = new Run(nodes, ranksPerNode, scheme);
      List<RankMap> maps = maps(run);
      int turns = Math.min(maps.size(), Math.ceilDiv((1 << 2 * run.ranks()) * maps.size(), MOST_PLANS));
      for (int bits = 0; bits < 1 << 2 * run.ranks(); bits++) {
        List<Inventory> inventories = inventories(run, new Left(bits));
        for (int i = bits % turns; i < maps.size(); i += turns) {
          check(run, new Left(bits), maps.get(i), inventories);
        }
      }
    }
  }

  private static List<RankMap> maps(Run run) {
    List<RankMap> maps = new ArrayList<>();
    int places = run.nodes() + 1;
    int moving = run.ranks() <= 4 ? run.ranks() : run.nodes();  // rank by rank, or the ranks of a node together
    for (int code = 0; code < Math.pow(places, moving); code++) {
      List<String> map = new ArrayList<>();
      for (int rank = 0; rank < run.ranks(); rank++) {
        int mover = moving == run.ranks() ? rank : rank / run.ranksPerNode();
        map.add("n" + code / (int) Math.pow(places, mover) % places);
      }
      maps.add(new RankMap(map));
    }
    return maps;
  }

  private static List<Inventory> inventories(Run run, Left left) {
    List<Inventory> inventories = new ArrayList<>();
    for (int node = 0; node <= run.nodes(); node++) {
      List<Held> held = new ArrayList<>();
      for (int rank = 0; rank < run.ranks(); rank++) {
        if (run.home(rank).equals("n" + node) && (left.files(rank) || left.redundancy(rank))) {
          held.add(new Held(rank, new RedundancySet(run.set(rank), run.failures()), left.files(rank),
              left.redundancy(rank)));
        }
      }
      inventories.add(new Inventory("n" + node, held.isEmpty() ? List.of() : List.of(new Inventory.Dataset(
          DATASET, new Origin("/p", run.ranks()), "/tmp", RestorePlannerTest.redundancy(run.scheme()),
          FlushState.WANTED, held))));
    }
    return inventories;
  }

  private static void check(Run run, Left left, RankMap map, List<Inventory> inventories) {
    int lost = IntStream.range(0, run.ranks()).filter(r -> !left.canBeHad(r, run)).findFirst().orElse(-1);
    Supplier<String> where = () -> run + " left " + Integer.toBinaryString(left.bits()) + " on " + map.nodes();
    try {
      RestorePlan plan = RestorePlanner.plan(DATASET, inventories, map);
      if (lost >= 0) {
        fail(where.get() + ": rank " + lost + " is lost, yet there is a plan: " + plan);
      }
      checkPlan(run, left, map, plan, where);
    } catch (ScrException refused) {
      if (lost < 0 || refused.fault() != Fault.TOO_MANY_LOST || !refused.getMessage().contains("dataset 5 \"d5\"")
          || !refused.getMessage().contains("the files of rank " + lost + " are lost, and ")) {
        fail(where.get() + ": lost is " + lost + ", refused with " + refused);
      }
    }
  }

  private static void checkPlan(Run run, Left left, RankMap map, RestorePlan plan, Supplier<String> where) {
    boolean inPlace = true;
    List<Integer> planned = new ArrayList<>();
    for (var perNode : plan.perNode().entrySet()) {
      for (RankPlan rank : perNode.getValue()) {
        planned.add(rank.rank());
        inPlace &= left.files(rank.rank()) && left.redundancy(rank.rank())
            && run.home(rank.rank()).equals(perNode.getKey());
        if (!map.nodeOf(rank.rank()).equals(perNode.getKey()) || !canBeDone(run, left, perNode.getKey(), rank)) {
          fail(where.get() + ": node " + perNode.getKey() + " cannot do " + rank);
        }
      }
    }
    boolean allOnce = planned.stream().sorted().toList().equals(IntStream.range(0, run.ranks()).boxed().toList());
    if (!allOnce || plan.protectedNow() != (inPlace || run.scheme() == Scheme.SINGLE)) {
      fail(where.get() + ": ranks " + planned + ", protected " + plan.protectedNow() + ", in place " + inPlace);
    }
  }

  /** Whether this is the right way, and all that it names is where the plan says. */
  private static boolean canBeDone(Run run, Left left, String node, RankPlan plan) {
    String home = run.home(plan.rank());
    if (!plan.set().ranks().equals(run.set(plan.rank()))) {
      return false;
    }
    return switch (plan.action()) {
      case KEEP -> left.files(plan.rank()) && home.equals(node) && plan.source().isEmpty();
      case MOVE -> left.files(plan.rank()) && !home.equals(node) && plan.source().equals(home);
      case REBUILD -> !left.files(plan.rank()) && IntStream.range(0, run.nodes()).allMatch(i -> {
        int member = run.set(plan.rank()).get(i);
        return plan.members().get(i).equals(new Member(
            left.files(member) ? run.home(member) : "", left.redundancy(member) ? run.home(member) : ""));
      });
    };
  }

  /** A crash during a new protection: each of four nodes has switched to the new sets, or not; any loss. */
  @ParameterizedTest
  @EnumSource(names = {"PARTNER", "XOR"})
  void aRedundancyFileCountsForNoOtherSetThanItsOwn(Scheme scheme) {
    List<RedundancySet> before = sets(List.of(0, 1), List.of(0, 1), List.of(2, 3), List.of(2, 3));
    List<RedundancySet> after = sets(List.of(0, 2), List.of(1, 3), List.of(0, 2), List.of(1, 3));
    int refused = 0;
    for (int committed = 0; committed < 16; committed++) {
      List<RedundancySet> own = new ArrayList<>();
      for (int rank = 0; rank < 4; rank++) {
        own.add((committed >> rank & 1) != 0 ? after.get(rank) : before.get(rank));
      }
      for (int bits = 0; bits < 256; bits++) {
        refused += mixed(scheme, own, new Left(bits)) ? 0 : 1;
      }
    }
    assertThat(refused).isBetween(1, 16 * 256 - 1);
  }

  @SafeVarargs
  @SuppressWarnings("varargs")
  private static List<RedundancySet> sets(List<Integer>... sets) {
    return Arrays.stream(sets).map(RedundancySet::new).toList();
  }

  private static boolean mixed(Scheme scheme, List<RedundancySet> own, Left left) {
    List<Inventory> inventories = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      if (left.files(rank) || left.redundancy(rank)) {
        inventories.add(RestorePlannerTest.inventory("n" + rank, DATASET, scheme,
            new Held(rank, own.get(rank), left.files(rank), left.redundancy(rank))));
      }
    }
    boolean feasible = true;
    for (int rank = 0; rank < 4; rank++) {
      // All sets are pairs: the one other member must have its redundancy of this very set, a copy with XOR, too.
      boolean rebuilt = false;
      for (int other = 0; other < 4; other++) {
        rebuilt |= other != rank && own.get(other).ranks().contains(rank) && left.redundancy(other);
      }
      feasible &= left.files(rank) || rebuilt;
    }
    String where = scheme + " own sets " + own + " left " + Integer.toBinaryString(left.bits());
    RestorePlan plan;
    try {
      plan = RestorePlanner.plan(DATASET, inventories, new RankMap(List.of("n0", "n1", "n2", "n3")));
    } catch (ScrException refused) {
      assertThat(feasible).as(where).isFalse();
      return false;
    }
    assertThat(feasible).as(where).isTrue();
    boolean agree = IntStream.range(0, 4).allMatch(r -> own.get(r).ranks().stream().allMatch(
        m -> own.get(m).equals(own.get(r))));
    if (plan.protectedNow() != (left.bits() == 255 && agree)) {
      fail(where + ": protected " + plan.protectedNow());
    }
    plan.perNode().values().stream().flatMap(List::stream).filter(p -> p.action() == Action.REBUILD).forEach(p -> {
      for (int i = 0; i < 2; i++) {
        int member = p.set().ranks().get(i);
        boolean has = left.redundancy(member) && own.get(member).equals(p.set());
        if (!p.members().get(i).redundancyNode().equals(has ? "n" + member : "")) {
          fail(where + ": " + p);
        }
      }
    });
    return true;
  }
}

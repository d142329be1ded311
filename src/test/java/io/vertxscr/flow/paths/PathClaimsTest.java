package io.vertxscr.flow.paths;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.flow.gather.NodeContribution;
import io.vertxscr.flow.paths.NodePaths.Second;
import io.vertxscr.flow.paths.PathClaims.Taken;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Goal: every path of two ranks is found, for any order in which nodes ask, and any number of times. */
class PathClaimsTest {
  private static final int ROUNDS = 400;
  private static final int MOST = 5;

  private final PathClaims claims = new PathClaims(MOST);

  private List<Taken> claim(long gather, String node, int rank, String... paths) {
    return claims.claim(gather, node, Collections.nCopies(paths.length, rank),
        List.of(paths).stream().map(PathHash::of).toList());
  }

  private static void refused(Fault fault, ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(fault));
  }

  @Test
  void theSecondToClaimAPathHearsOfTheFirstHoweverOftenItAsks() {
    for (int times = 0; times < 2; times++) {
      assertThat(claim(3, "a", 0, "x", "y")).isEmpty();
    }
    for (int times = 0; times < 2; times++) {
      assertThat(claim(3, "b", 1, "z", "y", "x")).containsExactly(new Taken(1, 0, "a"), new Taken(2, 0, "a"));
      assertThat(claim(3, "a", 0, "x", "y")).isEmpty();
    }
  }

  @Test
  void aGatherKnowsNothingOfTheClaimsOfAnother() {
    claim(3, "a", 0, "x");
    assertThat(claim(4, "b", 1, "x")).isEmpty();
    claims.end(4);
    assertThat(claim(5, "c", 2, "x")).isEmpty();
    claims.end(4);                                         // of long ago: takes nothing away
    assertThat(claim(5, "d", 3, "x")).containsExactly(new Taken(0, 2, "c"));
  }

  @Test
  void aClaimForAGatherThatIsOverIsRefusedAndHidesNothing() {
    claim(3, "a", 0, "x");
    claim(4, "b", 1, "x");
    refused(Fault.WRONG_STATE, () -> claim(3, "c", 2, "x"));
    assertThat(claim(4, "c", 2, "x")).containsExactly(new Taken(0, 1, "b"));
    claims.end(4);
    refused(Fault.WRONG_STATE, () -> claim(4, "c", 2, "x"));
  }

  @Test
  void morePathsThanTheLimitAreRefusedAndNoneIsForgotten() {
    claim(1, "a", 0, "1", "2", "3");
    refused(Fault.BUSY, () -> claim(1, "b", 1, "4", "5", "6"));
    assertThat(claim(1, "c", 2, "3", "1")).containsExactly(new Taken(0, 0, "a"), new Taken(1, 0, "a"));
    assertThat(claim(2, "b", 1, "1", "2", "3", "4", "5")).isEmpty();
  }

  @Test
  void aClaimWithoutARankForEachPathIsRefused() {
    refused(Fault.BAD_REQUEST, () -> claims.claim(1, "a", List.of(1), List.of()));
  }

  /** Against a map of all paths: each rank that has a path of another one is told, but for one of them. */
  @Test
  void ofAllRanksWithOnePathAllButOneAreToldInAnyOrderOfMessages() {
    long seed = Long.getLong("seed", 1);
    System.out.println("PathClaimsTest -Dseed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      List<String> nodes = IntStream.range(0, 1 + random.nextInt(5)).mapToObj(i -> "n" + i).toList();
      int names = 1 + random.nextInt(30);
      Map<String, Set<Integer>> ranksOfPath = new HashMap<>();
      Map<String, NodePaths> paths = new HashMap<>();
      int rank = 0;
      for (String node : nodes) {
        List<RankFiles> ranks = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--, rank++) {
          Set<String> files = new HashSet<>();
          for (int file = random.nextInt(5); file > 0; file--) {
            files.add("d/" + random.nextInt(names));
          }
          for (String path : files) {
            ranksOfPath.computeIfAbsent(path, _ -> new HashSet<>()).add(rank);
          }
          ranks.add(new RankFiles(rank, files.stream().map(PathClaimsTest::file).toList()));
        }
        paths.put(node, NodePaths.of(node, ranks, nodes));
      }
      assertThat(told(nodes, paths, random)).as("round " + round).isEqualTo(expected(ranksOfPath));
    }
  }

  private static FileMeta file(String path) {
    return new FileMeta(path, path, 0, OptionalInt.empty());
  }

  /** Returns how many ranks must be told of each path. */
  private static Map<String, Integer> expected(Map<String, Set<Integer>> ranksOfPath) {
    Map<String, Integer> expected = new TreeMap<>();
    ranksOfPath.forEach((path, ranks) -> {
      if (ranks.size() > 1) {
        expected.put(path, ranks.size() - 1);
      }
    });
    return expected;
  }

  /** Returns the result of messages in some order, some duplicated; the last answer counts. */
  private static Map<String, Integer> told(List<String> nodes, Map<String, NodePaths> paths, Random random) {
    Map<String, PathClaims> owners = new HashMap<>();
    nodes.forEach(node -> owners.put(node, new PathClaims(1 << 10)));
    List<String[]> messages = new ArrayList<>();
    paths.forEach((node, of) -> of.byOwner().keySet().forEach(owner -> {
      for (int times = random.nextInt(2); times >= 0; times--) {
        messages.add(new String[] {node, owner});
      }
    }));
    Collections.shuffle(messages, random);
    Map<List<String>, List<Second>> answers = new HashMap<>();
    for (String[] message : messages) {
      var claim = paths.get(message[0]).byOwner().get(message[1]);
      List<PathHash> sent = PathHash.unpack(PathHash.pack(claim.hashes()));
      answers.put(List.of(message),
          claim.seconds(message[0], owners.get(message[1]).claim(1, message[0], claim.ranks(), sent)));
    }
    paths.forEach((node, of) -> answers.put(List.of(node, "itself"), of.here()));
    Map<String, Integer> told = new TreeMap<>();
    answers.values().forEach(seconds -> seconds.forEach(second -> {
      assertThat(second.rank().part()).isNotEqualTo(second.first().part());
      told.merge(second.path(), 1, Integer::sum);
    }));
    return told;
  }

  @Test
  void theSentenceNamesBothRanksTheLowerOneFirst() {
    var second = new Second("out/f", new NodeContribution<>("a", 3), new NodeContribution<>("b", 12));
    var turned = new Second("out/f", new NodeContribution<>("b", 12), new NodeContribution<>("a", 3));
    assertThat(second.inWords()).isEqualTo("out/f is written by rank 3 on node a and by rank 12 on node b");
    assertThat(turned.inWords()).isEqualTo(second.inWords());
  }
}

package io.vertxscr.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Goal: daemons count as one cluster only where they all say so, and the rest is told apart. */
class AgreementTest {
  private static final List<String> NODES = List.of("a", "b", "c", "d");

  private static Set<String> subset(int bits) {
    Set<String> set = new TreeSet<>();
    for (int i = 0; i < NODES.size(); i++) {
      if ((bits & 1 << i) != 0) {
        set.add(NODES.get(i));
      }
    }
    return set;
  }

  @Test
  void allThatLiveMustSeeExactlyEachOther() {
    Set<String> ab = Set.of("a", "b");
    assertThat(Agreement.isComplete(ab, Map.of("a", ab, "b", ab))).isTrue();
    assertThat(Agreement.isComplete(ab, Map.of("a", ab, "b", ab, "c", Set.of("c")))).as("c is dead").isTrue();
    assertThat(Agreement.isComplete(ab, Map.of("a", ab))).isFalse();
    assertThat(Agreement.isComplete(ab, Map.of("a", ab, "b", Set.of("b")))).isFalse();
    assertThat(Agreement.isComplete(ab, Map.of("a", Set.of("a", "b", "c"), "b", ab))).as("a sees the dead").isFalse();
  }

  /** Every way in which four nodes can be cut into two clusters. */
  @Test
  void ofTwoClustersTheLargerOneCounts() {
    for (int bits = 0; bits < 16; bits++) {
      Set<String> one = subset(bits);
      Set<String> other = subset(15 ^ bits);
      Map<String, Set<String>> seenBy = new HashMap<>();
      one.forEach(node -> seenBy.put(node, one));
      other.forEach(node -> seenBy.put(node, other));
      Set<String> expected = one.size() > other.size() || one.size() == other.size() && one.contains("a") ? one : other;
      assertThat(Agreement.together(seenBy)).isEqualTo(expected);
    }
  }

  @Test
  void whoDidNotAnswerOrSeesNotEvenItselfIsNotAmongThem() {
    Set<String> abc = Set.of("a", "b", "c");
    assertThat(Agreement.together(Map.of("a", abc, "b", abc))).containsExactly("a", "b");
    assertThat(Agreement.together(Map.of("a", Set.of("b")))).isEmpty();
    assertThat(Agreement.together(Map.of())).isEmpty();
  }
}

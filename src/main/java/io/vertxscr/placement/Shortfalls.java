package io.vertxscr.placement;

import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Unmet redundancy requirements of a run because of its failure groups, in sentences for its user. */
public final class Shortfalls {
  private static final String NODE = "NODE";

  private Shortfalls() {}

  /** @param weaker whether fewer losses are survived than was asked for */
  record Shortfall(String sentence, boolean weaker) {}

  /** One sentence for each descriptor whose sets survive less than it asks for. */
  public static List<String> of(Descriptors descriptors, RankMap map) {
    return all(descriptors, map).filter(Shortfall::weaker).map(Shortfall::sentence).toList();
  }

  /** One for each whose sets are smaller than it asks for, and survive as much. */
  public static List<String> smaller(Descriptors descriptors, RankMap map) {
    return all(descriptors, map).filter(found -> !found.weaker()).map(Shortfall::sentence).toList();
  }

  private static Stream<Shortfall> all(Descriptors descriptors, RankMap map) {
    return descriptors.checkpoints().stream().filter(CheckpointDescriptor::enabled)
        .flatMap(how -> of(how, map.nodes().stream()
            .map(node -> descriptors.groups().valueOf(how.group(), node)).toList()).stream());
  }

  /** Returns the unmet requirements of this descriptor; empty if there are none. */
  static Optional<Shortfall> of(CheckpointDescriptor how, List<String> groupOfRank) {
    Scheme scheme = how.redundancy().scheme();
    if (scheme == Scheme.SINGLE) {
      return Optional.empty();
    }
    List<RedundancySet> sets = RedundancySets.of(groupOfRank, how.redundancy().setSize());
    long alone = sets.stream().filter(set -> set.size() == 1).count();
    int smallest = sets.stream().mapToInt(RedundancySet::size).min().orElseThrow();
    String who = "CKPT=" + how.index() + ": " + scheme;
    if (alone == sets.size()) {
      return weaker(who + " protects nothing, as SINGLE would: all ranks are in one group " + how.group() + ", "
          + groupOfRank.getFirst());
    }
    if (alone > 0) {
      return weaker(who + " does not protect " + alone + " of " + groupOfRank.size()
          + " ranks: a group " + how.group() + " has too many of them to have a partner outside for each");
    }
    int asked = Math.min(how.redundancy().setSize(), groupOfRank.size());
    int failures = how.redundancy().failures();
    String fewer = smallest > failures ? "" : "; such a set survives the loss of " + (smallest - 1) + " instead of "
        + failures;
    if (smallest < asked) {
      return Optional.of(new Shortfall(who + " has sets of " + smallest + " ranks instead of " + asked
          + ": the ranks are " + where(how.group(), groupOfRank.stream().distinct().count())
          + ", and no two of a set may be in the same one"
          + (fewer.isEmpty() ? "; the loss of " + failures + " is survived anyway" : fewer), !fewer.isEmpty()));
    }
    return fewer.isEmpty() ? Optional.empty()
        : weaker(who + " has sets of " + smallest + " ranks: there are not more" + fewer);
  }

  private static Optional<Shortfall> weaker(String sentence) {
    return Optional.of(new Shortfall(sentence, true));
  }

  private static String where(String group, long count) {
    return group.equals(NODE) ? "on " + count + " nodes" : "in " + count + " groups " + group;
  }
}

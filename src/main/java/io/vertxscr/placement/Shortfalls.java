package io.vertxscr.placement;

import io.vertxscr.model.RankMap;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.descriptor.CheckpointDescriptor;
import io.vertxscr.model.descriptor.Descriptors;
import java.util.List;
import java.util.Optional;

/** What the failure groups of a run keep its redundancy sets from, in sentences for those who run it. */
public final class Shortfalls {
  private Shortfalls() {}

  /** One sentence for each descriptor that cannot have the sets it asks for. */
  public static List<String> of(Descriptors descriptors, RankMap map) {
    return descriptors.checkpoints().stream().filter(CheckpointDescriptor::enabled)
        .flatMap(how -> of(how, map.nodes().stream()
            .map(node -> descriptors.groups().valueOf(how.group(), node)).toList()).stream())
        .toList();
  }

  /** What is amiss with the sets of this descriptor; empty where they are as asked for. */
  static Optional<String> of(CheckpointDescriptor how, List<String> groupOfRank) {
    Scheme scheme = how.redundancy().scheme();
    if (scheme == Scheme.SINGLE) {
      return Optional.empty();
    }
    List<RedundancySet> sets = RedundancySets.of(groupOfRank, how.redundancy().setSize());
    long alone = sets.stream().filter(set -> set.size() == 1).count();
    int smallest = sets.stream().mapToInt(RedundancySet::size).min().orElseThrow();
    String who = "CKPT=" + how.index() + ": " + scheme;
    if (alone == sets.size()) {
      return Optional.of(who + " protects nothing, as SINGLE would: all ranks are in one group " + how.group() + ", "
          + groupOfRank.getFirst());
    }
    if (alone > 0) {
      return Optional.of(who + " does not protect " + alone + " of " + groupOfRank.size()
          + " ranks: a group " + how.group() + " has too many of them to have a partner outside for each");
    }
    int asked = Math.min(how.redundancy().setSize(), groupOfRank.size());
    int failures = how.redundancy().failures();
    String fewer = smallest > failures ? "" : "; such a set survives the loss of " + (smallest - 1) + " instead of "
        + failures;
    if (smallest < asked) {
      return Optional.of(who + " has sets of " + smallest + " ranks instead of " + asked + ": a group " + how.group()
          + " has too many of all ranks" + fewer);
    }
    return fewer.isEmpty() ? Optional.empty()
        : Optional.of(who + " has sets of " + smallest + " ranks: there are not more" + fewer);
  }
}

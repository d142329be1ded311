package io.vertxscr.format;

import io.vertxscr.model.RedundancySet;
import java.util.List;

/**
 * The members of a redundancy set.
 * <pre>
 *   RANKS -> 4
 *   RANK -> 0 -> 3        member -> world rank
 *           1 -> 7
 *           ...
 *   FAILURES -> 2         members that may be lost at once; missing where it is 1, or 0 in a set of one
 * </pre>
 */
final class GroupHash {
  private GroupHash() {}

  static Hash encode(RedundancySet set) {
    Hash group = new Hash().set("RANKS", set.size());
    Hash members = group.at("RANK");
    for (int member = 0; member < set.size(); member++) {
      members.set(Integer.toString(member), set.ranks().get(member));
    }
    if (set.failures() != new RedundancySet(set.ranks()).failures()) {
      group.set("FAILURES", set.failures());
    }
    return group;
  }

  static RedundancySet decode(Fields group) {
    Fields members = group.child("RANK");
    List<Integer> ranks = group.numbered("RANK").keySet().stream()
        .map(member -> members.integer(member.toString(), 0))
        .toList();
    group.listed("RANK");   // refuses gaps
    group.expect("RANKS", ranks.size());
    RedundancySet usual = new RedundancySet(ranks);
    return group.find("FAILURES").isEmpty() ? usual : new RedundancySet(ranks, group.integer("FAILURES", 0));
  }
}

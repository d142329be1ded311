package io.vertxscr.placement;

import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** What a scheme means for the members of a set: who reads whom, and which losses can be replaced. */
public final class Protection {
  private Protection() {}

  /** Whether members of this set write redundancy files at all: a set of one, and SINGLE, protect nothing. */
  public static boolean writesRedundancy(Scheme scheme, RedundancySet set) {
    return scheme != Scheme.SINGLE && set.size() > 1;
  }

  /**
   * Which members read the bytes of this rank when its dataset is protected, and thus know their checksums. Together
   * they read every byte exactly once.
   */
  public static Set<Integer> readersOf(Scheme scheme, RedundancySet set, int rank) {
    if (!writesRedundancy(scheme, set)) {
      return Set.of(set.ranks().get(set.memberOf(rank)));
    }
    return switch (scheme) {
      case PARTNER -> Set.of(set.right(rank, 1));
      case XOR -> Set.copyOf(others(set, rank));
      case SINGLE -> throw new AssertionError("writes no redundancy");
    };
  }

  /** Whose bytes this rank reads when its dataset is protected: the inverse of {@link #readersOf}. */
  public static List<Integer> readBy(Scheme scheme, RedundancySet set, int rank) {
    return set.ranks().stream().filter(owner -> readersOf(scheme, set, owner).contains(rank)).toList();
  }

  /**
   * Whether the files of all lost members can be made again from the others.
   *
   * @param lost ranks of which neither files nor redundancy can be used; those outside the set do not matter
   */
  public static boolean replaces(Scheme scheme, RedundancySet set, Collection<Integer> lost) {
    List<Integer> missing = set.ranks().stream().filter(lost::contains).toList();
    if (missing.isEmpty()) {
      return true;
    }
    return writesRedundancy(scheme, set) && switch (scheme) {
      case SINGLE -> false;
      case PARTNER -> missing.stream().noneMatch(rank -> lost.contains(set.right(rank, 1)));
      case XOR -> missing.size() <= scheme.tolerance();
    };
  }

  private static List<Integer> others(RedundancySet set, int rank) {
    set.memberOf(rank);
    return set.ranks().stream().filter(other -> other != rank).toList();
  }
}

package io.vertxscr.placement;

import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Properties of a scheme for the members of a set: who reads whom, and which losses are tolerated. */
public final class Protection {
  private Protection() {}

  /** Whether members of this set write redundancy files; a set of one, and SINGLE, do not. */
  public static boolean writesRedundancy(Scheme scheme, RedundancySet set) {
    return scheme != Scheme.SINGLE && set.size() > 1;
  }

  /**
   * Estimates the bytes of redundancy of a rank, where nothing is known of the others of its set.
   *
   * @param bytes of its own files
   * @param usualBytes of the files of a rank, by which the others are taken to be
   */
  public static long expectedBytes(Scheme scheme, RedundancySet set, long bytes, long usualBytes) {
    return !writesRedundancy(scheme, set) ? 0 : set.failures() * (scheme == Scheme.PARTNER ? usualBytes
        : ParityLayout.of(set.size(), set.failures(), Math.max(bytes, usualBytes)).chunkBytes());
  }

  /**
   * Returns the members that read this rank's bytes for the protection and compute their checksums. Together they read
   * every byte exactly once. With PARTNER others read them as well, for more copies.
   */
  public static Set<Integer> readersOf(Scheme scheme, RedundancySet set, int rank) {
    if (!writesRedundancy(scheme, set)) {
      return Set.of(set.ranks().get(set.memberOf(rank)));
    }
    return switch (scheme) {
      case PARTNER -> Set.of(set.right(rank, 1));
      case XOR, RS -> IntStream.range(set.failures(), set.size())   // the first holders of the stripes with its data
          .mapToObj(distance -> set.left(rank, distance)).collect(Collectors.toSet());
      case SINGLE -> throw new AssertionError("writes no redundancy");
    };
  }

  /** Returns the ranks whose bytes this rank reads and computes checksums of: the inverse of {@link #readersOf}. */
  public static List<Integer> readBy(Scheme scheme, RedundancySet set, int rank) {
    return set.ranks().stream().filter(owner -> readersOf(scheme, set, owner).contains(rank)).toList();
  }

  /** Returns the number of failures that a set of this scheme tolerates if so many are requested. One for XOR. */
  public static int failures(Scheme scheme, int asked) {
    return scheme == Scheme.PARTNER || scheme == Scheme.RS ? asked : 1;
  }

  /**
   * Returns the fewest members that sets are to have, such that none gets too many. Sets come out up to twice as large,
   * and Reed-Solomon over GF(2^8) works for {@link Redundancy#MAX_RS_SIZE_AND_FAILURES} at most.
   */
  public static int minSetSize(Scheme scheme, int asked, int failures) {
    return scheme == Scheme.RS ? Math.clamp((Redundancy.MAX_RS_SIZE_AND_FAILURES - failures) / 2, 1, asked) : asked;
  }

  /** Returns the ranks whose parity this rank pulls, in the order of the rows, from row 1 on. */
  public static List<Integer> parityFrom(Scheme scheme, RedundancySet set, int rank) {
    return scheme != Scheme.RS || !writesRedundancy(scheme, set) ? List.of()
        : IntStream.range(1, set.failures()).mapToObj(row -> set.left(rank, row)).toList();
  }

  /**
   * Whether the files of all lost members can be made again from the others.
   *
   * @param lost ranks of which neither files nor redundancy can be used; those outside the set do not matter
   */
  public static boolean replaces(Scheme scheme, RedundancySet set, Collection<Integer> lost) {
    IntPredicate left = member -> !lost.contains(member);
    return set.ranks().stream().filter(lost::contains).allMatch(rank -> replaces(scheme, set, rank, left, left));
  }

  /**
   * Whether the files of one rank can be made again. A member's files and its redundancy file can be lost apart.
   *
   * @param files whether there are the files of a rank of the set
   * @param redundancy whether there is the redundancy file that a rank of the set wrote
   */
  public static boolean replaces(
      Scheme scheme, RedundancySet set, int rank, IntPredicate files, IntPredicate redundancy) {
    if (!writesRedundancy(scheme, set)) {
      return false;
    }
    return switch (scheme) {
      case SINGLE -> false;
      case PARTNER -> describers(set, rank).stream().anyMatch(redundancy::test);
      case XOR, RS -> {
        var layout = new ParityLayout(set.size(), set.failures(), 0);
        int member = set.memberOf(rank);
        yield IntStream.range(0, set.size()).filter(stripe -> layout.hasData(member, stripe))
            .allMatch(stripe -> replaces(layout, set, stripe, files, redundancy));
      }
    };
  }

  /** A stripe can be filled up if it has as much parity as it lacks data. */
  private static boolean replaces(
      ParityLayout layout, RedundancySet set, int stripe, IntPredicate files, IntPredicate redundancy) {
    int spare = 0;
    for (int member = 0; member < set.size(); member++) {
      int rank = set.ranks().get(member);
      if (layout.hasData(member, stripe)) {
        spare -= files.test(rank) ? 0 : 1;
      } else {
        spare += redundancy.test(rank) ? 1 : 0;
      }
    }
    return spare >= 0;
  }

  /**
   * Returns the members whose redundancy files describe the files of this rank, nearest first. With PARTNER they also
   * hold them.
   */
  public static List<Integer> describers(RedundancySet set, int rank) {
    return IntStream.rangeClosed(1, set.failures()).mapToObj(distance -> set.right(rank, distance)).toList();
  }
}

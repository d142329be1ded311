package io.vertxscr.explain;

import io.vertxscr.model.Redundancy;
import io.vertxscr.model.Scheme;
import io.vertxscr.placement.LossOdds.FatalLosses;
import io.vertxscr.placement.LossOdds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Odds that sets of nodes lose more members than their scheme holds (docs/odds.md). Beside the scheme in use there are
 * others, in the same sets. Pure.
 *
 * @param rows the schemes, weakest first
 */
public record SurvivalOdds(List<SchemeOdds> rows) {
  private static final int MOST_FAILURES = 3;
  private static final double HOURS_OF_A_DAY = 24;

  /**
   * One scheme.
   *
   * @param failures members of a set that may be lost; smaller sets tolerate all but one
   * @param inUse whether it is the one of the sets
   * @param perDay probability that some set loses more within a day
   * @param extra bytes in the caches for each byte of files, besides the files
   */
  public record SchemeOdds(Scheme scheme, int failures, boolean inUse, double perDay, double extra) {}

  /** NodeTimes of the nodes, in hours. @param repair from a loss until the member is protected again */
  public record NodeTimes(double mtbf, double repair) {
    public NodeTimes {
      if (!(mtbf > 0) || !(repair > 0)) {
        throw new IllegalArgumentException("mtbf " + mtbf + " h, repair " + repair + " h");
      }
    }
  }

  /** @param sets number of sets by their number of members. @param used what protects them */
  public static SurvivalOdds of(Map<Integer, Long> sets, Redundancy used, NodeTimes times) {
    SortedMap<Integer, Long> bySize = new TreeMap<>(sets);
    List<SchemeOdds> rows = new ArrayList<>();
    for (Scheme scheme : Scheme.values()) {
      int first = scheme == Scheme.SINGLE ? 0 : scheme == Scheme.RS ? 2 : 1;
      int last = scheme == Scheme.RS ? MOST_FAILURES : scheme == Scheme.PARTNER ? 2 : first;
      boolean inUse = used.scheme() == scheme;
      for (int failures = Math.min(first, inUse ? used.failures() : first);
          failures <= Math.max(last, inUse ? used.failures() : last); failures++) {
        boolean isUsed = inUse && failures == used.failures();
        if (isUsed || isPossible(scheme, failures, bySize)) {
          rows.add(row(scheme, failures, isUsed, bySize, times));
        }
      }
    }
    return new SurvivalOdds(List.copyOf(rows));
  }

  private static boolean isPossible(Scheme scheme, int failures, SortedMap<Integer, Long> sets) {
    int largest = sets.lastKey();
    return failures < largest
        && (scheme != Scheme.RS || largest + failures <= Redundancy.MAX_RS_SIZE_AND_FAILURES);
  }

  private static SchemeOdds row(
      Scheme scheme, int failures, boolean inUse, SortedMap<Integer, Long> sets, NodeTimes times) {
    double perHour = 0;
    double extra = 0;
    double members = 0;
    for (Map.Entry<Integer, Long> some : sets.entrySet()) {
      int size = some.getKey();
      perHour += some.getValue() * FatalLosses.of(scheme, size, failures).perHour(times.mtbf(), times.repair());
      extra += some.getValue() * size * extra(scheme, size, Math.min(failures, size - 1));
      members += some.getValue() * size;
    }
    return new SchemeOdds(scheme, failures, inUse, LossOdds.within(HOURS_OF_A_DAY, perHour), extra / members);
  }

  private static double extra(Scheme scheme, int members, int failures) {
    return switch (scheme) {
      case SINGLE -> 0;
      case PARTNER -> failures;
      case XOR, RS -> failures == 0 ? 0 : (double) failures / (members - failures);
    };
  }
}

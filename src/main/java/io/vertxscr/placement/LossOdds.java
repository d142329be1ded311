package io.vertxscr.placement;

import io.vertxscr.model.Scheme;

/**
 * Odds that a redundancy set loses more members than it tolerates before its checkpoint is flushed. Pure.
 *
 * <p>Nodes fail independently, with exponential times between failures of mean {@code mtbf}; a set of n members
 * tolerates k losses, and a lost member is rebuilt within a time r. The set is lost when k more members fail, each
 * within r of the one before it: the birth-death chain of Patterson, Gibson, Katz (A Case for Redundant Arrays of
 * Inexpensive Disks, SIGMOD 1988), for any k as in Chen et al. (RAID: High-Performance, Reliable Secondary Storage, ACM
 * Computing Surveys 26(2), 1994). For r much smaller than mtbf its rate of loss is
 *
 * <pre>
 *                 n (n-1) ... (n-k)   r^k
 *   rate of set = ------------------------        P = 1 - exp(-sets * rate * interval)
 *                        mtbf^(k+1)
 * </pre>
 *
 * <p>That is for sets where any k + 1 members are too many. {@link FatalLosses} counts them by scheme: F losses of s
 * nodes come with the rate F s! r^(s-1) / mtbf^s.
 *
 * <p>What it does not know: failures that come together (power, switch, cooling), which is what failure groups are
 * for. They make the odds worse, not better.
 */
public final class LossOdds {
  private LossOdds() {}

  /** Some sets of one size. */
  public record SetsOfNodes(long count, int members, int tolerated) {
    public SetsOfNodes {
      if (count < 1 || members < 1 || tolerated < 0 || tolerated >= members) {
        throw new IllegalArgumentException(count + " sets of " + members + " that tolerate " + tolerated);
      }
    }
  }

  /**
   * The smallest losses of nodes of one set that are one too many.
   *
   * @param size nodes of one such loss
   */
  public record FatalLosses(double count, int size) {
    /**
     * Of a set. With PARTNER a member is gone with all holders of its copies, which are next to it; with XOR and RS any
     * members are too many, with SINGLE each one is.
     *
     * @param members of the set; a single one is not protected
     */
    public static FatalLosses of(Scheme scheme, int members, int tolerated) {
      int most = scheme == Scheme.SINGLE ? 0 : Math.min(tolerated, members - 1);
      return new FatalLosses(switch (scheme) {
        case SINGLE -> members;
        case PARTNER -> members == most + 1 ? 1 : members;
        case XOR, RS -> choose(members, most + 1);
      }, most + 1);
    }

    private static double choose(int members, int size) {
      double ways = 1;
      for (int i = 0; i < size; i++) {
        ways = ways * (members - i) / (i + 1);
      }
      return ways;
    }

    /** Such losses in each hour. Their nodes fail in any order, each before the one before is protected again. */
    public double perHour(double mtbfHours, double rebuildHours) {
      double rate = count * size / mtbfHours;
      for (int left = size - 1; left > 0; left--) {
        rate *= left * rebuildHours / mtbfHours;
      }
      return rate;
    }
  }

  /** Losses of one set in each hour. All times in hours. @param rebuildHours until a lost member is protected again */
  public static double lossesPerHour(int members, int tolerated, double mtbfHours, double rebuildHours) {
    double rate = members / mtbfHours;
    for (int lost = 1; lost <= tolerated; lost++) {
      rate *= (members - lost) * rebuildHours / mtbfHours;
    }
    return rate;
  }

  /** Probability that something of this rate happens within so many hours. */
  public static double within(double hours, double perHour) {
    return -Math.expm1(-perHour * hours);
  }

  /** Probability that some set is lost between two flushes. All times in hours. */
  public static double lossBeforeFlush(SetsOfNodes sets, double mtbfHours, double rebuildHours, double flushHours) {
    return within(
        flushHours, sets.count() * lossesPerHour(sets.members(), sets.tolerated(), mtbfHours, rebuildHours));
  }
}

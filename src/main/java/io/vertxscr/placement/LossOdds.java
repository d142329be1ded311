package io.vertxscr.placement;

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

  /** Losses of one set in each hour. All times in hours. @param rebuildHours until a lost member is protected again */
  public static double lossesPerHour(int members, int tolerated, double mtbfHours, double rebuildHours) {
    double rate = members / mtbfHours;
    for (int lost = 1; lost <= tolerated; lost++) {
      rate *= (members - lost) * rebuildHours / mtbfHours;
    }
    return rate;
  }

  /** Probability that some set is lost between two flushes. All times in hours. */
  public static double lossBeforeFlush(SetsOfNodes sets, double mtbfHours, double rebuildHours, double flushHours) {
    return -Math.expm1(
        -sets.count() * lossesPerHour(sets.members(), sets.tolerated(), mtbfHours, rebuildHours) * flushHours);
  }
}

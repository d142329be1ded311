package io.vertxscr.flow.advice;

/**
 * Computes the interval that minimizes the cost of checkpoints and lost work. Times in seconds. Pure.
 *
 * <pre>
 *   Young 1974:        T = sqrt(2 C M)
 *   Daly 2006, eq. 37: T = sqrt(2 C M) (1 + 1/3 sqrt(C / 2M) + 1/9 (C / 2M)) - C   for C &lt; 2M, else M
 *   several levels:    T_l = sqrt(2 C_l / lambda_l) for each level, with its own cost and failure rate
 * </pre>
 * C is what a checkpoint takes from the application, M the mean time between failures, lambda = 1 / M. T is the time
 * from
 * the end of one checkpoint to the begin of the next.
 *
 * <p>Source: J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", Future
 * Generation Computer Systems 22 (2006).
 */
public final class OptimalInterval {
  private OptimalInterval() {}

  /**
   * Failures observed while runs computed, with a prior of one failure in the prior time. So the rate is never 0, and
   * observations weigh more with time.
   *
   * @param failures that were seen
   * @param seconds of computing in which they were seen
   * @param priorSeconds the mean time between failures that is expected without looking
   */
  public record Failures(long failures, double seconds, double priorSeconds) {
    /** Failures per second. */
    public double rate() {
      return (failures + 1) / (seconds + priorSeconds);
    }

    /** Mean time between failures. */
    public double mtbfSeconds() {
      return 1 / rate();
    }
  }

  /** First-order estimate. */
  public static double young(double cost, double mtbf) {
    return Math.sqrt(2 * cost * mtbf);
  }

  /** Higher-order estimate: good also where a checkpoint takes a good part of the time between failures. */
  public static double daly(double cost, double mtbf) {
    if (cost >= 2 * mtbf) {
      return mtbf;
    }
    double part = cost / (2 * mtbf);
    return young(cost, mtbf) * (1 + Math.sqrt(part) / 3 + part / 9) - cost;
  }

  /** One of several levels, by its own cost and rate. */
  public static double ofLevel(double cost, double rate) {
    return Math.sqrt(2 * cost / rate);
  }

  /** Share of the time, 0 to 1, that checkpoints and lost work cost at this interval, to first order. */
  public static double loss(double interval, double cost, double mtbf) {
    return Math.min(1, cost / (interval + cost) + (interval + cost) / (2 * mtbf));
  }
}

package io.vertxscr.flow.flush;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * Leases of the writers and the bandwidth of one file system, for concurrent flushes. Kept by the leader, by its clock.
 *
 * <p>A share is a lease. Its holder renews it before it expires, and measures its time from before the request, so its
 * lease ends there before it ends here. What was promised once counts until then, even after a smaller share was
 * given. So, for any arrival, departure, crash or network cut: at no moment may more writers write, or do they write
 * faster, than the limits say. A newcomer waits for room that others give back, one lease at most.
 *
 * <p>Bandwidth is shared in proportion to the bytes that are left, so that all end together. Writers too, in
 * proportion to how many could write; but without preemption: a file in progress is not stopped.
 */
public final class Leases {
  /** Shortest time of a lease. */
  public static final long MIN_LEASE_MS = 500;
  /** Longest time of a lease: after so long all leases of another leader have ended. */
  public static final long MAX_LEASE_MS = 2_000;
  /** Bandwidth without a limit. */
  public static final long UNLIMITED = Long.MAX_VALUE;
  private static final long LEASE_MS_PER_HOLDER = 5;
  /** Datasets that are on their way to one file system at once; a run has one or two. */
  private static final int MOST_DATASETS = 10;
  private static final double MS_PER_SECOND = 1000;

  private final Map<String, Holder> holders = new LinkedHashMap<>();
  private long quietUntilMs = Long.MIN_VALUE;

  /**
   * Total limits; if holders come with different ones, the lowest count.
   *
   * @param writers at least 1
   * @param bytesPerSecond at least 1; {@link #UNLIMITED}: no limit, and not counted among those who have one
   */
  public record LeaseLimits(int writers, long bytesPerSecond) {
    public LeaseLimits {
      if (writers < 1 || bytesPerSecond < 1) {
        throw new IllegalArgumentException("limits are at least 1: " + writers + ", " + bytesPerSecond);
      }
    }
  }

  /**
   * Request of one holder.
   *
   * @param writers how many could write, those that are writing included; 0: it has ended and writes nothing
   * @param busy how many are in the middle of a file
   * @param bytes still to be written
   */
  public record Need(int writers, int busy, long bytes) {
    public Need {
      if (busy < 0 || busy > writers || bytes < 0) {
        throw new IllegalArgumentException("no need: " + writers + ", " + busy + ", " + bytes);
      }
    }
  }

  /**
   * Grant for one holder until its next request.
   *
   * @param writers how many may write, those in the middle of a file included; with fewer than these none may go on
   * @param bytesPerSecond all of them together; 0: wait, or {@link #UNLIMITED}
   * @param leaseMs how long, from the moment of asking
   */
  public record Share(int writers, long bytesPerSecond, long leaseMs) {}

  /** A promise, and when it ends. */
  private record Promise(int writers, long bytesPerSecond, long untilMs) {}

  /** A flushing node. */
  private static final class Holder {
    private final List<Promise> promises = new ArrayList<>();
    private LeaseLimits limits;
    private Need need;
    private long needSinceMs;
    private long needUntilMs;

    int writers() {
      return promises.stream().mapToInt(Promise::writers).max().orElse(0);
    }

    long bytesPerSecond() {
      return promises.stream().mapToLong(Promise::bytesPerSecond).filter(rate -> rate != UNLIMITED).max().orElse(0);
    }

    /** Remaining bytes by now, assuming that it has written at full rate. */
    double bytesLeft(long nowMs) {
      long rate = promises.isEmpty() ? 0 : promises.getLast().bytesPerSecond;
      double written = rate * (nowMs - needSinceMs) / MS_PER_SECOND;
      return Math.max(1, need.bytes - written);
    }

    boolean isLimited() {
      return limits.bytesPerSecond != UNLIMITED;
    }
  }

  /**
   * Blocks all grants until the unknown leases of an earlier leader must have expired.
   *
   * @param nodes how many that one may have given leases to, each for {@link #MOST_DATASETS} at once
   */
  public void takeOver(long nowMs, int nodes) {
    quietUntilMs = nowMs + leaseMs((long) nodes * MOST_DATASETS);
  }

  /** Somebody will ask soon: room is kept for it for one lease. */
  public void expect(String holder, LeaseLimits limits, Need need, long nowMs) {
    expire(nowMs);
    note(holder, limits, need, nowMs);
  }

  /** The share of a holder, in place of the one that it had. Asking twice does no harm. */
  public Share ask(String holder, LeaseLimits limits, Need need, long nowMs) {
    expire(nowMs);
    if (need.writers == 0) {
      holders.remove(holder);                             // it writes nothing any more: its promises are given back
      return new Share(0, 0, leaseMs());
    }
    Holder mine = note(holder, limits, need, nowMs);
    if (nowMs < quietUntilMs) {
      return new Share(0, 0, quietUntilMs - nowMs);
    }
    int writers = Math.min(plannedWriters().get(holder), freeWriters(mine));
    if (writers < need.busy) {
      writers = 0;
    }
    long rate = writers == 0 ? 0 : !mine.isLimited() ? UNLIMITED : Math.min(plannedRate(mine, nowMs), freeRate(mine));
    mine.promises.add(new Promise(writers, rate, nowMs + leaseMs()));
    return new Share(writers, rate, leaseMs());
  }

  /** Releases a finished holder, unless one of its files is still in progress. Else its lease will expire. */
  public void release(String holder, int busy) {
    if (busy == 0) {
      holders.remove(holder);
    }
  }

  private Holder note(String name, LeaseLimits limits, Need need, long nowMs) {
    Holder holder = holders.computeIfAbsent(name, _ -> new Holder());
    holder.limits = limits;
    holder.need = need;
    holder.needSinceMs = nowMs;
    holder.needUntilMs = nowMs + leaseMs();
    return holder;
  }

  private void expire(long nowMs) {
    holders.values().forEach(holder -> holder.promises.removeIf(promise -> promise.untilMs <= nowMs));
    holders.values().removeIf(holder -> holder.promises.isEmpty() && holder.needUntilMs <= nowMs);
  }

  /** Longer with many holders, to limit the leader's load to some hundred requests a second. */
  private long leaseMs() {
    return leaseMs(holders.size());
  }

  private static long leaseMs(long holders) {
    return Math.clamp(holders * LEASE_MS_PER_HOLDER, MIN_LEASE_MS, MAX_LEASE_MS);
  }

  private int freeWriters(Holder mine) {
    long others = holders.values().stream().filter(holder -> holder != mine).mapToInt(Holder::writers).sum();
    return (int) Math.max(0, lowestWriters() - others);
  }

  private int lowestWriters() {
    return holders.values().stream().mapToInt(holder -> holder.limits.writers).min().orElse(1);
  }

  /**
   * Plans writers: files in progress first, then one for each in the order of arrival. The rest is divided in
   * proportion to needs, then by rounding.
   */
  private Map<String, Integer> plannedWriters() {
    Map<String, Integer> plan = new TreeMap<>();
    holders.forEach((name, holder) -> plan.put(name, holder.need.busy));
    int free = lowestWriters() - plan.values().stream().mapToInt(Integer::intValue).sum();
    free = top(plan, free, _ -> 1);
    long wanted = Math.max(1, holders.values().stream().mapToLong(holder -> holder.need.writers).sum());
    int all = lowestWriters();
    free = top(plan, free, holder -> all * (long) holder.need.writers / wanted);
    top(plan, free, holder -> holder.need.writers);
    return plan;
  }

  /** Raises all holders to a goal, no higher than their needs, as far as free ones last. Returns the rest. */
  private int top(Map<String, Integer> plan, int free, ToLongFunction<Holder> goal) {
    int left = free;
    for (Map.Entry<String, Holder> each : holders.entrySet()) {
      long to = Math.min(goal.applyAsLong(each.getValue()), each.getValue().need.writers);
      int more = Math.clamp(to - plan.get(each.getKey()), 0, Math.max(0, left));
      plan.merge(each.getKey(), more, Integer::sum);
      left -= more;
    }
    return left;
  }

  private long plannedRate(Holder mine, long nowMs) {
    Map<String, Integer> writers = plannedWriters();
    double all = 0;
    for (Map.Entry<String, Holder> each : holders.entrySet()) {
      boolean counts = each.getValue().isLimited() && (each.getValue() == mine || writers.get(each.getKey()) > 0);
      all += counts ? each.getValue().bytesLeft(nowMs) : 0;
    }
    return Math.max(1, (long) (lowestRate().orElseThrow() * (mine.bytesLeft(nowMs) / all)));
  }

  private long freeRate(Holder mine) {
    long others = holders.values().stream().filter(holder -> holder != mine).mapToLong(Holder::bytesPerSecond).sum();
    return Math.max(0, lowestRate().orElseThrow() - others);
  }

  private OptionalLong lowestRate() {
    return holders.values().stream().filter(Holder::isLimited).mapToLong(h -> h.limits.bytesPerSecond).min();
  }
}

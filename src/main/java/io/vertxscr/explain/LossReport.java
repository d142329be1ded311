package io.vertxscr.explain;

import io.vertxscr.explain.RestoreRates.Rate;
import io.vertxscr.flow.restart.Exposure.LossOutcome;
import io.vertxscr.flow.restart.Exposure.Lost;
import io.vertxscr.flow.restart.Exposure;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.flow.restart.RestartOrder.Candidate;
import io.vertxscr.flow.restart.RestartSources.Offer;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.Scheme;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What a loss of nodes costs: the checkpoint that is left, work, time, datasets; and what would help. Pure.
 *
 * @param restart the checkpoint that a restart would use; empty for none
 * @param otherSize a checkpoint of another number of ranks, because of which the run would be refused
 * @param checkpointsLost those that a restart would prefer now, and could not have then
 * @param workLostUs time since the creation of the checkpoint, in microseconds; empty without one: all work
 * @param survive datasets that the caches still give, newest first
 * @param prefixOnly those that they do not give any more, but the prefix directory does
 * @param gone those that nothing gives any more
 * @param goneAlready those that nothing gives now
 * @param helps what to do, in sentences
 */
public record LossReport(Optional<Use> restart, Optional<Inventory.Dataset> otherSize,
    List<DatasetDescriptor> checkpointsLost, OptionalLong workLostUs, List<DatasetDescriptor> survive,
    List<DatasetDescriptor> prefixOnly, List<Lost> gone, List<Lost> goneAlready, List<String> helps) {

  /**
   * The checkpoint of a restart.
   *
   * @param asNow whether a restart would use the same one without the loss
   * @param rebuilt ranks whose files would be rebuilt
   * @param bytes that would be rebuilt, by the mean of all ranks, or fetched
   * @param rate at which that was done before; empty where it was never measured
   */
  public record Use(Candidate candidate, boolean asNow, int rebuilt, long bytes, Optional<Rate> rate) {
    /** Estimated time to get these bytes; empty where no rate was measured. */
    public OptionalDouble seconds() {
      return rate.isPresent() ? OptionalDouble.of(bytes / rate.get().bytesPerSecond()) : OptionalDouble.empty();
    }

    /** Whether files must be rebuilt or fetched at all. */
    public boolean brings() {
      return rebuilt > 0 || !candidate.cached();
    }
  }

  /** Seen at one time, for all losses. @param published whether the prefix directory has a dataset, whole */
  public record Scene(Exposure exposure, Predicate<DatasetKey> published, RestoreRates rates, long nowUs) {
    /** Reports one loss. */
    public LossReport report(LossOutcome after) {
      return LossReport.of(this, exposure.now(), after);
    }
  }

  /** Whether work is lost that was safe: a newer checkpoint than the one that is left, or an output. */
  public boolean costsWork() {
    return !checkpointsLost.isEmpty() || otherSize.isPresent()
        || gone.stream().anyMatch(lost -> !lost.dataset().descriptor().flags().checkpoint());
  }

  private static LossReport of(Scene seen, LossOutcome now, LossOutcome after) {
    Offer offer = after.offer();
    List<DatasetDescriptor> survive = new ArrayList<>();
    List<DatasetDescriptor> prefixOnly = new ArrayList<>();
    for (Inventory.Dataset dataset : seen.exposure().datasets()) {
      if (!after.loses(dataset.key())) {
        survive.add(dataset.descriptor());
      } else if (seen.published().test(dataset.key())) {
        prefixOnly.add(dataset.descriptor());
      }
    }
    List<Lost> gone = after.lost().stream().filter(lost -> !seen.published().test(lost.dataset().key())).toList();
    List<Lost> fresh = gone.stream().filter(lost -> !now.loses(lost.dataset().key())).toList();
    return new LossReport(
        offer.candidate().map(candidate -> use(seen, now, after, candidate)), offer.otherSize(),
        checkpointsLost(seen, now, offer),
        offer.candidate().map(candidate -> OptionalLong.of(
            Math.max(0, seen.nowUs() - candidate.descriptor().createdUs()))).orElse(OptionalLong.empty()),
        survive, prefixOnly, fresh,
        gone.stream().filter(lost -> now.loses(lost.dataset().key())).toList(),
        helps(after.lost().stream().filter(lost -> !now.loses(lost.dataset().key())).toList(), fresh));
  }

  private static Use use(Scene seen, LossOutcome now, LossOutcome after, Candidate candidate) {
    long all = candidate.descriptor().totals().bytes();
    int ranks = seen.exposure().sources().writers(candidate.descriptor());
    return new Use(candidate, now.offer().candidate().equals(Optional.of(candidate)), after.rebuilt(),
        candidate.cached() ? Math.round((double) all * after.rebuilt() / ranks) : all,
        candidate.cached() ? seen.rates().rebuild() : seen.rates().fetch());
  }

  /** What stands before the choice among the candidates, and could be had now. */
  private static List<DatasetDescriptor> checkpointsLost(Scene seen, LossOutcome now, Offer offer) {
    Set<DatasetDescriptor> lost = new LinkedHashSet<>();
    for (Candidate candidate : seen.exposure().sources().candidates()) {
      if (offer.candidate().filter(candidate::equals).isPresent()) {
        break;
      }
      if (!candidate.cached() || !now.loses(candidate.descriptor().key())) {
        lost.add(candidate.descriptor());
      }
    }
    return lost.stream().filter(one -> offer.candidate().map(Candidate::descriptor).map(DatasetDescriptor::key)
        .filter(one.key()::equals).isEmpty()).toList();
  }

  /** @param lost from the caches by this loss. @param gone those of them that the prefix directory has not */
  private static List<String> helps(List<Lost> lost, List<Lost> gone) {
    List<String> helps = new ArrayList<>();
    if (!gone.isEmpty()) {
      helps.add("a flush: in the prefix directory a dataset survives any loss of nodes; SCR_FLUSH=1 flushes every"
          + " checkpoint");
    }
    lost.stream().map(one -> more(one.dataset())).distinct().forEach(helps::add);
    if (!lost.isEmpty()) {
      helps.add("the nodes themselves: if they come back with their storage, nothing is lost");
    }
    return helps;
  }

  private static String more(Inventory.Dataset dataset) {
    Redundancy used = dataset.redundancy().how().redundancy();
    int members = dataset.ranks().stream().mapToInt(held -> held.set().size()).max().orElse(0);
    int failures = used.failures() + 1;
    if (used.scheme() == Scheme.SINGLE) {
      return "redundancy: SCR_COPY_TYPE=XOR tolerates 1 loss in a set, RS so many as SCR_SET_FAILURES says; SINGLE"
          + " tolerates none";
    }
    return members <= failures ? "more nodes or failure groups: a set of " + members + " tolerates "
            + (members == 2 ? "1 loss at most" : members - 1 + " losses at most")
        : "more redundancy: SCR_COPY_TYPE=RS with SCR_SET_FAILURES=" + failures + " tolerates " + failures
            + " losses in a set; these sets tolerate " + used.failures();
  }
}

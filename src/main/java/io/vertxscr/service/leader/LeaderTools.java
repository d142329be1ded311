package io.vertxscr.service.leader;

import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.Observer;
import io.vertxscr.service.cache.StoreChecks;
import io.vertxscr.service.flush.FlushCoordinator;
import io.vertxscr.service.flush.FlushShares;
import io.vertxscr.service.flush.FlushStates;
import io.vertxscr.service.flush.FlushSteps;
import io.vertxscr.service.flush.PrefixRetention;
import io.vertxscr.service.flush.WantedFlushes;
import io.vertxscr.service.restart.CacheRestores;
import io.vertxscr.service.restart.CatchUp;
import io.vertxscr.service.restart.Inventories;
import io.vertxscr.service.restart.PrefixFetcher;
import io.vertxscr.service.restart.RestartJournal;
import io.vertxscr.service.restart.Restorer;
import io.vertxscr.service.scavenge.ScavengeWatch;
import io.vertxscr.service.scavenge.Scavenger;
import java.time.LocalDateTime;

/** What a leader works with; each piece may be tested by itself. On the node's loop. */
public record LeaderTools(Restorer restorer, CatchUp catchUp, DatasetCommands commands, RestartJournal journal,
    Flushing flushing, Scavenger scavenger, StoreChecks stores) {
  private static final long NS_PER_MS = 1_000_000;

  /** What brings datasets to the prefix directory: one by one, those that must go there, and who tells of them. */
  public record Flushing(FlushCoordinator coordinator, WantedFlushes wanted, FlushStates states) {}

  /** Has the caches scavenged when the time has come. */
  ScavengeWatch scavenges(Loop loop, ScavengeWatch.Times times) {
    return new ScavengeWatch(loop, scavenger.membership(), scavenger, times);
  }

  /**
   * Makes them for a node.
   *
   * @param standard what holds for datasets of which no run tells
   */
  public static LeaderTools of(Loop loop, NodeBus bus, Membership membership, Observer observer, RunPolicy standard) {
    String self = membership.self().name();
    Inventories caches = new Inventories(bus, membership);
    PrefixFetcher prefix = new PrefixFetcher(loop, bus, self, () -> LocalDateTime.now(loop.clock()));
    RestartJournal journal = new RestartJournal(loop, self);
    CacheRestores restores = new CacheRestores(caches, observer);
    PrefixRetention keeper = new PrefixRetention(loop, self, journal::read, observer, standard.cache());
    FlushShares shares = new FlushShares(standard.flush(), () -> loop.nanoTime() / NS_PER_MS, observer);
    FlushCoordinator flushes = new FlushCoordinator(
        loop, caches, restores, observer, new FlushSteps(loop, bus, self, shares, keeper));
    WantedFlushes wanted = new WantedFlushes(loop, caches, restores, flushes);
    return new LeaderTools(new Restorer(loop, caches, prefix, restores, journal, observer),
        new CatchUp(loop, caches, restores, observer),
        new DatasetCommands(caches, prefix, journal, flushes, observer), journal,
        new Flushing(flushes, wanted, new FlushStates(loop, caches, prefix, flushes)),
        new Scavenger(caches, wanted, flushes, observer), new StoreChecks(bus));
  }
}

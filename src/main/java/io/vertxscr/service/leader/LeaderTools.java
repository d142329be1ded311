package io.vertxscr.service.leader;

import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.Observer;
import java.time.LocalDateTime;

/** What a leader works with; each piece may be tested by itself. On the node's loop. */
public record LeaderTools(Restorer restorer, CatchUp catchUp, DatasetCommands commands, RestartJournal journal,
    FlushCoordinator flushes, Scavenger scavenger) {

  /** Has the caches scavenged when the time has come. */
  ScavengeWatch scavenges(Loop loop, ScavengeWatch.Times times) {
    return new ScavengeWatch(loop, scavenger.membership(), scavenger, times);
  }

  /** Makes them for a node. */
  public static LeaderTools of(Loop loop, NodeBus bus, Membership membership, Observer observer) {
    String self = membership.self().name();
    Inventories caches = new Inventories(bus, membership);
    PrefixFetcher prefix = new PrefixFetcher(loop, bus, self, LocalDateTime::now);
    RestartJournal journal = new RestartJournal(loop, self);
    CacheRestores restores = new CacheRestores(caches, observer);
    FlushCoordinator flushes = new FlushCoordinator(loop, caches, restores, observer);
    return new LeaderTools(new Restorer(caches, prefix, restores, journal, observer),
        new CatchUp(loop, caches, restores, observer),
        new DatasetCommands(caches, prefix, journal, flushes, observer), journal, flushes,
        new Scavenger(caches, restores, flushes));
  }
}

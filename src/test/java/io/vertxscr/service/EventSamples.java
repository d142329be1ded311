package io.vertxscr.service;

import io.vertxscr.model.Fault;
import io.vertxscr.model.HeldPart;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** One event of each kind. */
public final class EventSamples {
  /** Two of the run's end, because a good one counts elsewhere than a bad one. */
  public static final List<Event> ALL = List.of(
      new Event.NodeJoined("n2"),
      new Event.NodeLeft("n2"),
      new Event.RunBegun(7, "heat", "/p", 8, 4),
      new Event.ProtectionWeak(7, "XOR protects nothing"),
      new Event.RunOver(7, 0, Optional.empty(), ""),
      new Event.RunOver(7, 3, Optional.of(Fault.NODE_LOST), "node n2 has left the cluster"),
      new Event.Halting(7, "TIME_LIMIT", "the allocation has 60 s left"),
      new Event.PhaseStarted(7, 3, "step-3", true, false),
      new Event.DatasetComplete(7, 3, false, new Event.PhaseExtent(16, 1_000_000, 5_000, 2_000)),
      new Event.DatasetDiscarded(7, 3, Fault.NOT_VALID, "rank 4", new Event.PhaseExtent(16, 1_000_000, 5_000, 2_000)),
      new Event.PhaseHeldUp(7, "no room in store /ssd"),
      new Event.PhaseRefused(7, 4, "step-4", Fault.NO_SPACE, "no room in store /ssd"),
      new Event.Restored(3, new Event.Ways(4, 1, 2, 1), 70_000, 6_000),
      new Event.ProtectionCaughtUp(3, 4_000),
      new Event.ProtectionNotCaughtUp(3, Fault.NODE_LOST, "node n4"),
      new Event.HealStarted(3, 8),
      new Event.HealProgress(3, 2, 8),
      new Event.HealDone(3, 8, 5_000),
      new Event.DrainStarted("n3"),
      new Event.DrainDone("n3"),
      new Event.DrainStopped("n3", "dataset 3: no node has room"),
      new Event.DrainCancelled("n3"),
      new Event.HealStopped(3, Fault.NO_SPACE, "no node has room"),
      new Event.RestartRead(7, 3),
      new Event.RestartFailed(7, 3, Fault.NOT_VALID, "rank 4"),
      new Event.RestartPassedOver(3, "step-3", false, Fault.CORRUPT, "rank 4"),
      new Event.RestartAnew("/p", 3, "none of 3 could be used"),
      new Event.ScavengeStarted(3, "step-3", "/p", "no run has begun for 300 s"),
      new Event.ScavengeEnded(3, "step-3", ""),
      new Event.FlushStarted(3),
      new Event.FlushProgress(4, 1, new Event.CopyProgress(500_000, 1_000_000, 100_000, OptionalLong.of(5_000))),
      new Event.FetchProgress(3, new Event.CopyProgress(250_000, 1_000_000, 0, OptionalLong.empty())),
      new Event.FlushDone(3, 2, 1_000_000, 9_000),
      new Event.FlushFailed(3, 1, Fault.NO_SPACE, "/p is full"),
      new Event.FlushGivenUp(3, 1, Fault.CORRUPT, "rank 4", 8_000),
      new Event.RestartPoint(2, "step-2"),
      new Event.DatasetDropped(2, "step-2", true),
      new Event.PrefixDeleted(1, "step-1"),
      new Event.Quarantined(2, "step-2", "read 3 times"),
      new Event.Evicted(2),
      new Event.CorruptFound(3, "n1", 5),
      new Event.DamageFound(3, "n1", 5, HeldPart.FILES, "a has another checksum"),
      new Event.DamageRepaired(3, "n1", 5, HeldPart.REDUNDANCY, 2_000),
      new Event.DamageStays(3, "n1", 5, HeldPart.FILES, Fault.TOO_MANY_LOST, "rank 4 has lost its files too"),
      new Event.ScrubDone(3, "n1", 1_000_000, 1, 60_000_000),
      new Event.PublishedVerified(3, "/scratch/heat", 1_000_000, 1, 60_000_000),
      new Event.PublishedDamaged(3, "/scratch/heat", "rank 1: heat/3/rank-1 has another checksum"),
      new Event.CallFailed("start-output", Fault.WRONG_STATE));

  private EventSamples() {}
}

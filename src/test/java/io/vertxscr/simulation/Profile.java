package io.vertxscr.simulation;

import io.vertxscr.simulation.Trouble.Kind;
import java.util.List;
import java.util.stream.Stream;

/** Which faults a campaign has. */
public enum Profile {
  /** None. */
  NONE(),
  /** Processes and nodes that end. */
  DEATHS(Kind.RANK_DIES, Kind.DAEMON_DIES, Kind.DAEMON_DIES_WITHIN, Kind.DAEMON_STAYS_AWAY, Kind.NODE_IS_LOST,
      Kind.NODE_IS_LOST_WITHIN),
  /** Losses of power. */
  POWER(Kind.NODE_LOSES_POWER, Kind.ALL_LOSE_POWER),
  /** Messages, links, views, pauses and clocks. */
  NETWORK(Kind.PAUSE, Kind.CLOCK, Kind.CUT, Kind.CUT_ONE_WAY, Kind.BAD_LINKS),
  /** The nodes' own disks. */
  DISKS(Kind.BYTE_ROTS, Kind.DISK_FAILS, Kind.DISK_IS_FULL, Kind.DISK_HANGS),
  /** The prefix file system. */
  PREFIX(Kind.PREFIX_FAILS, Kind.PREFIX_IS_AWAY, Kind.PREFIX_IS_FULL, Kind.PREFIX_HANGS, Kind.PREFIX_ROTS),
  /** All of these and those of {@link #SHARED}. */
  ALL(Stream.of(Kind.values()).filter(kind -> kind != Kind.ALL_LOSE_POWER_BEHIND && !kind.isForSweeps())
      .toArray(Kind[]::new)),
  /** One more loss than the scheme tolerates, at once. */
  BEYOND(Kind.NODE_IS_LOST),
  /** A prefix file system that nodes see differently, and whose locks do not last. */
  SHARED(Kind.PREFIX_LAGS, Kind.LOCK_IS_LOST),
  /** Losses of power right behind a phase, before what it has left for later is done. */
  BEHIND(Kind.ALL_LOSE_POWER_BEHIND),
  /** As {@link #ALL}, many more of them, and between runs, too. */
  STORM(ALL.kinds.toArray(Kind[]::new)),
  /** At an operation on files or a message, each. */
  STEPS(Stream.concat(Stream.of(Kind.DAEMON_DIES_WITHIN, Kind.NODE_IS_LOST_WITHIN, Kind.DISK_FAILS, Kind.PREFIX_FAILS,
      Kind.LOCK_IS_LOST), Stream.of(Kind.values()).filter(Kind::isForSweeps)).toArray(Kind[]::new));

  private static final int FEW = 3;
  private static final int MANY = 9;
  private static final int WITHIN_A_RUN_MS = 3_000;
  private static final int BEHIND_IT_MS = 12_000;

  private final List<Kind> kinds;

  Profile(Kind... kinds) {
    this.kinds = List.of(kinds);
  }

  List<Kind> kinds() {
    return kinds;
  }

  /** Of those, what costs no copy. */
  List<Kind> harmless() {
    return kinds.stream().filter(kind -> !kind.loses()).toList();
  }

  /** How many faults that cost no copy there are at most. */
  int mostHarmless() {
    return this == STORM ? MANY : FEW;
  }

  /** How long after the begin of its run a fault comes at most. */
  int mostAfterMs() {
    return this == STORM ? BEHIND_IT_MS : WITHIN_A_RUN_MS;
  }

  Stream<Kind> losses() {
    return kinds.stream().filter(Kind::loses);
  }
}

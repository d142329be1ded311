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
  ALL(Stream.of(Kind.values()).filter(kind -> kind != Kind.ALL_LOSE_POWER_BEHIND).toArray(Kind[]::new)),
  /** One more loss than the scheme tolerates, at once. */
  BEYOND(Kind.NODE_IS_LOST),
  /** A prefix file system that nodes see differently, and whose locks do not last. */
  SHARED(Kind.PREFIX_LAGS, Kind.LOCK_IS_LOST),
  /** Losses of power right behind a phase, before what it has left for later is done. */
  BEHIND(Kind.ALL_LOSE_POWER_BEHIND);

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

  Stream<Kind> losses() {
    return kinds.stream().filter(Kind::loses);
  }
}

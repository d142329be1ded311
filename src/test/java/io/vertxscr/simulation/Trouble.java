package io.vertxscr.simulation;

import io.vertxscr.simulation.SimulatedDisk.Kept;
import java.util.List;

/**
 * Something that goes wrong at a moment of a scenario.
 *
 * @param run in which, from 0
 * @param afterMs after the begin of that run
 * @param nodes whom it strikes
 * @param forMs how long it lasts
 * @param number which operation on files, or message, it strikes, counted from that moment
 * @param kept what survives a loss of power
 * @param failure of the operation on files, where one fails
 */
record Trouble(Kind kind, int run, int afterMs, List<String> nodes, int forMs, int number, Kept kept,
    OperationFailure failure) {
  /** What goes wrong. */
  enum Kind {
    /** The process of one rank ends. */
    RANK_DIES,
    /** The daemon ends and is started again on its storage before the next run. */
    DAEMON_DIES,
    /** The same, in the middle of an operation on files. */
    DAEMON_DIES_WITHIN,
    /** The daemon ends, and only comes back for the last run. */
    DAEMON_STAYS_AWAY,
    /** The node is gone with all that it has stored. */
    NODE_IS_LOST,
    /** The same, in the middle of an operation on files. */
    NODE_IS_LOST_WITHIN,
    /** The node loses its power, and what it has not synced. */
    NODE_LOSES_POWER,
    /** All nodes and the prefix file system lose their power. */
    ALL_LOSE_POWER,
    /** A byte of a cached file is another one. */
    BYTE_ROTS,
    /** The daemon does nothing for a while. */
    PAUSE,
    /** The clock is set. */
    CLOCK,
    /** Nothing goes from these nodes to the others, nor back. */
    CUT,
    /** Nothing goes from these nodes to the others. */
    CUT_ONE_WAY,
    /** Messages are dropped, delayed and repeated. */
    BAD_LINKS,
    /** One operation on the node's own disk fails. */
    DISK_FAILS,
    /** The node's own disk is full for a while. */
    DISK_IS_FULL,
    /** The node's own disk does not answer for a while. */
    DISK_HANGS,
    /** One operation of the node on the prefix file system fails. */
    PREFIX_FAILS,
    /** Each operation of the node on the prefix file system fails for a while. */
    PREFIX_IS_AWAY,
    /** The prefix file system is full for a while. */
    PREFIX_IS_FULL,
    /** The prefix file system answers none of these nodes for a while. */
    PREFIX_HANGS,
    /** A byte of a dataset in the prefix file system is another one. */
    PREFIX_ROTS,
    /** The node sees names in the prefix file system as they were up to some seconds ago, for a while. */
    PREFIX_LAGS,
    /** The node loses its locks of the prefix file system while it works under one; that thread stands for a while. */
    LOCK_IS_LOST,
    /** All nodes and the prefix file system lose their power a moment after a rank hears that a dataset is complete. */
    ALL_LOSE_POWER_BEHIND,
    /** All nodes and the prefix file system lose their power in the middle of an operation of the node on files. */
    ALL_LOSE_POWER_WITHIN,
    /** The daemon does nothing for a while behind an operation on files. */
    PAUSE_WITHIN,
    /** One message of the node to another one, or one answer, is lost. */
    MESSAGE_IS_LOST,
    /** One message of the node to another one, or one answer, comes late. */
    MESSAGE_IS_LATE,
    /** One message of the node to another one, or one answer, comes twice, the second time late. */
    MESSAGE_IS_REPEATED,
    /** A thread of the daemon stands still for a while behind an operation on files. */
    THREAD_STANDS;

    /** At one operation or message, and nothing else: for {@link Sweep}, in no other profile. */
    boolean isForSweeps() {
      return compareTo(ALL_LOSE_POWER_BEHIND) > 0;
    }

    /** At one message between two nodes. */
    boolean isOfMessages() {
      return this == MESSAGE_IS_LOST || this == MESSAGE_IS_LATE || this == MESSAGE_IS_REPEATED;
    }

    boolean strikesAll() {
      return switch (this) {
        case ALL_LOSE_POWER, ALL_LOSE_POWER_BEHIND, BAD_LINKS, PREFIX_IS_FULL, PREFIX_LAGS -> true;
        default -> false;
      };
    }

    /** Whether somebody may not see the prefix directory as it is. */
    boolean hurtsPrefix() {
      return switch (this) {
        case PREFIX_FAILS, PREFIX_IS_AWAY, PREFIX_IS_FULL, PREFIX_HANGS, PREFIX_ROTS, PREFIX_LAGS, LOCK_IS_LOST -> true;
        default -> false;
      };
    }

    /** Whether a node may not be able to use its own disk. */
    boolean hurtsDisk() {
      return this == DISK_FAILS || this == DISK_IS_FULL || this == DISK_HANGS;
    }

    /** Whether nodes that live may not hear of each other. */
    boolean hidesNodes() {
      return switch (this) {
        case PAUSE, PAUSE_WITHIN, CUT, CUT_ONE_WAY, BAD_LINKS, DISK_HANGS -> true;
        default -> false;
      };
    }

    /** Whether what is not durable may go. */
    boolean losesPower() {
      return switch (this) {
        case NODE_LOSES_POWER, ALL_LOSE_POWER, ALL_LOSE_POWER_BEHIND, ALL_LOSE_POWER_WITHIN -> true;
        default -> false;
      };
    }

    /** Whether a copy of what a node holds is lost by it. */
    boolean loses() {
      return switch (this) {
        case DAEMON_STAYS_AWAY, NODE_IS_LOST, NODE_IS_LOST_WITHIN, NODE_LOSES_POWER, BYTE_ROTS -> true;
        default -> false;
      };
    }
  }

  @Override
  public String toString() {
    return "run " + run + " + " + afterMs + " ms: " + kind + " " + String.join(",", nodes)
        + (forMs > 0 ? " for " + forMs + " ms" : "")
        + (number > 0 ? (kind.isOfMessages() ? " at message " : " at operation ") + number : "")
        + (kind.losesPower() ? " keeping " + kept : "")
        + (failure == OperationFailure.ANY ? "" : " " + failure);
  }
}

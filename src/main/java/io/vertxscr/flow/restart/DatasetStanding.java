package io.vertxscr.flow.restart;

import java.util.List;

/**
 * How well the caches hold a dataset.
 *
 * @param missing ranks whose files are on no node, ascending
 * @param lost why the caches cannot give all of it back; empty if they can
 * @param nodes that hold some of it, by name
 * @param fatal those of them whose loss, of any one alone, would lose it; empty where it is lost already
 */
public record DatasetStanding(
    Grade state, List<Integer> missing, String lost, List<String> nodes, List<String> fatal) {
  /** How well. */
  public enum Grade {
    /** All files and all redundancy are there, each member of a set in a failure group of its own. */
    FULL,
    /**
     * All files are there, some of them without redundancy on another node. The run has not wanted it, or could not
     * have it.
     */
    SINGLE,
    /** Files or redundancy are missing, or too close together. A restart takes or rebuilds all files. */
    DEGRADED,
    /** The caches cannot give it back. */
    LOST,
    /** It is being written, or was written just now and is not protected yet. */
    OPEN
  }

  public DatasetStanding {
    missing = List.copyOf(missing);
    nodes = List.copyOf(nodes);
    fatal = List.copyOf(fatal);
  }

  /** Of the newest dataset of a run: what it lacks may be to come. */
  public DatasetStanding underWay() {
    return state == Grade.FULL || state == Grade.SINGLE ? this
        : new DatasetStanding(Grade.OPEN, missing, "", nodes, List.of());
  }
}

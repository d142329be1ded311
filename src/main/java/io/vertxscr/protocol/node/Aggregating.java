package io.vertxscr.protocol.node;

import io.vertxscr.model.RankFiles;
import java.util.List;

/** Messages that pack a dataset into containers of the prefix directory (docs/flows/containers.md). */
public final class Aggregating {
  private Aggregating() {}

  /** Sums of the files of these ranks. */
  public record MeasureOf(int datasetId, int attempt, List<Integer> ranks) {}

  /** Bytes of the files of the ranks together. */
  public record Measured(int datasetId, int attempt, long bytes) {}

  /**
   * Place of a node's files in the containers, one behind the other.
   *
   * @param layout name of what is written where; another one if a byte of the dataset may have another place
   * @param offset of the first byte in the dataset's stream
   * @param copied an earlier attempt has copied everything: nobody may write any more
   */
  public record Place(String layout, long containerBytes, long alignBytes, long offset, boolean copied) {}

  /**
   * Copy the files of these ranks into containers. Answered with {@link Flushing.Worked}.
   *
   * @param background whether phases of the run go first: nobody waits for it
   */
  public record Aggregate(int datasetId, int attempt, List<Integer> ranks, boolean background, Place place) {}

  /** Rename the containers of a layout to their places: all nodes have copied. @param count of containers */
  public record PublishContainers(int datasetId, int attempt, String prefix, String layout, int count) {}

  /** Entries of these ranks for a map of containers. */
  public record EntriesOf(int datasetId, List<Integer> ranks) {}

  /**
   * One of each for every rank, in the order asked for.
   *
   * @param offsets where the rank's files begin in the dataset's stream
   */
  public record Entries(List<RankFiles> files, List<Long> offsets, long containerBytes, long alignBytes) {}
}

package io.vertxscr.protocol.node;

import java.util.List;

/** Messages that bring a dataset to the prefix directory. */
public final class Flushing {
  private Flushing() {}

  /** Copy, or publish, these ranks' files. Outcomes carry the attempt they belong to. */
  public record Work(int datasetId, int attempt, List<Integer> ranks) {}

  /**
   * Copied.
   *
   * @param mapBytes what the entries of these ranks take in a rank2file map
   */
  public record Worked(int datasetId, int attempt, long mapBytes) {}

  /**
   * Write one part of the map.
   *
   * @param prefix directory that the dataset is in
   * @param ranks of the run that wrote it
   * @param ranksPerPart the same for all parts; the last one may have fewer
   * @param holders for each rank of the part, ascending, the node that has its files
   */
  public record MapPart(
      int datasetId, String prefix, int ranks, int firstRank, int ranksPerPart, List<String> holders) {}

  /**
   * What the filemap is to say of the flush.
   *
   * @param done the dataset is in the prefix directory, whole and durable; else it must get there
   */
  public record Flushed(int datasetId, boolean done) {}
}

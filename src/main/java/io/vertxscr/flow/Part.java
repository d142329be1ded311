package io.vertxscr.flow;

import java.util.List;

/** What one node contributes to a gather. */
public final class Part {
  private Part() {}

  /**
   * To START_OUTPUT.
   *
   * @param lastDatasetId highest dataset id that this node knows of
   * @param lastCheckpointId highest checkpoint id that this node knows of
   */
  public record Start(String name, int flags, int lastDatasetId, int lastCheckpointId) {}

  /**
   * To COMPLETE_OUTPUT.
   *
   * @param invalidRanks ranks whose files are not valid
   * @param why the reason for the first of them
   */
  public record Complete(int datasetId, List<Integer> invalidRanks, String why, long files, long bytes) {}

  /**
   * To PROTECTED and FLUSHED.
   *
   * @param fault number of the fault, 0 where all went well
   */
  public record Done(int datasetId, int fault, String message) {}

  /** To CURRENT, DROP and DELETE: the name of the dataset. */
  public record Named(String name) {}

  /** To the calls of the restart: which ranks failed to read (COMPLETE_RESTART), else nothing. */
  public record Restart(List<Integer> invalidRanks) {}
}

package io.vertxscr.protocol.node.scrub;

import io.vertxscr.protocol.FieldChecks;
import java.util.List;
import java.util.OptionalLong;

/**
 * From the leader: published datasets, and what it has found while it has read them.
 *
 * @param node that leads
 * @param roundSeconds within which each is read; 0: only when told to
 * @param datasets at most {@link #MOST_DATASETS}
 */
public record PublishedView(String node, int roundSeconds, List<PublishedDataset> datasets) {
  /** Bound of the list. */
  public static final int MOST_DATASETS = 1000;

  public PublishedView {
    FieldChecks.node("node", node);
    FieldChecks.count("roundSeconds", roundSeconds);
    FieldChecks.size("datasets", datasets, MOST_DATASETS);
  }

  /**
   * A published dataset.
   *
   * @param prefix its prefix directory
   * @param lookedAtMs when this leader had read all of it, since 1970
   * @param due whether it is to be read now
   * @param problem what differs; empty without damage
   */
  public record PublishedDataset(String prefix, int dataset, String name, long bytes, OptionalLong lookedAtMs,
      boolean due, String problem) {
    public PublishedDataset {
      FieldChecks.absolute("prefix", prefix);
      FieldChecks.dataset(dataset);
      FieldChecks.label("name", name);
      FieldChecks.bytes("bytes", bytes);
      lookedAtMs.ifPresent(at -> FieldChecks.count("lookedAtMs", at));
      FieldChecks.sentence("problem", problem);
    }
  }
}

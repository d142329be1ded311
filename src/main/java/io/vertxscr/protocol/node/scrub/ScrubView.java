package io.vertxscr.protocol.node.scrub;

import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;
import java.util.OptionalLong;

/**
 * The scrub of a node.
 *
 * @param roundSeconds within which everything is read; 0: never, unless somebody says so
 * @param mostBytesPerSecond upper bound of the rate
 * @param state {@code off}, {@code idle}, {@code reading}, {@code late} or {@code yielding}
 */
public record ScrubView(
    String node, int roundSeconds, long mostBytesPerSecond, String state, List<ScrubbedDataset> datasets) {
  public ScrubView {
    FieldChecks.node("node", node);
    FieldChecks.count("roundSeconds", roundSeconds);
    FieldChecks.bytes("mostBytesPerSecond", mostBytesPerSecond);
    FieldChecks.sentence("state", state);
    FieldChecks.size("datasets", datasets, Limits.MAX_DATASETS);
  }

  /**
   * A dataset of its caches.
   *
   * @param lookedAtMs when it was last read to its end, since 1970; empty for not yet
   * @param leftBytes of a look that has begun; 0 for none
   * @param found parts that were damaged, since the daemon began
   * @param repaired of these
   * @param damaged what is damaged now, in sentences
   */
  public record ScrubbedDataset(int dataset, String name, OptionalLong lookedAtMs, long bytes, long leftBytes,
      int found, int repaired, List<String> damaged) {
    public ScrubbedDataset {
      FieldChecks.dataset(dataset);
      FieldChecks.label("name", name);
      lookedAtMs.ifPresent(ms -> FieldChecks.count("lookedAtMs", ms));
      FieldChecks.bytes("bytes", bytes);
      FieldChecks.bytes("leftBytes", leftBytes);
      FieldChecks.count("found", found);
      FieldChecks.count("repaired", repaired);
      FieldChecks.sentences("damaged", damaged);
    }
  }
}

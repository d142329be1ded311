package io.vertxscr.explain;

import java.time.LocalDateTime;
import java.util.Optional;

/**
 * How fast the last restarts got their files back, as far as that was measured.
 *
 * @param rebuild of one that has computed files from redundancy
 * @param fetch of one that has copied files from the prefix directory
 */
public record RestoreRates(Optional<Rate> rebuild, Optional<Rate> fetch) {
  /** Nothing was measured. */
  public static final RestoreRates NONE = new RestoreRates(Optional.empty(), Optional.empty());

  /**
   * One measurement: from the choice of the checkpoint until every rank's files were on its node.
   *
   * @param bytes that were rebuilt or fetched
   * @param dataset its id
   */
  public record Rate(double bytes, double seconds, int dataset, LocalDateTime time) {
    public Rate {
      if (!(bytes > 0) || !(seconds > 0)) {
        throw new IllegalArgumentException(bytes + " bytes in " + seconds + " s are no rate");
      }
    }

    public double bytesPerSecond() {
      return bytes / seconds;
    }
  }
}

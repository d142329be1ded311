package io.vertxscr.service.log;

import io.vertxscr.service.Event;
import io.vertxscr.service.Observer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/**
 * Collects operations with times, bytes and bandwidths, for rank 0's standard error (SCR_DEBUG). On the node's loop.
 *
 * <pre>
 *   checkpoint step-3 (dataset 3): 0.400 s, 4 files, 64.000 MB, 160.000 MB/s, protected in 0.100 s, 640.000 MB/s
 *   flush of dataset 3: 0.800 s, 64.000 MB, 80.000 MB/s
 * </pre>
 */
public final class Operations implements Observer {
  /**
   * Limit of pending lines. A flush may be behind by some, but a hundred between two checkpoints are too many to read.
   */
  private static final int MOST_LINES = 100;
  private static final double US = 1e6;
  private static final double MB = 1 << 20;

  private final Deque<String> lines = new ArrayDeque<>();
  private Event.PhaseStarted phase = new Event.PhaseStarted(0, 0, "", true, false);
  private long restoredBytes;
  private boolean wanted;

  /** Whether the run wants to know; what was collected for another run is forgotten. */
  public void want(boolean wants) {
    wanted = wants;
    lines.clear();
  }

  /** The lines since the last time. */
  public List<String> take() {
    List<String> taken = List.copyOf(lines);
    lines.clear();
    return taken;
  }

  @Override
  public void notice(Event event) {
    switch (event) {
      case Event.PhaseStarted started -> phase = started;
      case Event.DatasetComplete complete -> complete(complete);
      case Event.DatasetDiscarded bad -> add(what(bad.dataset()) + ": discarded after "
          + seconds(bad.extent().phaseUs()) + ": " + bad.cause());
      case Event.FlushDone flush -> add("flush of dataset " + flush.dataset() + ": "
          + moved(flush.flushUs(), flush.bytes()));
      case Event.FlushFailed flush -> add("flush of dataset " + flush.dataset() + ": attempt " + flush.attempt()
          + " failed: " + flush.cause());
      case Event.FlushGivenUp flush -> add("flush of dataset " + flush.dataset() + ": given up after "
          + seconds(flush.flushUs()) + ": " + flush.cause());
      case Event.Restored restored -> restored(restored);
      case Event.RestartFailed bad -> add("restart from dataset " + bad.dataset() + ": failed: " + bad.cause());
      case Event.ProtectionCaughtUp caughtUp -> add("dataset " + caughtUp.dataset() + " protected again: "
          + seconds(caughtUp.protectionUs()));
      default -> {
        // Not about bytes that went from one place to another.
      }
    }
  }

  /** All ranks have read the checkpoint, in so long. */
  public void restarted(int dataset, long restartUs) {
    add("restart from dataset " + dataset + ": " + moved(restartUs, restoredBytes));
  }

  private void add(String line) {
    if (wanted) {
      lines.add(line);
      if (lines.size() > MOST_LINES) {
        lines.removeFirst();
      }
    }
  }

  private void complete(Event.DatasetComplete complete) {
    Event.PhaseExtent extent = complete.extent();
    add(what(complete.dataset()) + ": " + seconds(extent.phaseUs()) + ", " + extent.files() + " files, "
        + size(extent.bytes()) + rate(extent.phaseUs(), extent.bytes()) + ", protected in "
        + seconds(extent.protectionUs()) + rate(extent.protectionUs(), extent.bytes()));
  }

  private void restored(Event.Restored restored) {
    Event.Ways ways = restored.ranks();
    restoredBytes = restored.bytes();
    add((ways.fetched() > 0 ? "fetch of dataset " : "rebuild of dataset ") + restored.dataset() + ": "
        + moved(restored.restoreUs(), restored.bytes()) + "; ranks: " + ways.kept() + " kept, " + ways.moved()
        + " moved, " + ways.rebuilt() + " rebuilt, " + ways.fetched() + " fetched");
  }

  private String what(int dataset) {
    String kind = phase.dataset() == dataset && !phase.checkpoint() ? "output" : "checkpoint";
    return kind + (phase.dataset() == dataset ? " " + phase.name() + " (dataset " + dataset + ")"
        : " of dataset " + dataset);
  }

  /** Bytes that are not known, as by a leader that took over meanwhile, are left out. */
  private static String moved(long us, long bytes) {
    return seconds(us) + (bytes > 0 ? ", " + size(bytes) + rate(us, bytes) : "");
  }

  private static String seconds(long us) {
    return number(us / US, 3) + " s";
  }

  private static String size(long bytes) {
    return number(bytes / MB, 3) + " MB";
  }

  private static String rate(long us, long bytes) {
    return us > 0 && bytes > 0 ? ", " + number(bytes / MB / (us / US), 3) + " MB/s" : "";
  }

  private static String number(double value, int decimals) {
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}

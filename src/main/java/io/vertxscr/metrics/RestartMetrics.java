package io.vertxscr.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.vertxscr.service.Event.CopyProgress;
import io.vertxscr.service.Event;
import io.vertxscr.service.Observer;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** Restarts, and what they found. */
final class RestartMetrics implements Observer {
  private final Timer restored;
  private final Counter kept;
  private final Counter moved;
  private final Counter rebuilt;
  private final Counter fetched;
  private final Counter read;
  private final FaultCounters unread;
  private final FaultCounters passedOver;
  private final Counter withoutCheckpoint;
  private final Counter corrupt;
  private final Counter quarantined;
  private final Counter points;
  private final Counter dropped;
  private final Timer caughtUp;
  private final FaultCounters notCaughtUp;
  private volatile CopyProgress fetch = new CopyProgress(0, 0, 0, OptionalLong.empty());

  RestartMetrics(MeterRegistry registry) {
    Gauge.builder("scr_fetch_bytes", () -> fetch.totalBytes()).strongReference(true)
        .description("bytes of this node's current fetch, or of its last one").register(registry);
    Gauge.builder("scr_fetch_copied_bytes", () -> fetch.doneBytes()).strongReference(true)
        .description("of these, bytes already in the cache").register(registry);

    restored = Timer.builder("scr_restart").description("restore of a checkpoint on the nodes of all ranks")
        .register(registry);
    kept = ranks(registry, "kept");
    moved = ranks(registry, "moved");
    rebuilt = ranks(registry, "rebuilt");
    fetched = ranks(registry, "fetched");
    read = Counter.builder("scr_restart_read").description("restarts that all ranks have read").register(registry);
    unread = new FaultCounters(registry, "scr_restart_failures", "restarts that some rank could not read");
    passedOver = new FaultCounters(
        registry, "scr_restart_passed_over", "checkpoints that could not be restored, so that the next one was tried");
    withoutCheckpoint = Counter.builder("scr_restart_anew")
        .description("runs that began without a checkpoint although the index lists some")
        .register(registry);
    corrupt = Counter.builder("scr_restart_corrupt_ranks")
        .description("ranks whose files in a cache differed from their checksums").register(registry);
    quarantined = Counter.builder("scr_restart_quarantined")
        .description("checkpoints quarantined because runs failed while reading them")
        .register(registry);
    points = Counter.builder("scr_restart_points").description("checkpoints that the application has made current")
        .register(registry);
    dropped = Counter.builder("scr_datasets_dropped").description("datasets dropped or deleted by the application")
        .register(registry);
    caughtUp = Timer.builder("scr_restart_protection").description("background protection after a restart")
        .register(registry);
    notCaughtUp = new FaultCounters(
        registry, "scr_restart_protection_failures", "restored datasets that are left without redundancy");
  }

  private static Counter ranks(MeterRegistry registry, String way) {
    return Counter.builder("scr_restart_ranks").description("ranks that were restored, by the way of their files")
        .tag("way", way).register(registry);
  }

  @Override
  public void notice(Event event) {
    switch (event) {
      case Event.RestartRead _ -> read.increment();
      case Event.RestartFailed failed -> unread.count(failed.fault());
      case Event.RestartPassedOver bad -> passedOver.count(bad.fault());
      case Event.RestartAnew _ -> withoutCheckpoint.increment();
      case Event.Restored(_, Event.Ways ranks, _, long restoreUs) -> {
        restored.record(restoreUs, TimeUnit.MICROSECONDS);
        kept.increment(ranks.kept());
        moved.increment(ranks.moved());
        rebuilt.increment(ranks.rebuilt());
        fetched.increment(ranks.fetched());
      }
      case Event.CorruptFound _ -> corrupt.increment();
      case Event.FetchProgress(int _, CopyProgress copied) -> fetch = copied;
      case Event.Quarantined _ -> quarantined.increment();
      case Event.RestartPoint _ -> points.increment();
      case Event.DatasetDropped _ -> dropped.increment();
      case Event.ProtectionCaughtUp(_, long protectionUs) -> caughtUp.record(protectionUs, TimeUnit.MICROSECONDS);
      case Event.ProtectionNotCaughtUp not -> notCaughtUp.count(not.fault());
      default -> {
        // Others count that.
      }
    }
  }
}

package io.vertxscr.service.log;

import io.vertxscr.format.prefix.LogLine.Builder;
import io.vertxscr.format.prefix.LogLine;
import io.vertxscr.model.Fault;
import io.vertxscr.model.HeldPart;
import io.vertxscr.service.Event;
import io.vertxscr.service.Recent;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Formats events as log lines (docs/formats/log.md). Remembers names of datasets. Not thread-safe. */
public final class LogLines {
  private static final double US = 1e6;
  /** A flush is hardly ever so many datasets behind; lines about an older one lack its name. */
  private static final int MOST_NAMES = 100;

  private final String host;
  private final String jobId;
  private boolean background;
  private final Recent<Integer, Event.PhaseStarted> phases = new Recent<>(MOST_NAMES);
  private boolean begun;

  /** Creates the formatter of a node. */
  public LogLines(String host, String jobId) {
    this.host = host;
    this.jobId = jobId;
  }

  /** Whether flushes are done while the application computes. */
  void background(boolean flushes) {
    background = flushes;
  }

  /** Lines of one event, in order. */
  private final class Page {
    private final LocalDateTime now;
    private final List<LogLine> lines = new ArrayList<>();

    Page(LocalDateTime now) {
      this.now = now.truncatedTo(ChronoUnit.SECONDS);
    }

    Page add(Builder line) {
      lines.add(line.at(now, host, jobId));
      return this;
    }

    /** Something that began so long ago. */
    Page before(double seconds, Builder line) {
      LocalDateTime then = now.minus(Duration.ofMillis((long) (seconds * 1000))).truncatedTo(ChronoUnit.SECONDS);
      lines.add(line.at(then, host, jobId));
      return this;
    }
  }

  /** The lines; none for what does not belong into the log. */
  public List<LogLine> of(Event event, LocalDateTime now) {
    Page page = new Page(now);
    switch (event) {
      case Event.RunBegun run -> runBegun(page, run);
      case Event.RunOver over -> runOver(page, over);
      case Event.Halting halting -> page.add(line("HALT", 0).text("note", halting.reason() + ": " + halting.cause()));
      case Event.PhaseStarted phase -> phaseStarted(page, phase);
      case Event.DatasetComplete complete -> complete(page, complete);
      case Event.DatasetDiscarded bad -> page.add(line(kind(bad.dataset()) + "_END", bad.dataset())
          .text("note", "discarded: " + bad.cause()).seconds(bad.extent().phaseUs() / US))
          .add(LogLine.event("COMPUTE_START"));
      case Event.Restored restored -> restored(page, restored);
      case Event.RestartRead read -> page.add(line("RESTART_SUCCESS", read.dataset()));
      case Event.RestartFailed bad -> page.add(line("RESTART_FAIL", bad.dataset()).text("note", bad.cause()));
      case Event.RestartPassedOver bad -> page.add(LogLine.event(bad.cached() ? "REBUILD_FAIL" : "FETCH_FAIL")
          .dataset(bad.dataset()).text("name", bad.name()).text("note", bad.fault() + ": " + bad.cause()));
      case Event.RestartAnew start -> page.add(LogLine.event("RESTART_ANEW").text("note", start.cause()));
      case Event.ScavengeStarted(int dataset, String name, _, String why) ->
          page.add(LogLine.event("SCAVENGE_START").dataset(dataset).text("name", name).text("note", why));
      case Event.ScavengeEnded(int dataset, String name, String why) -> page.add(LogLine.event("SCAVENGE_END")
          .dataset(dataset).text("name", name).text("note", why.isEmpty() ? "in the prefix directory" : why));
      case Event.FlushStarted flush -> page.add(line(flush("FLUSH_START"), flush.dataset()));
      case Event.FlushDone flush -> page.add(line(flush("FLUSH_SUCCESS"), flush.dataset())
          .seconds(flush.flushUs() / US)).add(transfer(background ? "FLUSH_ASYNC" : "FLUSH_SYNC", flush.dataset())
          .seconds(flush.flushUs() / US).bytesAndFiles(flush.bytes(), 0));
      case Event.FlushFailed flush ->
          page.add(line(flush("FLUSH_FAIL"), flush.dataset()).text("note", flush.cause()));
      case Event.FlushGivenUp flush -> page.add(line(flush("FLUSH_FAIL"), flush.dataset())
          .text("note", "given up: " + flush.cause()).seconds(flush.flushUs() / US));
      case Event.CorruptFound bad -> page.add(line("CRC32_MISMATCH", bad.dataset())
          .text("note", "rank " + bad.rank() + " on " + bad.about()));
      case Event.DamageFound bad -> page.add(line("SCRUB_FOUND", bad.dataset())
          .text("note", part(bad.part(), bad.rank(), bad.about()) + ": " + bad.cause()));
      case Event.DamageRepaired good -> page.add(line("SCRUB_REPAIRED", good.dataset())
          .text("note", part(good.part(), good.rank(), good.about())).seconds(good.repairUs() / US));
      case Event.DamageStays bad -> page.add(line("SCRUB_FAIL", bad.dataset())
          .text("note", part(bad.part(), bad.rank(), bad.about()) + ": " + bad.cause()));
      case Event.PublishedDamaged bad -> page.add(line("VERIFY_FAIL", bad.dataset()).text("note", bad.cause()));
      case Event.HealStarted heal -> page.add(line("HEAL_START", heal.dataset()));
      case Event.HealDone heal -> page.add(line("HEAL_SUCCESS", heal.dataset()).seconds(heal.healUs() / US));
      case Event.HealStopped bad -> page.add(line("HEAL_FAIL", bad.dataset()).text("note", bad.cause()));
      case Event.ProtectionWeak weak -> page.add(LogLine.event("PROTECTION_WEAK").text("note", weak.cause()));
      case Event.ProtectionNotCaughtUp bad ->
          page.add(line("PROTECTION_FAIL", bad.dataset()).text("note", bad.cause()));
      case Event.Quarantined bad -> page.add(LogLine.event("QUARANTINE").dataset(bad.dataset())
          .text("name", bad.name()).text("note", bad.cause()));
      case Event.RestartPoint point -> page.add(LogLine.event("CURRENT").dataset(point.dataset())
          .text("name", point.name()));
      case Event.DatasetDropped gone -> page.add(LogLine.event(gone.deleted() ? "DELETE" : "DROP")
          .dataset(gone.dataset()).text("name", gone.name()));
      case Event.PrefixDeleted gone -> page.add(LogLine.event("DELETE").dataset(gone.dataset())
          .text("name", gone.name()).text("note", "from the prefix directory only"));
      case Event.NodeJoined _, Event.NodeLeft _, Event.ProtectionCaughtUp _, Event.PhaseHeldUp _,
          Event.PhaseRefused _, Event.Evicted _,
          Event.FlushProgress _, Event.FetchProgress _, Event.ScrubDone _, Event.PublishedVerified _,
          Event.HealProgress _,
          Event.DrainStarted _, Event.DrainDone _, Event.DrainStopped _, Event.DrainCancelled _,
          Event.CallFailed _ -> {
        // Not about the run itself; bus and meters have them.
      }
    }
    return page.lines;
  }

  private static String part(HeldPart part, int rank, String node) {
    return part + " of rank " + rank + " on " + node;
  }

  private void runBegun(Page page, Event.RunBegun run) {
    if (!begun) {
      begun = true;
      page.add(LogLine.event("START").text("note", run.prefix()));
    }
    page.add(LogLine.event("RUN_START").text("note", "run " + run.run() + ": " + run.ranks() + " ranks on "
        + run.nodes() + " nodes").text("name", run.jobName()));
    page.add(LogLine.event("COMPUTE_START"));
  }

  private void runOver(Page page, Event.RunOver over) {
    if (over.dataset() == 0) {
      page.add(LogLine.event("COMPUTE_END"));
    }
    if (over.fault().filter(fault -> fault == Fault.NODE_LOST).isPresent()) {
      page.add(LogLine.event("NODE_FAIL").text("note", over.cause()));
    }
    String end = over.fault().map(fault -> fault + ": " + over.cause()).orElse("finalized");
    page.add(line("RUN_END", over.dataset()).text("note", "run " + over.run() + ": " + end));
  }

  private void phaseStarted(Page page, Event.PhaseStarted phase) {
    phases.put(phase.dataset(), phase);
    page.add(LogLine.event("COMPUTE_END"));
    page.add(line(kind(phase.dataset()) + "_START", phase.dataset()));
  }

  private void complete(Page page, Event.DatasetComplete complete) {
    Event.PhaseExtent extent = complete.extent();
    String kind = kind(complete.dataset());
    page.add(line(kind + "_END", complete.dataset()).seconds(extent.phaseUs() / US));
    page.add(transfer("WRITE", complete.dataset()).seconds((extent.phaseUs() - extent.protectionUs()) / US)
        .bytesAndFiles(extent.bytes(), extent.files()));
    page.add(transfer("ENCODE", complete.dataset()).seconds(extent.protectionUs() / US)
        .bytesAndFiles(extent.bytes(), extent.files()));
    page.add(transfer(kind, complete.dataset()).seconds(extent.phaseUs() / US)
        .bytesAndFiles(extent.bytes(), extent.files()));
    page.add(LogLine.event("COMPUTE_START"));
  }

  private void restored(Page page, Event.Restored restored) {
    Event.Ways ways = restored.ranks();
    double seconds = restored.restoreUs() / US;
    String note = ways.kept() + " kept, " + ways.moved() + " moved, " + ways.rebuilt() + " rebuilt, " + ways.fetched()
        + " fetched";
    String what = ways.fetched() > 0 ? "FETCH" : "REBUILD";
    page.before(seconds, line(what + "_START", restored.dataset()));
    page.add(line(what + "_SUCCESS", restored.dataset()).text("note", note).seconds(seconds));
    if (ways.fetched() > 0) {
      page.add(transfer("FETCH", restored.dataset()).seconds(seconds));
    }
  }

  private String flush(String event) {
    return background ? "ASYNC_" + event : event;
  }

  /** A dataset that is a checkpoint too is logged as one. */
  private String kind(int dataset) {
    return phases.get(dataset).filter(phase -> !phase.checkpoint()).isPresent() ? "OUTPUT" : "CHECKPOINT";
  }

  private Builder line(String event, int dataset) {
    return named(LogLine.event(event), dataset);
  }

  private Builder transfer(String transfer, int dataset) {
    return LogLine.transfer(transfer).text("from", host).text("to", host).dataset(dataset);
  }

  private Builder named(Builder line, int dataset) {
    return line.dataset(dataset).text("name", phases.get(dataset).map(Event.PhaseStarted::name).orElse(""));
  }
}

package io.vertxscr.service;

import java.util.Optional;

/**
 * Reports the roots of output phases, from the events that the leader alone emits, once. One that took over amid a
 * phase reports it from there on.
 */
public final class TraceRoots implements Observer {
  private final Traces traces;
  private Optional<Event.PhaseStarted> begun = Optional.empty();
  private long sinceNs;

  /** Of phases that this node leads. */
  public TraceRoots(Traces traces) {
    this.traces = traces;
  }

  @Override
  public void notice(Event event) {
    switch (event) {
      case Event.PhaseStarted started when started.output() || started.checkpoint() -> {
        begun = Optional.of(started);
        sinceNs = traces.now();
      }
      case Event.DatasetComplete complete ->
          end(complete.run(), complete.dataset(), Optional.of(complete.extent()), Optional.empty());
      case Event.DatasetDiscarded failed -> end(failed.run(), failed.dataset(), Optional.of(failed.extent()),
          Optional.of(new TraceSpan.Failure(failed.fault(), failed.cause())));
      case Event.RunOver over when over.dataset() != 0 && over.fault().isPresent() ->
          end(over.run(), over.dataset(), Optional.empty(),
              over.fault().map(fault -> new TraceSpan.Failure(fault, over.cause())));
      case Event.RunOver _ -> traces.forgetGathers();
      default -> { }
    }
  }

  private void end(
      long run, int dataset, Optional<Event.PhaseExtent> extent, Optional<TraceSpan.Failure> failure) {
    TraceScope root = traces.phase(run, dataset);
    Optional<Event.PhaseStarted> mine =
        begun.filter(started -> started.run() == run && started.dataset() == dataset);
    if (mine.isPresent()) {
      root = root.with("scr.dataset.name", mine.get().name());
    }
    if (extent.isPresent()) {
      root = root.with("scr.dataset.bytes", extent.get().bytes()).with("scr.dataset.files", extent.get().files());
    }
    traces.gathers(root);
    long since = mine.isPresent() ? sinceNs : traces.now() - extent.map(known -> known.phaseUs() * 1000).orElse(0L);
    traces.ended(root, since, failure);
    begun = Optional.empty();
  }
}

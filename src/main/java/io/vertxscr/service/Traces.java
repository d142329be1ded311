package io.vertxscr.service;

import io.vertx.core.Future;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The spans of a node (docs/flows/traces.md). Off, it does nothing, and what it returns are constants.
 *
 * <p>A span is reported when it ends, and once: work that is repeated because a message came twice has the ids of the
 * first, and is left out. Spans may be ended on any thread; all else is for the node's loop.
 */
public final class Traces {
  /** Nobody reads traces. */
  public static final Traces OFF = new Traces();
  /** Of ids by which repetitions are known; several phases of a node with hundreds of ranks. */
  private static final int MOST_KNOWN = 8192;
  /** Gathers between two roots. */
  private static final int MOST_GATHERS = 16;
  private static final long NS_PER_S = 1_000_000_000;

  private final String node;
  private final Loop loop;
  private final Tracer tracer;
  private final Set<String> known = new LinkedHashSet<>();
  private final List<Gathered> gathers = new ArrayList<>();
  private Supplier<String> leader;

  /** A gather at the leader. */
  private record Gathered(String title, long sinceNs, long untilNs, String last) {}

  private Traces() {
    this("", null, null);
  }

  /** Reports the spans of a node. */
  public Traces(String node, Loop loop, Tracer tracer) {
    this.node = node;
    this.loop = loop;
    this.tracer = tracer;
    this.leader = () -> node;
  }

  /** Who leads, as far as this node knows. */
  public void follow(Supplier<String> who) {
    if (isOn()) {
      leader = who;
    }
  }

  /** Whether anybody reads them. */
  public boolean isOn() {
    return tracer != null;
  }

  /** Now, for the begin of a span; 0 where nobody reads it. */
  public long now() {
    return isOn() ? loop.nanoTime() : 0;
  }

  /** The output phase of a dataset. */
  public TraceScope phase(long run, int datasetId) {
    return isOn() ? TraceScope.root("scr.output", "output " + run + " " + datasetId, node)
        .with("scr.run.id", run).with("scr.dataset.id", datasetId) : TraceScope.NONE;
  }

  /** The flush of a dataset. */
  public TraceScope flush(DatasetKey dataset) {
    return isOn() ? TraceScope.root("scr.flush", "flush " + dataset, node).with("scr.dataset.id", dataset.id())
        : TraceScope.NONE;
  }

  /** One attempt of it, under the node that leads. */
  public TraceScope attempt(DatasetKey dataset, int attempt) {
    return isOn() ? flush(dataset).on(leader.get()).child("attempt", attempt).on(node)
        .with("scr.flush.attempt", attempt) : TraceScope.NONE;
  }

  /** A step of an attempt that the leader has commanded. */
  public TraceScope attempt(DatasetKey dataset, int attempt, String step) {
    return isOn() ? attempt(dataset, attempt).on(leader.get()).child(step).on(node) : TraceScope.NONE;
  }

  /** Reports a span when the future ends. Returns a future with the same result. */
  public <T> Future<T> span(TraceScope scope, long sinceNs, Future<T> work) {
    return scope.isNone() ? work : work.onComplete((_, failure) -> ended(scope, sinceNs, failure));
  }

  /** Reports a span that ends now. @param failure null where it has none */
  public void ended(TraceScope scope, long sinceNs, Throwable failure) {
    if (!scope.isNone()) {
      ended(scope, sinceNs, loop.nanoTime(), Optional.ofNullable(failure).map(Traces::failure));
    }
  }

  /** Reports a span that has failed by now, or not. */
  void ended(TraceScope scope, long sinceNs, Optional<TraceSpan.Failure> failure) {
    ended(scope, sinceNs, loop.nanoTime(), failure);
  }

  /** Reports a span that has ended at some time, by the nano clock. */
  public void ended(TraceScope scope, long sinceNs, long untilNs) {
    if (!scope.isNone()) {
      ended(scope, sinceNs, untilNs, Optional.empty());
    }
  }

  private void ended(TraceScope scope, long sinceNs, long untilNs, Optional<TraceSpan.Failure> failure) {
    if (isFirst(scope.spanId())) {
      Instant wall = loop.clock().instant();
      long endNs = wall.getEpochSecond() * NS_PER_S + wall.getNano() - (loop.nanoTime() - untilNs);
      tracer.ended(new TraceSpan(scope.traceId(), scope.spanId(), scope.parentId(), scope.name(), node,
          endNs - Math.max(0, untilNs - sinceNs), endNs, scope.attributes(), failure));
    }
  }

  private boolean isFirst(String spanId) {
    synchronized (known) {
      if (known.size() == MOST_KNOWN) {
        known.remove(known.iterator().next());
      }
      return known.add(spanId);
    }
  }

  private static TraceSpan.Failure failure(Throwable failure) {
    return new TraceSpan.Failure(failure instanceof ScrException e ? e.fault() : Fault.INTERNAL,
        String.valueOf(failure.getMessage()));
  }

  /** A gather is complete at the leader. @param last whose part was the last one */
  public void gathered(String title, long sinceNs, String last) {
    if (!isOn()) {
      return;
    }
    if (title.equals(Step.START_OUTPUT.title())) {
      gathers.clear();                                    // those before belong to no output phase
    }
    if (gathers.size() < MOST_GATHERS) {
      gathers.add(new Gathered(title, sinceNs, loop.nanoTime(), last));
    }
  }

  /** Reports the gathers since the last call, below a root that ends now. */
  void gathers(TraceScope root) {
    gathers.forEach(gather -> ended(root.child("gather", gather.title()).with("scr.step", gather.title())
        .with("scr.node.last", gather.last()), gather.sinceNs(), gather.untilNs()));
    gathers.clear();
  }

  /** Forgets the gathers of what has no trace. */
  void forgetGathers() {
    gathers.clear();
  }
}

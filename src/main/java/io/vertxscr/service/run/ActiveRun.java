package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.flow.gather.GatherBook;
import io.vertxscr.flow.gather.GatherBook.Arrival;
import io.vertxscr.flow.gather.NodeContribution;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.Packed;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.run.GatherPart;
import io.vertxscr.protocol.node.run.GatherResult;
import io.vertxscr.protocol.node.run.NodeRunState;
import io.vertxscr.protocol.node.run.OpenWaits;
import io.vertxscr.protocol.node.run.RunView;
import io.vertxscr.service.Loop;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** The leader's side of a run that has begun: its open gather, and the nodes that wait for its result. */
public final class ActiveRun {
  private final Loop loop;
  private final Collection<String> nodes;
  private final GatherBook<GatherPart, GatherResult> book;
  private final Map<String, Promise<GatherResult>> waiting = new HashMap<>();
  private RunInfo info;
  private boolean finalized;
  private boolean told;
  /** When the open gather began, where traces are read. */
  private long sinceNs;

  /** A run that begins now. */
  ActiveRun(Loop loop, RunInfo info) {
    this(loop, info, 0, null, false);
  }

  private ActiveRun(Loop loop, RunInfo info, long concluded, GatherResult result, boolean finalized) {
    this.loop = loop;
    this.nodes = info.map().byNode().keySet();
    this.book = new GatherBook<>(nodes, concluded, result);
    this.info = info;
    this.finalized = finalized;
  }

  /**
   * A run that an earlier leader has led.
   *
   * @param newest state of the node with the newest result
   * @param finalized whether some node has heard that the run has finalized
   */
  static ActiveRun adopted(Loop loop, NodeRunState newest, boolean finalized) {
    return new ActiveRun(loop, newest.run().orElseThrow(), newest.number(), newest.gathered().orElse(null), finalized);
  }

  /** All nodes know that it has begun. */
  void told() {
    told = true;
  }

  boolean isTold() {
    return told;
  }

  public RunInfo info() {
    return info;
  }

  /** @param changed of the same run: its ranks stay on their nodes */
  public void info(RunInfo changed) {
    info = changed;
  }

  Collection<String> nodes() {
    return nodes;
  }

  boolean finalized() {
    return finalized;
  }

  /** Records a contribution. After the last one the step's handler is called once, then the remarks for rank 0. */
  Future<GatherResult> arrive(GatherPart part, Function<Step, GatherHandler> handlers, Supplier<List<String>> remarks) {
    Promise<GatherResult> promise = loop.promise();
    switch (book.arrive(part.node(), part.number(), part.step(), part)) {
      case Arrival.Known<GatherPart, GatherResult>(GatherResult result) -> promise.complete(result);
      case Arrival.Wait<GatherPart, GatherResult> _ -> waits(part.node(), promise);
      case Arrival.Odd<GatherPart, GatherResult>(String how) -> {
        waits(part.node(), promise);
        conclude(new GatherResult(Fault.RANKS_DISAGREE.number(), how, Packed.NOTHING));
      }
      case Arrival.All<GatherPart, GatherResult>(Step step, var parts) -> {
        loop.traces().gathered(step.title(), waiting.isEmpty() ? loop.traces().now() : sinceNs, part.node());
        waits(part.node(), promise);
        Future<Packed> decided =
            Future.succeededFuture().compose(_ -> handlers.apply(step).handle(this, agreed(parts)));
        decided.onComplete((result, failure) -> {
          finalized |= step == Step.FINALIZE && failure == null;
          conclude(failure == null ? new GatherResult(0, "", result, remarks.get()) : failed(failure));
        });
      }
    }
    return promise.future();
  }

  private static List<NodeContribution<Packed>> agreed(List<NodeContribution<GatherPart>> parts) {
    for (NodeContribution<GatherPart> from : parts) {
      from.part().odd().ifPresent(how -> {
        throw new ScrException(Fault.RANKS_DISAGREE, "on node " + from.node() + ", " + how);
      });
    }
    return parts.stream().map(from -> new NodeContribution<>(from.node(), from.part().part())).toList();
  }

  private void waits(String node, Promise<GatherResult> promise) {
    sinceNs = waiting.isEmpty() ? loop.traces().now() : sinceNs;
    Promise<GatherResult> asksAgain = waiting.put(node, promise);
    if (asksAgain != null) {
      // The sender has given up its first request: the reply is ignored.
      asksAgain.fail(new ScrException(Fault.TIMEOUT, "asked again"));
    }
  }

  private static GatherResult failed(Throwable failure) {
    Fault fault = failure instanceof ScrException e ? e.fault() : Fault.INTERNAL;
    return new GatherResult(fault.number(), String.valueOf(failure.getMessage()), Packed.NOTHING);
  }

  private void conclude(GatherResult result) {
    book.done(result);
    List<Promise<GatherResult>> promises = List.copyOf(waiting.values());
    waiting.clear();
    promises.forEach(promise -> promise.tryComplete(result));
  }

  void fail(ScrException cause) {
    List<Promise<GatherResult>> promises = List.copyOf(waiting.values());
    waiting.clear();
    promises.forEach(promise -> promise.tryFail(cause));
  }

  OpenWaits waits() {
    return book.waitingIn()
        .map(step -> new OpenWaits(step.title() + ": " + (nodes().size() - book.missing().size()) + " of "
            + nodes().size() + " nodes", book.missing()))
        .orElseGet(() -> new OpenWaits("the application computes", List.of()))
        .of(new RunView(info.run(), info.jobName(), info.prefix(), info.map().size(), List.copyOf(nodes())));
  }
}

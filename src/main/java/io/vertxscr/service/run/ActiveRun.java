package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.flow.gather.GatherBook.Arrival;
import io.vertxscr.flow.gather.GatherBook;
import io.vertxscr.flow.gather.NodeContribution;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.Packed;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.Running.Gather;
import io.vertxscr.protocol.node.Running.Gathered;
import io.vertxscr.protocol.node.Running.State;
import io.vertxscr.protocol.node.Running.Waits;
import io.vertxscr.service.Loop;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** The leader's side of a run that has begun: its open gather, and the nodes that wait for its result. */
public final class ActiveRun {
  private final Loop loop;
  private final Collection<String> nodes;
  private final GatherBook<Gather, Gathered> book;
  private final Map<String, Promise<Gathered>> waiting = new HashMap<>();
  private RunInfo info;
  private boolean finalized;

  /** A run that begins now. */
  ActiveRun(Loop loop, RunInfo info) {
    this(loop, info, 0, null, false);
  }

  private ActiveRun(Loop loop, RunInfo info, long concluded, Gathered result, boolean finalized) {
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
  static ActiveRun adopted(Loop loop, State newest, boolean finalized) {
    return new ActiveRun(loop, newest.run().orElseThrow(), newest.number(), newest.gathered().orElse(null), finalized);
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

  /** Records a contribution. After the last one the decision is requested once, then the remarks for rank 0. */
  Future<Gathered> arrive(Gather part, BiFunction<Step, List<NodeContribution<Packed>>, Future<Packed>> decide,
      Supplier<List<String>> remarks) {
    Promise<Gathered> promise = loop.promise();
    switch (book.arrive(part.node(), part.number(), part.step(), part)) {
      case Arrival.Known<Gather, Gathered>(Gathered result) -> promise.complete(result);
      case Arrival.Wait<Gather, Gathered> _ -> waits(part.node(), promise);
      case Arrival.Odd<Gather, Gathered>(String how) -> {
        waits(part.node(), promise);
        conclude(new Gathered(Fault.RANKS_DISAGREE.number(), how, Packed.NOTHING));
      }
      case Arrival.All<Gather, Gathered>(Step step, var parts) -> {
        waits(part.node(), promise);
        Future.succeededFuture().compose(_ -> decide.apply(step, agreed(parts))).onComplete((result, failure) -> {
          finalized |= step == Step.FINALIZE && failure == null;
          conclude(failure == null ? new Gathered(0, "", result, remarks.get()) : failed(failure));
        });
      }
    }
    return promise.future();
  }

  private static List<NodeContribution<Packed>> agreed(List<NodeContribution<Gather>> parts) {
    for (NodeContribution<Gather> from : parts) {
      from.part().odd().ifPresent(how -> {
        throw new ScrException(Fault.RANKS_DISAGREE, "on node " + from.node() + ", " + how);
      });
    }
    return parts.stream().map(from -> new NodeContribution<>(from.node(), from.part().part())).toList();
  }

  private void waits(String node, Promise<Gathered> promise) {
    Promise<Gathered> asksAgain = waiting.put(node, promise);
    if (asksAgain != null) {
      // The sender has given up its first request: the reply is ignored.
      asksAgain.fail(new ScrException(Fault.TIMEOUT, "asked again"));
    }
  }

  private static Gathered failed(Throwable failure) {
    Fault fault = failure instanceof ScrException e ? e.fault() : Fault.INTERNAL;
    return new Gathered(fault.number(), String.valueOf(failure.getMessage()), Packed.NOTHING);
  }

  private void conclude(Gathered result) {
    book.done(result);
    List<Promise<Gathered>> promises = List.copyOf(waiting.values());
    waiting.clear();
    promises.forEach(promise -> promise.tryComplete(result));
  }

  void fail(ScrException cause) {
    List<Promise<Gathered>> promises = List.copyOf(waiting.values());
    waiting.clear();
    promises.forEach(promise -> promise.tryFail(cause));
  }

  Waits waits() {
    return book.waitingIn()
        .map(step -> new Waits(step.title() + ": " + (nodes().size() - book.missing().size()) + " of "
            + nodes().size() + " nodes", book.missing()))
        .orElseGet(() -> new Waits("the application computes", List.of()));
  }
}

package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertxscr.flow.gather.NodeContribution;
import io.vertxscr.protocol.node.Packed;
import java.util.List;
import java.util.function.BiFunction;

/** Reduces the contributions of all nodes to one step of a run, and acts on the result. On the leader's loop. */
public interface GatherHandler {
  /** The result for all nodes; fails with the fault that all of them get. */
  Future<Packed> handle(ActiveRun run, List<NodeContribution<Packed>> parts);

  /**
   * A step of the leader behind its codec.
   *
   * @param part what each node contributes
   * @param step its result may be null, where there is nothing to say
   */
  static <P, R> GatherHandler of(Class<P> part, BiFunction<ActiveRun, List<NodeContribution<P>>, Future<R>> step) {
    return (run, parts) -> step
        .apply(run, parts.stream().map(from -> new NodeContribution<>(from.node(), from.part().as(part))).toList())
        .map(result -> result == null ? Packed.NOTHING : Packed.of(result));
  }
}

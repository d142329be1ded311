package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.Packed;
import io.vertxscr.protocol.node.run.GatherPart;
import io.vertxscr.protocol.node.run.GatherResult;
import io.vertxscr.service.NodeBus;
import java.util.Optional;

/** A node's half of the collective steps: sends its part to the leader, receives the result. On the node's loop. */
public final class LeaderGathers {
  private final NodeBus bus;
  private final String self;
  private final RunService runs;

  /** Sends the parts of this node. @param runs hears of lost nodes, which end the run */
  public LeaderGathers(NodeBus bus, String self, RunService runs) {
    this.bus = bus;
    this.self = self;
    this.runs = runs;
  }

  /**
   * Contributes this node's part and waits for the result.
   *
   * @param result type of the result of this step
   * @return the result; fails with the fault that all nodes get, or with the cause of the end of the run
   */
  public <R> Future<R> gather(LocalRun run, Step step, Object part, Class<R> result) {
    return gather(run, step, Optional.empty(), Packed.of(part)).map(packed -> packed.as(result));
  }

  /** Contributes this node's part to a step whose result is only that all nodes have done so. */
  public Future<Void> gather(LocalRun run, Step step, Object part) {
    return gather(run, step, Optional.empty(), Packed.of(part)).mapEmpty();
  }

  /** Contributes that the ranks of this node disagree, which fails the step on all nodes. */
  Future<Void> disagree(LocalRun run, Step step, String how) {
    return gather(run, step, Optional.of(how), Packed.NOTHING).mapEmpty();
  }

  private Future<Packed> gather(LocalRun run, Step step, Optional<String> odd, Packed part) {
    if (run.isOver()) {
      throw run.over().orElseThrow();
    }
    GatherPart mine = new GatherPart(run.info().run(), run.nextGather(), self, step, odd, part);
    return bus.askLeader(NodeVerb.GATHER, mine, GatherResult.class).map(result -> {
      run.over().ifPresent(cause -> {
        throw cause;
      });
      run.gathered(result);
      if (result.fault() != 0) {
        throw new ScrException(Fault.of(result.fault()), result.message());
      }
      return result.result();
    }).onFailure(failure -> {
      if (failure instanceof ScrException cause && cause.fault() == Fault.NODE_LOST) {
        runs.nodeLost(run, cause);                        // before its ranks hear of it: their next calls hear the same
      }
    });
  }
}

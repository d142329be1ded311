package io.vertxscr.service.leader;

import io.vertx.core.Future;
import io.vertxscr.flow.gather.NodeContribution;
import io.vertxscr.flow.gather.Part;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.protocol.node.Packed;
import io.vertxscr.protocol.node.run.RestartOffer;
import io.vertxscr.service.advice.LeaderAdvice;
import io.vertxscr.service.flush.WantedFlushes;
import io.vertxscr.service.restart.RestartJournal;
import io.vertxscr.service.run.ActiveRun;
import io.vertxscr.service.scavenge.ScavengeWatch;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Makes one result of the parts of all nodes: decodes the parts, has the step done, encodes its result. On the node's
 * loop.
 */
public final class GatherHandlers {
  private final PhaseSteps phases;
  private final RestartSteps restarts;
  private final WantedFlushes wanted;
  private final RestartJournal journal;
  private final LeaderAdvice advice;
  private final ScavengeWatch scavenges;
  private final RunEvents events;

  /** Works for the leader of a node. */
  public GatherHandlers(PhaseSteps phases, RestartSteps restarts, WantedFlushes wanted, RestartJournal journal,
      LeaderAdvice advice, ScavengeWatch scavenges, RunEvents events) {
    this.phases = phases;
    this.restarts = restarts;
    this.wanted = wanted;
    this.journal = journal;
    this.advice = advice;
    this.scavenges = scavenges;
    this.events = events;
  }

  /** The result for all nodes; fails with the fault that all of them get. */
  Future<Packed> handle(ActiveRun run, Step step, List<NodeContribution<Packed>> parts) {
    return switch (step) {
      case START_OUTPUT -> typed(Part.Start.class, parts, all -> phases.start(run, all));
      case COMPLETE_OUTPUT -> typed(Part.Complete.class, parts, all -> phases.complete(run, all));
      case PROTECTED -> typed(Part.Done.class, parts, all -> phases.protectedEverywhere(run, all));
      case PUBLISHED -> typed(Part.Published.class, parts, all -> phases.published(run, all));
      case FLUSHED -> typed(Part.Done.class, parts, phases::flushed);
      case HAVE_RESTART -> typed(Part.Have.class, parts, all -> restarts.have(run, all));
      case START_RESTART -> typed(Part.Restart.class, parts, all -> restarts.start(run, all));
      case COMPLETE_RESTART -> typed(Part.Restart.class, parts, all -> restarts.complete(run, all));
      case CURRENT -> typed(Part.Named.class, parts, all -> restarts.current(run, all));
      case DROP, DELETE -> typed(Part.Named.class, parts, all -> restarts.remove(run, step, all));
      case FINALIZE -> finish(run).map(Packed::of);
    };
  }

  private static <P, R> Future<Packed> typed(Class<P> part, List<NodeContribution<Packed>> parts,
      Function<List<NodeContribution<P>>, Future<R>> handler) {
    return handler.apply(parts.stream().map(from -> new NodeContribution<>(from.node(), from.part().as(part))).toList())
        .map(result -> result == null ? Packed.NOTHING : Packed.of(result));
  }

  /** Flushes what the end of a run wants to have flushed. */
  private Future<RestartOffer> finish(ActiveRun run) {
    return wanted.finish(run.info().prefix(), run.info().policy().flush().everyCheckpoints() > 0)
        .compose(_ -> journal.progressed(run.info().prefix()))
        .compose(_ -> advice.halts().finalizeCalled())
        .onSuccess(_ -> {
          advice.halts().stop();
          advice.advisor().close();
          scavenges.ended();
          events.over(run.info().run(), Optional.empty());
        })
        .map(_ -> new RestartOffer(Optional.empty()));
  }
}

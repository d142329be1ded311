package io.vertxscr.service.leader;

import io.vertx.core.Future;
import io.vertxscr.config.RunSettings;
import io.vertxscr.config.UserSettings;
import io.vertxscr.flow.advice.Grant;
import io.vertxscr.flow.gather.NodeContribution;
import io.vertxscr.flow.gather.Part;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.Shortfalls;
import io.vertxscr.protocol.app.FlushReply;
import io.vertxscr.protocol.node.Advising;
import io.vertxscr.protocol.node.Flushing.Answer;
import io.vertxscr.protocol.node.Flushing.Ask;
import io.vertxscr.protocol.node.Flushing.Overwrite;
import io.vertxscr.protocol.node.Flushing.Question;
import io.vertxscr.protocol.node.Flushing.View;
import io.vertxscr.protocol.node.Packed;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.Running.Started;
import io.vertxscr.service.Event;
import io.vertxscr.service.Observer;
import io.vertxscr.service.log.Operations;
import io.vertxscr.service.run.ActiveRun;
import io.vertxscr.service.run.LeaderActions;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader's actions, with the life of runs and datasets told to an observer. A leader that took over in the middle
 * of a phase knows its files and times only from there on. On the node's loop.
 */
public final class ObservedActions implements LeaderActions {
  private static final Logger LOG = LoggerFactory.getLogger(ObservedActions.class);

  private final LeaderActions actions;
  private final Observer observer;
  private final Operations operations;
  private final LongSupplier nanoClock;
  /** When ranks began to read a checkpoint; 0 where another leader has seen that. */
  private long readSinceNs;
  private Writing writing = Writing.NOTHING;

  /** The dataset that is being written, id 0 for none; times by the nano clock. */
  private record Writing(int id, Totals totals, long startedNs, long completedNs) {
    static final Writing NOTHING = new Writing(0, Totals.NONE, 0, 0);

    Writing with(Totals known) {
      return new Writing(id, known, startedNs, completedNs);
    }
  }

  /**
   * Observes.
   *
   * @param operations is one of those that the observer tells
   * @param nanoClock counts nanoseconds from anywhere, as {@link System#nanoTime}
   */
  public ObservedActions(
      LeaderActions actions, Observer observer, Operations operations, LongSupplier nanoClock) {
    this.actions = actions;
    this.observer = observer;
    this.operations = operations;
    this.nanoClock = nanoClock;
  }

  @Override
  public Future<RunSettings> configure(UserSettings user, RankMap map) {
    return actions.configure(user, map);
  }

  @Override
  public Future<RunInfo> restore(String prefix, String jobName, RankMap map, RunSettings settings) {
    operations.want(settings.policy().log().operations());
    return actions.restore(prefix, jobName, map, settings).map(info -> info.telling(operations.take()));
  }

  @Override
  public List<String> operations() {
    return operations.take();
  }

  @Override
  public List<String> remarks() {
    return actions.remarks();
  }

  @Override
  public List<View> flushes() {
    return actions.flushes();
  }

  @Override
  public Answer share(Ask ask) {
    return actions.share(ask);
  }

  @Override
  public Future<FlushReply> flushState(Question question) {
    return actions.flushState(question);
  }

  @Override
  public Future<Void> overwrite(Overwrite what) {
    return actions.overwrite(what);
  }

  @Override
  public void tookOver(int nodes) {
    actions.tookOver(nodes);
  }

  @Override
  public void begun(RunInfo info) {
    observer.notice(new Event.RunBegun(
        info.run(), info.jobName(), info.prefix(), info.map().size(), info.map().byNode().size()));
    for (String shortfall : Shortfalls.of(info.policy().descriptors(), info.map())) {
      LOG.warn("run {}: {}", info.run(), shortfall);
      observer.notice(new Event.ProtectionWeak(info.run(), shortfall));
    }
    Shortfalls.smaller(info.policy().descriptors(), info.map())
        .forEach(smaller -> LOG.info("run {}: {}", info.run(), smaller));
    actions.begun(info);
  }

  @Override
  public Future<Grant> advise(Advising.Ask ask) {
    return actions.advise(ask);
  }

  @Override
  public void open(RunInfo info, boolean anew) {
    if (!anew) {
      operations.want(info.policy().log().operations());
    }
    actions.open(info, anew);
  }

  @Override
  public Future<Packed> decide(ActiveRun run, Step step, List<NodeContribution<Packed>> parts) {
    long number = run.info().run();
    if (step == Step.COMPLETE_OUTPUT) {
      met(parts.getFirst().part().as(Part.Complete.class).datasetId());
    } else if (step == Step.PROTECTED) {
      met(parts.getFirst().part().as(Part.Done.class).datasetId());
    } else if (step == Step.PUBLISHED) {
      List<Part.Published> published =
          parts.stream().map(from -> from.part().as(Part.Published.class)).toList();
      met(published.getFirst().dataset().id());
      writing = writing.with(Totals.sum(published.stream().map(Part.Published::totals).toList()));
    }
    int offered = run.info().restart().map(RunInfo.Restartable::datasetId).orElse(0);
    return Future.succeededFuture().compose(_ -> actions.decide(run, step, parts)).onComplete((result, failure) -> {
      if (step == Step.START_RESTART) {
        readSinceNs = nanoClock.getAsLong();
      }
      if (step == Step.COMPLETE_RESTART && failure == null && readSinceNs != 0) {
        operations.restarted(offered, (nanoClock.getAsLong() - readSinceNs) / 1000);
      }
      if (step == Step.COMPLETE_RESTART) {
        observer.notice(failure == null ? new Event.RestartRead(number, offered)
            : new Event.RestartFailed(number, offered, Fault.of(failure), String.valueOf(failure.getMessage())));
      }
      decided(number, step, result, failure);
    });
  }

  /** A dataset that was begun under another leader. */
  private void met(int datasetId) {
    if (writing.id() != datasetId) {
      writing = new Writing(datasetId, Totals.NONE, nanoClock.getAsLong(), nanoClock.getAsLong());
    }
  }

  private void decided(long run, Step step, Packed result, Throwable failure) {
    long now = nanoClock.getAsLong();
    if (failure != null) {
      if (step == Step.COMPLETE_OUTPUT || step == Step.PROTECTED || step == Step.PUBLISHED) {
        observer.notice(new Event.DatasetDiscarded(
            run, writing.id(), Fault.of(failure), String.valueOf(failure.getMessage()), extent(now)));
        writing = Writing.NOTHING;
      }
      return;
    }
    switch (step) {
      case START_OUTPUT -> started(run, result.as(Started.class).descriptor(), now);
      case COMPLETE_OUTPUT ->
          writing = new Writing(writing.id(), result.as(Totals.class), writing.startedNs(), now);
      case PROTECTED, PUBLISHED -> {
        observer.notice(new Event.DatasetComplete(run, writing.id(), extent(now)));
        writing = Writing.NOTHING;
      }
      case FINALIZE -> over(run, Optional.empty(), "");
      case FLUSHED, HAVE_RESTART, START_RESTART, COMPLETE_RESTART, CURRENT, DROP, DELETE -> {
        // Those who do the work tell of it.
      }
    }
  }

  private void started(long run, DatasetDescriptor dataset, long now) {
    writing = new Writing(dataset.id(), Totals.NONE, now, now);
    observer.notice(new Event.PhaseStarted(run, dataset.id(), dataset.name(),
        dataset.flags().checkpoint(), dataset.flags().output()));
  }

  private Event.Extent extent(long now) {
    return new Event.Extent(writing.totals().files(), writing.totals().bytes(),
        (now - writing.startedNs()) / 1000, (now - writing.completedNs()) / 1000);
  }

  @Override
  public Future<Void> excused(RunInfo info) {
    return actions.excused(info);
  }

  @Override
  public void over(long run, ScrException cause) {
    over(run, Optional.of(cause.fault()), cause.getMessage());
    actions.over(run, cause);
  }

  private void over(long run, Optional<Fault> fault, String cause) {
    observer.notice(new Event.RunOver(run, writing.id(), fault, cause));
    writing = Writing.NOTHING;
  }

  @Override
  public void resume() {
    actions.resume();
  }
}

package io.vertxscr.service.leader;

import io.vertx.core.Future;
import io.vertxscr.flow.gather.GatherReducers;
import io.vertxscr.flow.gather.NodeContribution;
import io.vertxscr.flow.gather.Part;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.run.RestartOffer;
import io.vertxscr.service.restart.CatchUp;
import io.vertxscr.service.restart.RestartJournal;
import io.vertxscr.service.restart.RestartLeader;
import io.vertxscr.service.restart.Restorer.RestoreOutcome;
import io.vertxscr.service.restart.Restorer.RestoreRequest;
import io.vertxscr.service.restart.Restorer;
import io.vertxscr.service.run.ActiveRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpoint that a run is offered for its restart, from its beginning until it has been read. What cannot be read,
 * or is gone, makes room for another one, and the redundancy that it lacks is computed while the application reads. On
 * the node's loop.
 */
public final class RestartSteps {
  private static final Logger LOG = LoggerFactory.getLogger(RestartSteps.class);

  private final Restorer restorer;
  private final CatchUp catchUp;
  private final DatasetCommands commands;
  private final RestartJournal journal;
  private final RunEvents events;
  /** Datasets that this run has failed to read. */
  private final List<Integer> unreadable = new ArrayList<>();

  /** Works for the leader of a node. */
  public RestartSteps(RestartLeader restart, DatasetCommands commands, RunEvents events) {
    this.restorer = restart.restorer();
    this.catchUp = restart.catchUp();
    this.journal = restart.journal();
    this.commands = commands;
    this.events = events;
  }

  /** A run has begun, with or without something on offer. */
  void begun(RunInfo info) {
    unreadable.clear();
    catchUp.begin(info);
    protectBehind(info);
  }

  /** Computes the redundancy that the restored dataset lacks, while the application reads it. */
  private void protectBehind(RunInfo info) {
    restorer.unprotected().ifPresent(dataset -> catchUp.protect(info, dataset));
  }

  /** The run is over: nothing is caught up for it any more. */
  void over() {
    catchUp.end();
  }

  /** Some node may have lost what it had when the run began: then nobody starts. */
  Future<RestartOffer> start(ActiveRun run, List<NodeContribution<Part.InvalidRanks>> parts) {
    return startNow(run, parts).onComplete(_ -> events.reading());
  }

  private Future<RestartOffer> startNow(ActiveRun run, List<NodeContribution<Part.InvalidRanks>> parts) {
    var unread = GatherReducers.unread(parts);
    Optional<RunInfo.Restartable> offered = run.info().restart();
    if (unread.isEmpty() || offered.isEmpty()) {
      // not waited for: a prefix directory that hangs must not keep the application from reading its cache
      offered.ifPresent(dataset -> journal.loaded(run.info(), dataset));
      return Future.succeededFuture(new RestartOffer(offered));
    }
    return offerAnother(run, Fault.NO_SUCH_DATASET, unread.get());
  }

  /** Where some rank could not read it, nobody has restarted, and the dataset is offered no more. */
  Future<RestartOffer> complete(ActiveRun run, List<NodeContribution<Part.InvalidRanks>> parts) {
    long number = run.info().run();
    int offered = run.info().restart().map(RunInfo.Restartable::datasetId).orElse(0);
    return completeNow(run, parts).onSuccess(_ -> events.restarted(number, offered))
        .onFailure(failure -> events.restartFailed(number, offered, failure));
  }

  private Future<RestartOffer> completeNow(ActiveRun run, List<NodeContribution<Part.InvalidRanks>> parts) {
    var unread = GatherReducers.unread(parts);
    RunInfo info = run.info();
    if (unread.isEmpty() || info.restart().isEmpty()) {
      info.restart().ifPresent(read -> catchUp.older(info, read.datasetId()));
      if (!info.policy().fetch().choice().breaksLoops()) {
        journal.restarted(info);
      }
      return Future.succeededFuture(new RestartOffer(info.restart()));
    }
    RunInfo.Restartable bad = info.restart().get();
    LOG.warn("restart from dataset {} failed: {}; trying an older one", bad.datasetId(), unread.get());
    unreadable.add(bad.datasetId());
    return restorer.markFailed(info.prefix(), bad.key())
        .compose(_ -> offerAnother(run, Fault.NOT_VALID, unread.get()));
  }

  private Future<RestartOffer> offerAnother(ActiveRun run, Fault fault, String why) {
    RunInfo.Restartable bad = run.info().restart().orElseThrow();
    return exchange(run).compose(found -> Future.failedFuture(new ScrException(fault, "restart from dataset "
        + bad.datasetId() + " \"" + bad.name() + "\" failed: " + why + "; " + found.restart()
        .map(next -> "have-restart now offers dataset " + next.datasetId() + " \"" + next.name() + "\"")
        .orElse("there is no older one"))));
  }

  private Future<RestoreOutcome> exchange(ActiveRun run) {
    RunInfo info = run.info();
    return restorer.another(new RestoreRequest(info.prefix(), info.map(), info.policy(), List.copyOf(unreadable)))
        .onSuccess(found -> {
          run.info(info.with(found.restart()));
          protectBehind(info);
        });
  }

  /**
   * Restarts begin with this checkpoint. An application that has restarted by itself is offered nothing any more; one
   * that has not restarted yet is offered the checkpoint when it asks: it may want to read it by itself.
   */
  Future<RestartOffer> current(ActiveRun run, List<NodeContribution<Part.Named>> parts) {
    boolean selects = parts.getFirst().part().selects();
    return commands.current(run.info().prefix(), GatherReducers.name(parts)).map(named -> {
      RunInfo info = run.info();
      run.info(info.with(info.restart().filter(offered -> selects && offered.isOf(named.dataset()))));
      return new RestartOffer(run.info().restart(), Optional.of(named.remarks()).filter(told -> !told.isEmpty()));
    });
  }

  /**
   * Returns what is on offer. What the application has selected is restored now, if it is not what the run began with.
   */
  Future<RestartOffer> have(ActiveRun run, List<NodeContribution<Part.Have>> parts) {
    Optional<RunInfo.Restartable> offered = run.info().restart();
    if (offered.isPresent() || !parts.getFirst().part().selected()) {
      return Future.succeededFuture(new RestartOffer(offered));
    }
    return exchange(run).map(found -> {
      List<String> news = found.all().remarks().stream()
          .filter(remark -> !run.info().found().remarks().contains(remark)).toList();
      return new RestartOffer(found.restart(), Optional.of(news).filter(remarks -> !remarks.isEmpty()));
    });
  }

  /** What was on offer for a restart may be gone now: then another one is. */
  Future<Void> remove(ActiveRun run, Step step, List<NodeContribution<Part.Named>> parts) {
    String name = GatherReducers.name(parts);
    boolean existed = parts.stream().anyMatch(from -> from.part().existed());
    return commands.remove(step, run.info().prefix(), name, existed).compose(ids -> {
      boolean offered = run.info().restart().filter(restart -> ids.contains(restart.datasetId())).isPresent();
      return offered ? exchange(run).mapEmpty() : Future.succeededFuture();
    });
  }
}

package io.vertxscr.service.leader;

import io.vertx.core.Future;
import io.vertxscr.config.RunSettings;
import io.vertxscr.config.UserSettings;
import io.vertxscr.flow.gather.Part;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.DrainReply;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.flush.FlushView;
import io.vertxscr.protocol.node.restart.HealView;
import io.vertxscr.protocol.node.run.DatasetSynced;
import io.vertxscr.protocol.node.run.RestartOffer;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.advice.LeaderAdvice;
import io.vertxscr.service.flush.FlushLeader;
import io.vertxscr.service.restart.CacheHealing;
import io.vertxscr.service.restart.RestartJournal;
import io.vertxscr.service.run.ActiveRun;
import io.vertxscr.service.run.GatherHandler;
import io.vertxscr.service.run.LeaderActions;
import io.vertxscr.service.run.RunWatch;
import io.vertxscr.service.scavenge.ScavengeWatch;
import io.vertxscr.service.scrub.PublishedScrub;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the leader does at each turn in the life of a run. On the node's loop. */
public final class RunLifecycle implements LeaderActions {
  private static final Logger LOG = LoggerFactory.getLogger(RunLifecycle.class);

  /** How long before its end a batch system may end the processes of an allocation. */
  private static final long END_SHOWS_S = 60;

  private final RunPreparation preparation;
  private final PhaseSteps phases;
  private final RestartSteps restarts;
  private final ReadsInPlace reads;
  private final Prefixes prefixes;
  private final RestartJournal journal;
  private final FlushLeader flush;
  private final LeaderAdvice advice;
  private final CacheHealing healing;
  private final PublishedScrub published;
  private final RunWatch between;
  private final RunEvents events;
  private final LongSupplier clockSeconds;
  private String prefix = "";
  /** Whether the end of the run flushes the newest checkpoint too. */
  private boolean newestToo;

  /** The steps of a run: before it, in its phases, around its restart. */
  public record Steps(
      RunPreparation preparation, PhaseSteps phases, RestartSteps restarts, ReadsInPlace reads) {}

  /** What the leader does between runs, and beside them. */
  public record Pauses(ScavengeWatch scavenges, CacheHealing healing, PublishedScrub published) {}

  /**
   * Works for the leader of a node.
   *
   * @param clockSeconds seconds since 1970
   */
  public RunLifecycle(Steps steps, Prefixes prefixes, RestartJournal journal, FlushLeader flush, LeaderAdvice advice,
      Pauses pauses, RunEvents events, LongSupplier clockSeconds) {
    this.prefixes = prefixes;
    this.preparation = steps.preparation();
    this.phases = steps.phases();
    this.restarts = steps.restarts();
    this.reads = steps.reads();
    this.journal = journal;
    this.flush = flush;
    this.advice = advice;
    this.healing = pauses.healing();
    this.published = pauses.published();
    this.between = RunWatch.all(List.of(pauses.scavenges(), pauses.healing()));
    this.events = events;
    this.clockSeconds = clockSeconds;
  }

  @Override
  public Future<RunSettings> configure(UserSettings user, RankMap map) {
    return preparation.configure(user, map);
  }

  @Override
  public Future<RunInfo> restore(String directory, String jobName, RankMap map, RunSettings settings) {
    events.watch(settings.policy());
    between.busy();
    prefixes.admit(directory);
    return preparation.restore(directory, jobName, map, settings).map(info -> info.telling(events.operations()));
  }

  @Override
  public void open(RunInfo info, boolean anew) {
    prefixes.admit(info.prefix());
    phases.open(info.run());
    if (!anew) {
      events.watch(info.policy());
      if (info.restart().isPresent() && RunPreparation.readsInPlace(info.policy())) {
        reads.begin(info.prefix());                       // the last leader's turn ended with it
      }
    }
    prefix = info.prefix();
    flush.shares().policy(info.prefix(), info.policy().flush());
    flush.retention().policy(info.prefix(), info.policy().cache());
    newestToo = info.policy().flush().everyCheckpoints() > 0;
    between.busy();
    between.settings(info);
    preparation.openLog(prefix, info.policy());
    advice.halts().watch(info.run(), info.prefix(), info.policy().halt());
    advice.advisor().open(info, anew);
  }

  @Override
  public void bypassing(RunInfo info, DatasetDescriptor dataset) {
    phases.bypassing(info, dataset);
  }

  @Override
  public void begun(RunInfo info) {
    events.begun(info);
    restarts.begun(info);
    flush.wanted().resume();                              // what waited for files that are restored now
  }

  @Override
  public GatherHandler handler(Step step) {
    GatherHandler handler = handlerOf(step);
    return switch (step) {
      case HAVE_RESTART -> (run, parts) -> (RunPreparation.readsInPlace(run.info().policy())
          ? reads.begin(run.info().prefix()) : Future.<Void>succeededFuture())
          .compose(_ -> handler.handle(run, parts));
      case COMPLETE_RESTART -> (run, parts) -> handler.handle(run, parts).onSuccess(_ -> reads.end());
      case START_OUTPUT, DROP, DELETE, FINALIZE -> (run, parts) -> {
        reads.end();                                      // it reads no more, and waits for who wants to write there
        return handler.handle(run, parts);
      };
      default -> handler;
    };
  }

  private GatherHandler handlerOf(Step step) {
    return switch (step) {
      case START_OUTPUT -> GatherHandler.of(Part.Start.class, phases::start);
      case COMPLETE_OUTPUT -> GatherHandler.of(Part.Complete.class, phases::complete);
      case PROTECTED -> GatherHandler.of(Part.Done.class, phases::protectedEverywhere);
      case PUBLISHED -> GatherHandler.of(Part.Published.class, phases::published);
      case FLUSHED -> GatherHandler.of(Part.Done.class, (_, parts) -> phases.flushed(parts));
      case HAVE_RESTART -> GatherHandler.of(Part.Have.class, restarts::have);
      case START_RESTART -> GatherHandler.of(Part.InvalidRanks.class, restarts::start);
      case COMPLETE_RESTART -> GatherHandler.of(Part.InvalidRanks.class, restarts::complete);
      case CURRENT -> GatherHandler.of(Part.Named.class, restarts::current);
      case DROP, DELETE -> GatherHandler.of(Part.Named.class, (run, parts) -> restarts.remove(run, step, parts));
      case FINALIZE -> GatherHandler.of(Part.InvalidRanks.class, (run, _) -> finish(run));
    };
  }

  /** Flushes what the end of a run wants to have flushed. */
  private Future<RestartOffer> finish(ActiveRun run) {
    return flush.wanted().finish(run.info().prefix(), run.info().policy().flush().everyCheckpoints() > 0)
        .compose(_ -> journal.progressed(run.info().prefix()))
        .compose(_ -> advice.halts().finalizeCalled())
        .onSuccess(_ -> {
          advice.halts().stop();
          advice.advisor().close();
          between.ended();
          events.over(run.info().run(), Optional.empty());
        })
        .map(_ -> new RestartOffer(Optional.empty()));
  }

  @Override
  public List<String> operations() {
    return events.operations();
  }

  @Override
  public List<String> remarks() {
    return Stream.of(events.remark().stream(), preparation.remarks().stream(), advice.halts().remark().stream(),
        published.remarks().stream()).flatMap(remarks -> remarks).toList();
  }

  @Override
  public List<FlushView> flushes() {
    return flush.coordinator().views();
  }

  @Override
  public List<HealView> healings() {
    return healing.views();
  }

  @Override
  public List<DrainReply> drains() {
    return healing.drains();
  }

  @Override
  public void drained(String node) {
    healing.marked(node);
  }

  @Override
  public void tookOver(int nodes) {
    flush.shares().takeOver(nodes);
    flush.retention().takeOver();
    flush.access().tokens().tookOver();
  }

  @Override
  public Future<Void> excused(RunInfo info) {
    prefixes.admit(info.prefix());
    return journal.excused(info);
  }

  /** Whether the run was to end anyway: somebody has halted it, or the allocation ends. */
  private boolean endsByIntent() {
    OptionalLong end = advice.halts().endSeconds();
    return advice.halts().reason().isPresent()
        || end.isPresent() && clockSeconds.getAsLong() >= end.getAsLong() - END_SHOWS_S;
  }

  @Override
  public void nodeLost(long run) {
    phases.nodeLost(run);
  }

  @Override
  public void synced(DatasetSynced part) {
    phases.synced(part);
  }

  @Override
  public void over(long run, ScrException cause) {
    events.over(run, Optional.of(cause));
    phases.over(run, cause);
    restarts.over();
    preparation.over();
    if (run != 0 && endsByIntent()) {
      journal.note(prefix, history -> history.excused(run));
    }
    advice.halts().stop();
    advice.advisor().close();
    between.died();
    if (run != 0 && cause.fault() == Fault.HALTED) {
      // Nobody waits for it: the daemons live on, and the caches stay until it is done.
      flush.wanted().finish(prefix, newestToo)
          .onFailure(failure -> LOG.warn("flush at the end of run {}: {}", run, failure.getMessage()));
    }
  }

  @Override
  public void numbered(long run) {
    preparation.numbered(run);
  }

  @Override
  public void resigned() {
    phases.resigned();
    preparation.over();
    between.resigned();
    advice.halts().stop();
    advice.advisor().close();
  }

  @Override
  public void resume() {
    flush.wanted().resume();
    between.leads();
  }
}

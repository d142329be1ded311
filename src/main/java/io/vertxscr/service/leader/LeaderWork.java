package io.vertxscr.service.leader;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.config.JobSettings;
import io.vertxscr.config.RunSettings;
import io.vertxscr.config.Settings;
import io.vertxscr.config.UserSettings;
import io.vertxscr.config.policy.FetchPolicy;
import io.vertxscr.config.policy.FlushPolicy;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.flow.advice.Grant;
import io.vertxscr.flow.gather.GatherReducers;
import io.vertxscr.flow.gather.NodeContribution;
import io.vertxscr.flow.gather.Part;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.FailureHistory;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Job;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.FlushReply;
import io.vertxscr.protocol.node.Advising;
import io.vertxscr.protocol.node.Flushing.Answer;
import io.vertxscr.protocol.node.Flushing.Ask;
import io.vertxscr.protocol.node.Flushing.Overwrite;
import io.vertxscr.protocol.node.Flushing.Question;
import io.vertxscr.protocol.node.Flushing.View;
import io.vertxscr.protocol.node.Packed;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.Running.Offer;
import io.vertxscr.protocol.node.Running.Protected;
import io.vertxscr.protocol.node.Running.Started;
import io.vertxscr.service.Loop;
import io.vertxscr.service.advice.LeaderAdvice;
import io.vertxscr.service.cache.StoreChecks;
import io.vertxscr.service.flush.FlushCoordinator;
import io.vertxscr.service.flush.FlushStates;
import io.vertxscr.service.flush.PrefixRetention;
import io.vertxscr.service.flush.WantedFlushes;
import io.vertxscr.service.restart.LaunchWishes;
import io.vertxscr.service.restart.RestartJournal;
import io.vertxscr.service.restart.Restorer;
import io.vertxscr.service.run.ActiveRun;
import io.vertxscr.service.run.LeaderActions;
import io.vertxscr.service.scavenge.ScavengeWatch;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The leader's decisions on what the nodes have contributed, and the work it then has done. On the node's loop. */
public final class LeaderWork implements LeaderActions {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderWork.class);

  /** Why no run will begin, however often it is started again. */
  private static final Set<Fault> HOPELESS = EnumSet.of(Fault.CORRUPT, Fault.TOO_MANY_LOST, Fault.INTERNAL);

  /** How long before its end a batch system may end the processes of an allocation. */
  private static final long END_SHOWS_S = 60;

  private final Loop loop;
  private final Restorer restorer;
  private final DatasetCommands commands;
  private final RestartJournal journal;
  private final RestartSteps restarts;
  private final LaunchWishes wishes;
  private final FlushCoordinator flushes;
  private final WantedFlushes wanted;
  private final StoreChecks stores;
  private final FlushStates flushStates;
  private final PrefixRetention keeper;
  private final Settings settings;
  private final LeaderAdvice advice;
  private final ScavengeWatch scavenges;
  private final LongSupplier clockUs;
  private DatasetDescriptor writing;
  /** The turn in the prefix directory that a phase past the cache has while flushes are under way. */
  private Optional<Promise<Void>> bypassing = Optional.empty();
  private long lastRun;
  /** The last run of which it is noted that it got further than the checkpoint that it began with. */
  private long progressedRun;
  private String prefix = "";
  /** Whether the end of the run flushes the newest checkpoint too. */
  private boolean newestToo;
  private Future<RunInfo> restoring = Future.succeededFuture();

  /**
   * Works for the leader of a node.
   *
   * @param settings of this node, which hold for runs whose users say nothing else
   */
  public LeaderWork(Loop loop, LeaderTools tools, LeaderAdvice advice, Settings settings, LongSupplier clockUs) {
    this.scavenges = tools.scavenges(loop, new ScavengeWatch.Times(settings.job().scavengeSeconds(),
        advice.halts()::endSeconds, () -> clockUs.getAsLong() / 1_000_000));
    this.loop = loop;
    this.advice = advice;
    this.restorer = tools.restorer();
    this.commands = tools.commands();
    this.journal = tools.journal();
    this.restarts = new RestartSteps(tools);
    this.wishes = new LaunchWishes(journal, settings.launch());
    this.flushes = tools.flushing().coordinator();
    this.wanted = tools.flushing().wanted();
    this.stores = tools.stores();
    this.flushStates = tools.flushing().states();
    this.keeper = flushes.keeper();
    this.settings = settings;
    this.clockUs = clockUs;
  }

  @Override
  public Future<RunSettings> configure(UserSettings user, RankMap map) {
    return loop.blocking("read the configuration of a run", () -> settings.of(user).on(map.byNode().keySet()))
        .onSuccess(read -> {
          read.remarks().forEach(LOG::warn);
          read.lines().forEach(line -> LOG.info("configured: {}", line));
        })
        .compose(read -> stores.on(map.byNode().keySet(), read.policy().descriptors()).map(read));
  }

  @Override
  public Future<RunInfo> restore(String prefix, String jobName, RankMap map, RunSettings configured) {
    lastRun = Math.max(lastRun + 1, clockUs.getAsLong());
    long run = lastRun;
    RunPolicy policy = configured.policy();
    String name = jobName.isEmpty() ? configured.jobName() : jobName;
    scavenges.busy();
    // A restore that nobody waits for any more may still move files: two at a time would undo each other's work.
    Future<RunInfo> mine = restoring
        .transform((_, _) -> restorer.look(prefix))
        .compose(_ -> {
          openLog(prefix, policy);
          return advice.halts().admit(prefix, policy.halt());
        })
        .compose(_ -> wishes.left(prefix, policy))
        .onSuccess(left -> wishes.warning(left).ifPresent(restorer::tell))
        .compose(left -> restored(new Restorer.Wanted(prefix, map, left, List.of())))
        .onFailure(failure -> {
          if (HOPELESS.contains(Fault.of(failure))) {
            advice.halts().initFailed(prefix, policy.halt());
          }
        })
        .map(found -> new RunInfo(run, prefix, name, map, found.restart(), found.all(),
            policy.with(policy.cache().emptying(false, false))).telling(configured.remarks()))
        .compose(info -> journal.begun(info).map(info));
    restoring = mine;
    return mine;
  }

  @Override
  public List<String> remarks() {
    return Stream.concat(restorer.remarks().stream(), advice.halts().remark().stream()).toList();
  }

  private Future<Restorer.Found> restored(Restorer.Wanted wanted) {
    return before(wanted.prefix(), wanted.policy()).compose(_ -> restorer.restore(wanted)).compose(found ->
        wishes.followed(wanted.prefix(), wanted.policy()).map(found));
  }

  /** What the configuration wants to be done before a checkpoint is looked for. */
  private Future<Void> before(String prefix, RunPolicy policy) {
    FetchPolicy rules = policy.fetch();
    Future<Void> emptied = policy.cache().prefixPurge() ? purge(prefix) : Future.succeededFuture();
    Future<Void> flushed = emptied.compose(_ -> flushes.begun(prefix)).compose(_ ->
        rules.flushOnRestart() || rules.globalRestart() ? wanted.flushAll(prefix) : Future.succeededFuture());
    return rules.current().map(name -> flushed.compose(_ -> current(prefix, name))).orElse(flushed);
  }

  private Future<Void> purge(String prefix) {
    return restorer.rememberFlushed(prefix).compose(_ -> keeper.purge(prefix)).onSuccess(gone -> {
      if (!gone.isEmpty()) {
        restorer.tell("SCR_PREFIX_PURGE=1: all datasets of the index, " + gone.size() + " in all, were deleted from "
            + prefix);
      }
    }).mapEmpty();
  }

  private Future<Void> current(String prefix, String name) {
    return commands.current(prefix, name).onSuccess(point -> {
      restorer.tell("SCR_CURRENT=" + name + ": restarts begin with dataset " + point.dataset().id());
      point.leftAlone().ifPresent(restorer::tell);
    }).mapEmpty();
  }

  @Override
  public List<View> flushes() {
    return flushes.views();
  }

  @Override
  public Answer share(Ask ask) {
    return flushes.shares().share(ask);
  }

  @Override
  public Future<FlushReply> flushState(Question question) {
    return flushStates.answer(question);
  }

  @Override
  public Future<Void> overwrite(Overwrite what) {
    return flushes.overwrite(what);
  }

  @Override
  public void tookOver(int nodes) {
    flushes.shares().takeOver(nodes);
  }

  @Override
  public void begun(RunInfo info) {
    restarts.begun(info);
    wanted.resume();                                      // what waited for files that are restored now
  }

  @Override
  public void open(RunInfo info, boolean anew) {
    prefix = info.prefix();
    flushes.shares().policy(info.prefix(), info.policy().flush());
    keeper.policy(info.prefix(), info.policy().cache());
    newestToo = info.policy().flush().everyCheckpoints() > 0;
    scavenges.busy();
    openLog(prefix, info.policy());
    advice.halts().watch(info.run(), info.prefix(), info.policy().halt());
    advice.advisor().open(info, anew);
  }

  private void openLog(String directory, RunPolicy runPolicy) {
    advice.log().open(directory, runPolicy.log(), runPolicy.flush().background());
  }

  @Override
  public Future<Grant> advise(Advising.Ask ask) {
    return advice.advisor().advise(ask);
  }

  @Override
  public Future<Packed> decide(ActiveRun run, Step step, List<NodeContribution<Packed>> parts) {
    return switch (step) {
      case START_OUTPUT -> start(run, parts);
      case COMPLETE_OUTPUT -> Future.succeededFuture(read(parts, Part.Complete.class)).map(this::complete)
          .onFailure(_ -> endBypass());
      case PROTECTED -> Future.succeededFuture(protectedEverywhere(run, read(parts, Part.Done.class)));
      case PUBLISHED -> Future.succeededFuture(read(parts, Part.Published.class))
          .compose(all -> published(run, all)).onComplete(_ -> endBypass());
      case FLUSHED -> flushed(read(parts, Part.Done.class));
      case HAVE_RESTART -> restarts.have(run, read(parts, Part.Have.class));
      case START_RESTART -> restarts.start(run, read(parts, Part.Restart.class));
      case COMPLETE_RESTART -> restarts.complete(run, read(parts, Part.Restart.class));
      case CURRENT -> restarts.current(run, read(parts, Part.Named.class));
      case DROP, DELETE -> restarts.remove(run, step, read(parts, Part.Named.class));
      case FINALIZE -> wanted.finish(run.info().prefix(), run.info().policy().flush().everyCheckpoints() > 0)
          .compose(_ -> journal.progressed(run.info().prefix()))
          .compose(_ -> advice.halts().finalizeCalled())
          .onSuccess(_ -> {
            close();
            scavenges.ended();
          })
          .map(_ -> Packed.of(new Offer(Optional.empty())));
    };
  }

  private static <T> List<NodeContribution<T>> read(List<NodeContribution<Packed>> parts, Class<T> type) {
    return parts.stream().map(from -> new NodeContribution<>(from.node(), from.part().as(type))).toList();
  }

  private Future<Packed> start(ActiveRun run, List<NodeContribution<Packed>> parts) {
    JobSettings job = settings.job();
    List<NodeContribution<Part.Start>> starts = read(parts, Part.Start.class);
    DatasetDescriptor next = GatherReducers.start(starts, clockUs.getAsLong(),
        new Job(job.user(), run.info().jobName(), job.id(), job.cluster()));
    Optional<String> full = GatherReducers.full(starts);
    if (full.isPresent() && !run.info().policy().cache().bypassWhenFull()) {
      throw new ScrException(Fault.NO_SPACE, full.get());
    }
    writing = next;
    FailureHistory.Level level = level(
        run.info().policy().descriptors().descriptorFor(next.flags(), next.checkpointId()), full.isPresent());
    advice.times().writes(level);
    full.ifPresent(why -> LOG.warn("dataset {} goes past the cache: {}", next.id(), why));
    List<Integer> evictions = full.isPresent() ? List.of() : GatherReducers.evictions(starts);
    if (!evictions.isEmpty()) {
      restarts.makingRoom(run.info(), next);
    }
    Packed started = Packed.of(new Started(next, evictions, full.isPresent()));
    endBypass();
    return level == FailureHistory.Level.PREFIX && flushes.isBusy() ? beginBypass(next).map(started)
        : Future.succeededFuture(started);
  }

  /**
   * Keeps flushes from renaming files in the prefix directory until the dataset is published: one of an older dataset
   * with the same file names would put its bytes where the ranks are writing theirs.
   */
  private Future<Void> beginBypass(DatasetDescriptor next) {
    return flushes.keeper().turns().enter(prefix).map(turn -> {
      bypassing = Optional.of(turn);
      if (writing != next) {
        endBypass();                                      // the run was over before its turn came
      }
      return null;
    });
  }

  private void endBypass() {
    bypassing.ifPresent(Promise::tryComplete);
    bypassing = Optional.empty();
  }

  private static FailureHistory.Level level(CheckpointDescriptor how, boolean pastTheCache) {
    if (pastTheCache || how.bypass()) {
      return FailureHistory.Level.PREFIX;
    }
    return how.redundancy().failures() > 0 ? FailureHistory.Level.NODE : FailureHistory.Level.PROCESS;
  }

  private Packed complete(List<NodeContribution<Part.Complete>> parts) {
    return Packed.of(GatherReducers.complete(parts));
  }

  private Packed protectedEverywhere(ActiveRun run, List<NodeContribution<Part.Done>> parts) {
    GatherReducers.done(parts);
    int id = parts.getFirst().part().datasetId();
    run.info(run.info().with(Optional.empty()));
    if (writing != null && writing.id() == id) {
      progressed(run, writing.flags());
    }
    FlushPolicy flush = run.info().policy().flush();
    if (writing == null || writing.id() != id) {
      wanted.resume();                                    // this node was not the leader yet when the phase began
    } else if (flush.background() && flush.wants(writing.flags(), writing.checkpointId())) {
      flushes.flush(id);
    }
    return completed(writing == null || writing.flags().checkpoint());
  }

  private void progressed(ActiveRun run, DatasetFlags flags) {
    if (progressedRun != run.info().run() && flags.checkpoint()) {
      progressedRun = run.info().run();
      journal.progressed(run.info().prefix());
    }
  }

  private Packed completed(boolean checkpoint) {
    if (checkpoint) {
      advice.halts().checkpointWritten();
    }
    return Packed.of(new Protected(advice.halts().reason(), advice.halts().exits()));
  }

  /** Past the cache: unlike a flush this fails the phase where it fails, since the dataset has no other place. */
  private Future<Packed> published(ActiveRun run, List<NodeContribution<Part.Published>> parts) {
    DatasetDescriptor dataset = parts.getFirst().part().dataset().with(GatherReducers.published(parts));
    RankMap map = run.info().map();
    List<String> holders = IntStream.range(0, map.size()).mapToObj(map::nodeOf).toList();
    run.info(run.info().with(Optional.empty()));
    return flushes.publishInPlace(dataset, run.info().prefix(), holders,
        parts.stream().mapToLong(from -> from.part().mapBytes()).sum(),
        parts.stream().anyMatch(from -> from.part().taken())).map(_ -> {
      progressed(run, dataset.flags());
      return completed(dataset.flags().checkpoint());
    });
  }

  /** A synchronous flush that fails does not fail the phase: the cached copy stays, and it is tried again. */
  private Future<Packed> flushed(List<NodeContribution<Part.Done>> parts) {
    int id = parts.getFirst().part().datasetId();
    return flushes.flushNow(id).map(Packed.NOTHING);
  }

  private void close() {
    advice.halts().stop();
    advice.advisor().close();
  }

  @Override
  public Future<Void> excused(RunInfo info) {
    return journal.excused(info);
  }

  /** Whether the run was to end anyway: somebody has halted it, or the allocation ends. */
  private boolean endsByIntent() {
    OptionalLong end = advice.halts().endSeconds();
    return advice.halts().reason().isPresent()
        || end.isPresent() && clockUs.getAsLong() / 1_000_000 >= end.getAsLong() - END_SHOWS_S;
  }

  @Override
  public void over(long run, ScrException cause) {
    writing = null;
    endBypass();
    restarts.over();
    if (run != 0 && endsByIntent()) {
      journal.note(prefix, history -> history.excused(run));
    }
    close();
    scavenges.died();
    if (run != 0 && cause.fault() == Fault.HALTED) {
      // Nobody waits for it: the daemons live on, and the caches stay until it is done.
      wanted.finish(prefix, newestToo)
          .onFailure(failure -> LOG.warn("flush at the end of run {}: {}", run, failure.getMessage()));
    }
  }

  @Override
  public void resume() {
    wanted.resume();
    scavenges.leads();
  }
}

package io.vertxscr.service.leader;

import io.vertx.core.Future;
import io.vertxscr.config.RunSettings;
import io.vertxscr.config.Settings;
import io.vertxscr.config.SettingsSources;
import io.vertxscr.config.UserSettings;
import io.vertxscr.config.policy.FetchPolicy;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.advice.LeaderAdvice;
import io.vertxscr.service.cache.StoreChecks;
import io.vertxscr.service.flush.FlushLeader;
import io.vertxscr.service.restart.LaunchWishes;
import io.vertxscr.service.restart.RestartJournal;
import io.vertxscr.service.restart.RestartLeader;
import io.vertxscr.service.restart.Restorer.RestoreOutcome;
import io.vertxscr.service.restart.Restorer.RestoreRequest;
import io.vertxscr.service.restart.Restorer;
import io.vertxscr.service.run.RunNumbering;
import io.vertxscr.storage.object.ObjectFileSystem;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What precedes the beginning of a run. That is its configuration, what that wants done in caches and prefix directory,
 * and the restore of its checkpoint. On the node's loop.
 */
public final class RunPreparation {
  private static final Logger LOG = LoggerFactory.getLogger(RunPreparation.class);

  /** Why no run will begin, however often it is started again. */
  private static final Set<Fault> HOPELESS = EnumSet.of(Fault.CORRUPT, Fault.TOO_MANY_LOST, Fault.INTERNAL);

  private final NodeBus bus;
  private final Settings settings;
  private final StoreChecks stores;
  private final FlushLeader flush;
  private final Restorer restorer;
  private final RestartJournal journal;
  private final LaunchWishes wishes;
  private final DatasetCommands commands;
  private final LeaderAdvice advice;
  private final ReadsInPlace reads;
  private final RunNumbering numbers;
  private Future<RunInfo> restoring = Future.succeededFuture();
  /** Changes when a run is over; nobody waits for a restore that was asked for before. */
  private long runsOver;

  /**
   * Works for the leader of a node.
   *
   * @param settings of this node, which hold for runs whose users say nothing else
   */
  public RunPreparation(NodeBus bus, Settings settings, StoreChecks stores, FlushLeader flush, RestartLeader restart,
      DatasetCommands commands, LeaderAdvice advice, ReadsInPlace reads, RunNumbering numbers) {
    this.bus = bus;
    this.settings = settings;
    this.stores = stores;
    this.flush = flush;
    this.restorer = restart.restorer();
    this.journal = restart.journal();
    this.wishes = restart.wishes();
    this.commands = commands;
    this.advice = advice;
    this.reads = reads;
    this.numbers = numbers;
  }

  /** Reads the configuration of a run on these nodes; fails with BAD_CONFIGURATION, naming the place. */
  Future<RunSettings> configure(UserSettings user, RankMap map) {
    return bus.command(map.nodeOf(0), NodeVerb.CONFIGURED, Ack.ACK, SettingsSources.class)
        .map(sources -> settings.of(user, sources).from(user.file(sources.file())))
        .map(read -> possible(user, read.on(map.byNode().keySet())))
        .onSuccess(read -> {
          read.remarks().forEach(LOG::warn);
          read.lines().forEach(line -> LOG.info("configured: {}", line));
        })
        .compose(read -> stores.on(map.byNode().keySet(), read.policy().descriptors()).map(read));
  }

  private static RunSettings possible(UserSettings user, RunSettings read) {
    user.prefix().filter(ObjectFileSystem::has).flatMap(_ -> read.policy().needsFileSystem()).ifPresent(why -> {
      throw new ScrException(Fault.BAD_CONFIGURATION,
          "the prefix directory " + user.prefix().get() + " is an object store: " + why);
    });
    return read;
  }

  /** A node says that a run has this number: later ones get higher numbers. */
  void numbered(long run) {
    numbers.heard(run);
  }

  /** The run is over, maybe while its restore is still under way. */
  void over() {
    runsOver++;
    reads.end();
  }

  /** Restores the newest checkpoint that can be had; one restore at a time. */
  Future<RunInfo> restore(String prefix, String jobName, RankMap map, RunSettings configured) {
    RunPolicy policy = configured.policy();
    String name = jobName.isEmpty() ? configured.jobName() : jobName;
    long before = runsOver;
    // A restore that nobody waits for any more may still move files: two at a time would undo each other's work.
    Future<RunInfo> mine = restoring
        .transform((_, _) -> commands.dropped())
        .compose(_ -> restorer.look(prefix))
        .compose(_ -> {
          openLog(prefix, policy);
          return advice.halts().admit(prefix, policy.halt());
        })
        .compose(_ -> wishes.left(prefix, policy))
        .onSuccess(left -> wishes.warning(left).ifPresent(restorer::tell))
        .compose(left -> restored(new RestoreRequest(prefix, map, left, List.of()), before))
        .onFailure(failure -> {
          if (HOPELESS.contains(Fault.of(failure))) {
            advice.halts().initFailed(prefix, policy.halt());
          }
        })
        .map(found -> new RunInfo(number(found.all()), prefix, name, map, found.restart(), found.all(),
            policy.with(policy.cache().emptying(false, false))).telling(configured.remarks()))
        .compose(info -> journal.begun(info).map(info));
    restoring = mine;
    return mine;
  }

  /** What the run finds is earlier than the run, and what it writes is later, whatever clocks say. */
  private long number(RunInfo.InitialState found) {
    return numbers.next(found.lastCreatedUs());
  }

  /** Writes the events from now on to the log of this prefix directory. */
  void openLog(String prefix, RunPolicy policy) {
    advice.log().open(prefix, policy.log(), policy.flush().background());
  }

  /** What people should know of the restarts so far, in sentences. */
  List<String> remarks() {
    return restorer.remarks();
  }

  private Future<RestoreOutcome> restored(RestoreRequest wanted, long runsOverBefore) {
    boolean inPlace = readsInPlace(wanted.policy());
    return before(wanted.prefix(), wanted.policy())
        .compose(_ -> inPlace ? reads.begin(wanted.prefix()) : Future.succeededFuture())
        .compose(_ -> restorer.restore(wanted)).onComplete((found, _) -> {
          if (found == null || found.restart().isEmpty() || runsOverBefore != runsOver) {
            reads.end();                                  // nobody will read it
          }
        }).compose(found -> wishes.followed(wanted.prefix(), wanted.policy()).map(found));
  }

  /** Whether a restart may read files of the prefix directory where they are. */
  static boolean readsInPlace(RunPolicy policy) {
    return policy.fetch().bypass() || policy.fetch().globalRestart() || policy.cache().bypassWhenFull();
  }

  /** What the configuration wants to be done before a checkpoint is looked for. */
  private Future<Void> before(String prefix, RunPolicy policy) {
    FetchPolicy rules = policy.fetch();
    Future<Void> emptied = policy.cache().prefixPurge() ? purge(prefix) : Future.succeededFuture();
    Future<Void> flushed = emptied.compose(_ -> flush.coordinator().begun(prefix)).compose(_ ->
        rules.flushOnRestart() || rules.globalRestart()
            ? restorer.keepOnlyCopies(prefix).compose(_ -> flush.wanted().flushAll(prefix, rules.globalRestart()))
            : Future.succeededFuture());
    return rules.current().map(name -> flushed.compose(_ -> current(prefix, name))).orElse(flushed);
  }

  private Future<Void> purge(String prefix) {
    return restorer.rememberFlushed(prefix).compose(_ -> flush.retention().purge(prefix)).onSuccess(gone -> {
      if (!gone.isEmpty()) {
        restorer.tell("SCR_PREFIX_PURGE=1: all datasets of the index, " + gone.size() + " in all, were deleted from "
            + prefix);
      }
    }).mapEmpty();
  }

  private Future<Void> current(String prefix, String name) {
    return commands.current(prefix, name).onSuccess(point -> {
      restorer.tell("SCR_CURRENT=" + name + ": restarts begin with dataset " + point.dataset().id());
      point.remarks().forEach(restorer::tell);
    }).mapEmpty();
  }
}

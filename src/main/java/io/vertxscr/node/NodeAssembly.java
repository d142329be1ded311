package io.vertxscr.node;

import io.vertx.core.Future;
import io.vertxscr.config.Settings;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.extent.Extent;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.Observer;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.RangeSources;
import io.vertxscr.service.TraceRoots;
import io.vertxscr.service.advice.AdviceService;
import io.vertxscr.service.advice.Advisor;
import io.vertxscr.service.advice.CheckpointTimes;
import io.vertxscr.service.advice.FailureBook;
import io.vertxscr.service.advice.FlushShare;
import io.vertxscr.service.advice.HaltWatch;
import io.vertxscr.service.advice.LeaderAdvice;
import io.vertxscr.service.cache.CacheEvictor;
import io.vertxscr.service.cache.CacheInventoryService;
import io.vertxscr.service.cache.Capacity;
import io.vertxscr.service.cache.StableStorage;
import io.vertxscr.service.cache.StoreChecks;
import io.vertxscr.service.cache.StoreService;
import io.vertxscr.service.cache.SyncBarrier;
import io.vertxscr.service.container.AggregateService;
import io.vertxscr.service.container.ContainerSteps;
import io.vertxscr.service.copy.PrefixCopies;
import io.vertxscr.service.dashboard.ClusterPicture;
import io.vertxscr.service.dashboard.OperatorActions;
import io.vertxscr.service.flush.FlushCoordinator;
import io.vertxscr.service.flush.FlushLeader;
import io.vertxscr.service.flush.FlushQuestions;
import io.vertxscr.service.flush.FlushService;
import io.vertxscr.service.flush.FlushShares;
import io.vertxscr.service.flush.FlushStates;
import io.vertxscr.service.flush.FlushSteps;
import io.vertxscr.service.flush.PlaceOwners;
import io.vertxscr.service.flush.PrefixAccess;
import io.vertxscr.service.flush.PrefixRetention;
import io.vertxscr.service.flush.PrefixTokens;
import io.vertxscr.service.flush.PrefixTurns;
import io.vertxscr.service.flush.WantedFlushes;
import io.vertxscr.service.leader.DatasetCommands;
import io.vertxscr.service.leader.PhaseSteps;
import io.vertxscr.service.leader.ReadsInPlace;
import io.vertxscr.service.leader.RestartSteps;
import io.vertxscr.service.leader.RunEvents;
import io.vertxscr.service.leader.RunLifecycle;
import io.vertxscr.service.leader.RunPreparation;
import io.vertxscr.service.log.EventHistory;
import io.vertxscr.service.log.EventLog;
import io.vertxscr.service.log.EventsService;
import io.vertxscr.service.log.LogLines;
import io.vertxscr.service.log.Operations;
import io.vertxscr.service.phase.BypassService;
import io.vertxscr.service.phase.ClaimService;
import io.vertxscr.service.phase.FilePlaces;
import io.vertxscr.service.phase.PhaseService;
import io.vertxscr.service.phase.RouteService;
import io.vertxscr.service.phase.ShardFiles;
import io.vertxscr.service.redundancy.ProtectionService;
import io.vertxscr.service.redundancy.RankRestorer;
import io.vertxscr.service.redundancy.UnreadDatasets;
import io.vertxscr.service.restart.CacheHealing;
import io.vertxscr.service.restart.CacheRepairs;
import io.vertxscr.service.restart.CacheRestores;
import io.vertxscr.service.restart.CatchUp;
import io.vertxscr.service.restart.DatasetFlush;
import io.vertxscr.service.restart.FetchService;
import io.vertxscr.service.restart.Inventories;
import io.vertxscr.service.restart.LaunchWishes;
import io.vertxscr.service.restart.NodeDrains;
import io.vertxscr.service.restart.OnlyCopies;
import io.vertxscr.service.restart.PrefixFetcher;
import io.vertxscr.service.restart.RestartJournal;
import io.vertxscr.service.restart.RestartLeader;
import io.vertxscr.service.restart.RestartService;
import io.vertxscr.service.restart.Restorer;
import io.vertxscr.service.run.CollectiveCalls;
import io.vertxscr.service.run.CompletedNames;
import io.vertxscr.service.run.ConfigService;
import io.vertxscr.service.run.LeaderService;
import io.vertxscr.service.run.MembershipWatch;
import io.vertxscr.service.run.OpenDataset;
import io.vertxscr.service.run.Readiness;
import io.vertxscr.service.run.RunNumbering;
import io.vertxscr.service.run.RunService;
import io.vertxscr.service.run.StatusService;
import io.vertxscr.service.run.StorageProbe;
import io.vertxscr.service.scavenge.ScavengeWatch;
import io.vertxscr.service.scavenge.Scavenger;
import io.vertxscr.service.scrub.PublishedScrub;
import io.vertxscr.service.scrub.ScrubService;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.verticle.NodeServices;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The composition root: makes every service of a node from its ports, with its collaborators. Nothing happens before
 * the first message. The node half first, then the leader half, which every node has because each may become the
 * leader. On the node's loop.
 */
public final class NodeAssembly {
  private static final long NS_PER_MS = 1_000_000;

  private final Ports ports;
  private final Loop loop;
  private final NodeBus bus;
  private final String self;
  private final Settings settings;
  private final Prefixes prefixes;
  private final NodeServices services;
  private final SyncBarrier syncs;
  private final PrefixCopies copies;
  private final HaltWatch halts;
  private final EventLog log;
  private final Readiness readiness;
  private final RunNumbering numbers;
  private final CacheHealing healing;

  /**
   * What a node stands on.
   *
   * @param extentBytes larger files are copied to and from prefix directories in pieces of this size
   */
  public record Ports(
      Loop loop, NodeBus bus, Membership membership, Epoch epoch, DatasetStore store, RangeSources sources,
      Observer observer, long extentBytes) {
    /** Of a node as it is. */
    public Ports(Loop loop, NodeBus bus, Membership membership, Epoch epoch, DatasetStore store, RangeSources sources,
        Observer observer) {
      this(loop, bus, membership, epoch, store, sources, observer, Extent.MOST_BYTES);
    }

    /** The same, with one that hears what all others hear. */
    Ports heardBy(Observer another) {
      return new Ports(loop, bus, membership, epoch, store, sources, Observer.all(List.of(observer, another)),
          extentBytes);
    }
  }

  /** Makes the services of a node. */
  public NodeAssembly(Ports given, Settings settings) {
    EventHistory history = new EventHistory(given.loop(), given.membership().self().name());
    this.ports = given.heardBy(history);
    this.loop = ports.loop();
    loop.traces().follow(() -> given.membership().leader().name());
    this.bus = ports.bus();
    this.self = ports.membership().self().name();
    this.settings = settings;
    this.prefixes = new Prefixes(loop, self);
    this.syncs = new SyncBarrier(loop);
    this.numbers = new RunNumbering(this::micros);
    DatasetStore store = ports.store();
    store.list().forEach(record -> prefixes.admit(record.origin().prefix()));

    RunService runs = new RunService(loop, bus, ports.membership(), ports.epoch(), prefixes);
    UnreadDatasets unread = new UnreadDatasets(loop, store);
    ProtectionService protection = new ProtectionService(loop, bus, self, store, ports.sources(), unread);
    CacheEvictor evictor = new CacheEvictor(loop, self, store, ports.observer());
    FetchService fetches = new FetchService(loop, prefixes, self, store, ports.observer(), ports.extentBytes());
    copies = new PrefixCopies(loop, bus, self, store, unread);
    AggregateService aggregation = new AggregateService(loop, prefixes, self, store, copies, fetches);
    FlushService flushes = new FlushService(
        loop, prefixes, bus, self, store, evictor, copies, aggregation, ports.extentBytes());
    ClaimService claims = new ClaimService(bus, self, runs);
    CompletedNames names = new CompletedNames();
    FilePlaces places = new FilePlaces(loop);
    StableStorage stable = new StableStorage(loop, bus, self, store, unread);
    PhaseService phases = new PhaseService(loop, claims, new BypassService(loop, prefixes, store, claims),
        new PhaseService.Data(store, protection, evictor,
            new Capacity(loop, ports.membership(), store, evictor, ports.observer()), copies, names, places,
            stable));
    RestartService restarts = new RestartService(self, store, fetches, names);
    ShardFiles shards = new ShardFiles(loop, bus, self, store, ports.sources());
    runs.onOver(run -> shards.end(Optional.ofNullable(run.open())));
    runs.onOver(run -> protection.over(run.info().run(), run.over().orElseThrow()));
    runs.onOver(_ -> copies.goOn());
    runs.onOver(phases::over);
    runs.tellSynced(stable::answered);
    runs.onArriving(evictor::nextRun);
    runs.onDeserted(phases::forget);
    runs.onReplaced(last -> {
      protection.over(last.info().run(), last.over().orElseGet(() -> new ScrException(
          Fault.NO_SUCH_DATASET, "run " + last.info().run() + " has ended, and another one has begun")));
      phases.forget(last);
    });

    LeaderAdvice advice = advice();
    halts = advice.halts();
    log = advice.log();
    Operations operations = new Operations();
    Observer roots = loop.traces().isOn() ? new TraceRoots(loop.traces()) : Observer.NONE;
    Observer observer = Observer.all(List.of(ports.observer(), advice.times(), log, operations, roots));
    Inventories caches = new Inventories(bus, ports.membership());
    PrefixAccess access =
        new PrefixAccess(new PrefixTurns(loop), new PrefixTokens(loop, bus, ports.membership(), prefixes));
    PrefixFetcher prefix =
        new PrefixFetcher(loop, bus, prefixes, access.tokens()::with, () -> LocalDateTime.now(loop.clock()));
    RestartJournal journal = new RestartJournal(loop, prefixes);
    OnlyCopies onlyCopies = new OnlyCopies(caches, prefix, journal);
    CacheRestores restores = new CacheRestores(caches, observer);
    FlushLeader flush = flush(onlyCopies, restores, access, observer);
    healing = new CacheHealing(loop, caches, restores, new CacheHealing.HealPolicy(
        settings.heal().seconds(), settings.heal().bytesPerSecond(), settings.policy().descriptors()),
        numbers, observer);
    ReadsInPlace reads = new ReadsInPlace(loop, access.turns());
    DatasetFlush outOfTheWay = (dataset, all) -> reads.after(() -> flush.wanted().outOfTheWay(dataset, all));
    RestartLeader restart = new RestartLeader(restores,
        new Restorer(loop, caches, prefix, restores, journal, onlyCopies, outOfTheWay, observer),
        new CatchUp(loop, caches, restores, observer), healing, journal, new LaunchWishes(journal, settings.launch()));
    DatasetCommands commands = new DatasetCommands(
        loop, caches, restores, prefix, journal, onlyCopies, flush.coordinator(), access.turns(), observer);
    PublishedScrub published = new PublishedScrub(loop, ports.membership(), prefixes, caches, observer,
        new PublishedScrub.PublishedPolicy(settings.scrub().publishedSeconds(), settings.scrub().bytesPerSecond()),
        runs::isInPhase, (dataset, all) -> flush.wanted().prepare(dataset, all)
            .compose(_ -> flush.coordinator().flush(dataset.descriptor().id())));
    LeaderService leader = new LeaderService(loop, bus, ports.membership(), ports.epoch(),
        lifecycle(commands, restart, flush, reads, advice, new RunEvents(observer, operations, loop::nanoTime),
            new Scavenger(caches, flush.wanted(), flush.coordinator(), observer), published));
    halts.onImmediate(() -> leader.halt("somebody has halted it, and does not want to wait for a checkpoint"));
    ports.membership().listen(new MembershipWatch(loop, ports.membership(), ports.observer()));

    CacheInventoryService inventory = new CacheInventoryService(loop, prefixes, self, store, evictor,
        new RankRestorer(loop, bus, store, ports.sources()), unread, runs::isDrained);
    runs.onOver(run -> inventory.runEnded(run.info().prefix()));
    CollectiveCalls calls = new CollectiveCalls(loop, self, runs, Map.of(
        Step.START_OUTPUT, phases::start,
        Step.COMPLETE_OUTPUT, phases::complete,
        Step.HAVE_RESTART, restarts::have,
        Step.START_RESTART, restarts::start,
        Step.COMPLETE_RESTART, (run, ranks) -> {
          Optional<OpenDataset> read = Optional.ofNullable(run.open());
          return restarts.complete(run, ranks).onComplete((_, _) -> shards.end(read));
        },
        Step.CURRENT, restarts::current,
        Step.DROP, restarts.removal(Step.DROP),
        Step.DELETE, restarts.removal(Step.DELETE),
        Step.FINALIZE, (run, ranks) -> restarts.finish(run, ranks)
            .onSuccess(_ -> inventory.runEnded(run.info().prefix()))));
    StorageProbe probe = new StorageProbe(loop, self, store.directories().control());
    readiness = new Readiness(loop, bus, ports.membership(), probe);
    ScrubService scrub = new ScrubService(loop, bus, ports.membership(), store, ports.observer(),
        new ScrubService.ScrubPolicy(settings.scrub().seconds(), settings.scrub().bytesPerSecond()), runs::isInPhase);
    CacheRepairs repairs = new CacheRepairs(
        caches, restores, id -> flush.coordinator().underWay(id).isPresent(), log);
    StatusService status = new StatusService(loop, bus, ports.membership(), runs, store, scrub::of,
        settings.policy().descriptors().groups());
    services = new NodeServices(runs, calls, new RouteService(loop, bus, runs, store, places, shards), claims,
        new AdviceService(bus, self, runs), new FlushQuestions(bus, self, runs, store),
        status,
        new EventsService(loop, bus, ports.membership(), history),
        new ConfigService(loop, bus, ports.membership(), settings.system(), runs),
        protection, inventory, fetches, new StoreService(loop, self, store, settings.policy().descriptors()),
        flushes, aggregation, leader, flush, syncs, advice.advisor(), probe, scrub, published, repairs,
        new ClusterPicture(loop, status, prefixes, settings.policy().descriptors().groups()),
        new OperatorActions(bus, prefixes, caches, flush, commands),
        new NodeDrains(bus, ports.membership(), healing, observer));
  }

  private LeaderAdvice advice() {
    CheckpointTimes times = new CheckpointTimes(
        loop::nanoTime, new FlushShare(loop::processorNs), new FailureBook(loop, prefixes));
    HaltWatch watch = new HaltWatch(
        loop, prefixes, settings.job().endSeconds(), () -> loop.clock().millis() / 1000, ports.observer());
    return new LeaderAdvice(watch, new Advisor(bus, ports.epoch(), watch, times), times,
        new EventLog(loop, new LogLines(self, settings.job().id()), () -> LocalDateTime.now(loop.clock()),
            settings.policy().log()));
  }

  private FlushLeader flush(OnlyCopies onlyCopies, CacheRestores restores, PrefixAccess access, Observer observer) {
    Inventories caches = onlyCopies.caches();
    RunPolicy standard = settings.policy();
    PrefixRetention retention =
        new PrefixRetention(prefixes, onlyCopies.journal()::read, observer, standard.cache(), access);
    FlushShares shares = new FlushShares(standard.flush(), () -> loop.nanoTime() / NS_PER_MS, observer);
    FlushSteps steps = new FlushSteps(loop, bus, prefixes, new ContainerSteps(bus, prefixes.locked()),
        new FlushSteps.Others(new PlaceOwners(loop, bus), retention, onlyCopies), shares, access);
    FlushCoordinator coordinator = new FlushCoordinator(loop, caches, restores, shares, steps, observer);
    return new FlushLeader(coordinator, new WantedFlushes(loop, caches, restores, coordinator),
        new FlushStates(loop, caches, onlyCopies.prefix(), coordinator), shares, retention, access);
  }

  private RunLifecycle lifecycle(DatasetCommands commands, RestartLeader restart, FlushLeader flush,
      ReadsInPlace reads, LeaderAdvice advice, RunEvents events, Scavenger scavenger, PublishedScrub published) {
    RestartJournal journal = restart.journal();
    ScavengeWatch scavenges = new ScavengeWatch(loop, ports.membership(), scavenger, new ScavengeWatch.Times(
        settings.job().scavengeSeconds(), advice.halts()::endSeconds, this::seconds));
    RunPreparation preparation = new RunPreparation(
        bus, settings, new StoreChecks(bus), flush, restart, commands, advice, reads, numbers);
    PhaseSteps phases = new PhaseSteps(settings.job(), flush, journal, advice, events, syncs, this::micros);
    RestartSteps restarts = new RestartSteps(restart, commands, events);
    return new RunLifecycle(new RunLifecycle.Steps(preparation, phases, restarts, reads), prefixes, journal, flush,
        advice, new RunLifecycle.Pauses(scavenges, restart.healing(), published), events, this::seconds);
  }

  private long micros() {
    return loop.clock().millis() * 1000;
  }

  private long seconds() {
    return loop.clock().millis() / 1000;
  }

  /** What verticles delegate to. */
  public NodeServices services() {
    return services;
  }

  /** Why this node cannot serve a phase now, empty where it can. */
  public Optional<String> notReady() {
    return readiness.notReady();
  }

  /** Resumes work that the storage of this node says is left. */
  public void begin() {
    services.leader().begin(ports.store().list());
  }

  /** A connection of an application has ended. */
  public void connectionClosed(String client) {
    services.runs().connectionClosed(client);
  }

  /** A signal from outside has ended the program, as its launcher knows. */
  public void endedFromOutside() {
    services.leader().endedFromOutside();
  }

  /** Takes no new run and no new phase; what is running goes on. Completes when the end of the run is noted. */
  public Future<Void> stopping() {
    services.runs().stopping();
    services.calls().stopping();
    services.flushLeader().coordinator().park();
    copies.stop(
        new ScrException(Fault.STOPPING, "this node is stopping; the flush is left to the next start"));
    halts.stop();
    services.scrub().stop();
    services.published().stop();
    healing.stop();
    return services.leader().stopping();
  }

  /** Writes the last lines of the log; completes well in any case. */
  public Future<Void> closeLog() {
    return log.close();
  }

  /** The node dies now (an embedded one): callers that wait here hear of it. */
  public void killed(ScrException cause) {
    services.runs().killed(cause);
    services.flushLeader().coordinator().park();
    copies.stop(cause);
    halts.stop();
    services.scrub().stop();
    services.published().stop();
    healing.stop();
    services.protection().over(Long.MAX_VALUE, cause);
  }
}

package io.vertxscr.verticle;

import io.vertx.core.Future;
import io.vertxscr.config.Settings;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.Observer;
import io.vertxscr.service.RangeSources;
import io.vertxscr.service.advice.AdviceService;
import io.vertxscr.service.advice.HaltWatch;
import io.vertxscr.service.advice.LeaderAdvice;
import io.vertxscr.service.cache.CacheEvictor;
import io.vertxscr.service.cache.CacheInventoryService;
import io.vertxscr.service.cache.Capacity;
import io.vertxscr.service.cache.StoreService;
import io.vertxscr.service.flush.FlushCoordinator;
import io.vertxscr.service.flush.FlushQuestions;
import io.vertxscr.service.flush.FlushService;
import io.vertxscr.service.leader.LeaderTools;
import io.vertxscr.service.leader.LeaderWork;
import io.vertxscr.service.leader.ObservedActions;
import io.vertxscr.service.log.EventLog;
import io.vertxscr.service.log.Operations;
import io.vertxscr.service.phase.ClaimService;
import io.vertxscr.service.phase.PhaseService;
import io.vertxscr.service.phase.RouteService;
import io.vertxscr.service.redundancy.ProtectionService;
import io.vertxscr.service.redundancy.RankRestorer;
import io.vertxscr.service.restart.FetchService;
import io.vertxscr.service.restart.RestartService;
import io.vertxscr.service.run.CallService;
import io.vertxscr.service.run.CompletedNames;
import io.vertxscr.service.run.ConfigService;
import io.vertxscr.service.run.LeaderService;
import io.vertxscr.service.run.MembershipWatch;
import io.vertxscr.service.run.RunService;
import io.vertxscr.service.run.StatusService;
import io.vertxscr.storage.DatasetStore;
import java.util.List;
import java.util.Map;

/** All services of one node, built from its ports. Their methods are to be called on the node's loop. */
public final class NodeServices {
  private final RunService runs;
  private final CallService calls;
  private final ClaimService claims;
  private final AdviceService advice;
  private final RouteService routes;
  private final ProtectionService protection;
  private final CacheInventoryService holdings;
  private final FetchService fetches;
  private final StoreService stores;
  private final FlushService flushes;
  private final LeaderService leader;
  private final HaltWatch halts;
  private final EventLog log;
  private final FlushCoordinator flushCoordinator;
  private final StatusService status;
  private final ConfigService config;
  private final FlushQuestions flushQuestions;

  /** What a node stands on. */
  public record Ports(
      Loop loop, NodeBus bus, Membership membership, Epoch epoch, DatasetStore store, RangeSources sources,
      Observer observer) {}

  /** Builds them; nothing happens before the first message. */
  public NodeServices(Ports ports, Settings settings) {
    Loop loop = ports.loop();
    NodeBus bus = ports.bus();
    DatasetStore store = ports.store();
    String self = ports.membership().self().name();
    runs = new RunService(loop, bus, ports.membership(), ports.epoch());
    calls = new CallService(loop, bus, self, runs);
    routes = new RouteService(loop, bus, runs, store);
    protection = new ProtectionService(loop, bus, self, store, ports.sources());
    CacheEvictor keeper = new CacheEvictor(loop, self, store, ports.observer());
    holdings = new CacheInventoryService(loop, self, store, keeper,
        new RankRestorer(loop, bus, store, ports.sources()));
    fetches = new FetchService(loop, store, ports.observer());
    stores = new StoreService(loop, self, store.directories(), settings.policy().descriptors());
    flushes = new FlushService(loop, bus, self, store, keeper);
    Capacity capacity = new Capacity(loop, ports.membership(), store, keeper, ports.observer());
    claims = new ClaimService(bus, self, runs);
    CompletedNames names = new CompletedNames();
    PhaseService phases = new PhaseService(
        loop, calls, claims, new PhaseService.Data(store, protection, keeper, capacity, flushes, names));
    RestartService restarts = new RestartService(calls, store, fetches, names);
    calls.works(Map.of(
        Step.START_OUTPUT, phases::start,
        Step.COMPLETE_OUTPUT, phases::complete,
        Step.HAVE_RESTART, restarts::have,
        Step.START_RESTART, restarts::start,
        Step.COMPLETE_RESTART, restarts::complete,
        Step.CURRENT, restarts::current,
        Step.DROP, restarts.removal(Step.DROP),
        Step.DELETE, restarts.removal(Step.DELETE),
        Step.FINALIZE, restarts::finish));
    advice = new AdviceService(bus, self, runs);
    LeaderAdvice leaderAdvice = LeaderAdvice.of(new LeaderAdvice.Ports(loop, bus, ports.epoch(), ports.observer()),
        self, settings.job(), settings.policy().log());
    halts = leaderAdvice.halts();
    log = leaderAdvice.log();
    Operations operations = new Operations();
    Observer observer =
        Observer.all(List.of(ports.observer(), leaderAdvice.times(), leaderAdvice.log(), operations));
    runs.onOver(protection::over);
    runs.onOver(_ -> flushes.goOn());
    runs.onReplaced(phases::forget);
    LeaderTools tools = LeaderTools.of(loop, bus, ports.membership(), observer, settings.policy());
    flushCoordinator = tools.flushing().coordinator();
    LeaderWork work = new LeaderWork(loop, tools, leaderAdvice, settings,
        () -> loop.clock().millis() * 1000);
    leader = new LeaderService(loop, bus, ports.membership(), ports.epoch(),
        new ObservedActions(work, observer, operations, loop::nanoTime));
    halts.onImmediate(() -> leader.halt("somebody has halted it, and does not want to wait for a checkpoint"));
    ports.membership().listen(new MembershipWatch(loop, ports.membership(), ports.observer()));
    status = new StatusService(bus, ports.membership(), runs, store);
    flushQuestions = new FlushQuestions(bus, self, runs, store);
    config = new ConfigService(loop, settings.system());
  }

  public RunService runs() {
    return runs;
  }

  public CallService calls() {
    return calls;
  }

  public AdviceService advice() {
    return advice;
  }

  public ClaimService claims() {
    return claims;
  }

  public RouteService routes() {
    return routes;
  }

  public ProtectionService protection() {
    return protection;
  }

  public CacheInventoryService holdings() {
    return holdings;
  }

  public FetchService fetches() {
    return fetches;
  }

  public StoreService stores() {
    return stores;
  }

  public FlushService flushes() {
    return flushes;
  }

  public LeaderService leader() {
    return leader;
  }

  public StatusService status() {
    return status;
  }

  public FlushQuestions flushQuestions() {
    return flushQuestions;
  }

  public ConfigService config() {
    return config;
  }

  /** Takes no new run and no new phase; what is running goes on. */
  public void stopping() {
    runs.stopping();
    calls.stopping();
    flushCoordinator.park();
    flushes.stop(new ScrException(Fault.STOPPING, "this node is stopping; the flush is left to the next start"));
    halts.stop();
  }

  /** The last lines of the log; completes well in any case. */
  public Future<Void> closeLog() {
    return log.close();
  }

  /** The node dies now (an embedded one): whoever waits here hears of it. */
  public void killed(ScrException cause) {
    runs.killed(cause);
    flushCoordinator.park();
    flushes.stop(cause);
    halts.stop();
    protection.over(cause);
  }
}

package io.vertxscr.service.restart;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.flow.flush.Throttle;
import io.vertxscr.flow.restart.CacheSnapshot;
import io.vertxscr.flow.restart.DrainBook;
import io.vertxscr.flow.restart.HealPlan.HealPart;
import io.vertxscr.flow.restart.HealPlan;
import io.vertxscr.flow.restart.HealNeeds;
import io.vertxscr.flow.restart.HealPlanner.HealPlaces;
import io.vertxscr.flow.restart.HealPlanner;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.flow.restart.RestorePlan.RankPlan;
import io.vertxscr.flow.restart.RestorePlan;
import io.vertxscr.flow.restart.RestorePlanner;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.DrainState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.HeldPart;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.protocol.app.DrainReply;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.redundancy.ProtectRequest;
import io.vertxscr.protocol.node.restart.HealView;
import io.vertxscr.protocol.node.restart.RankFailure;
import io.vertxscr.protocol.node.restart.RestoreRanks;
import io.vertxscr.protocol.node.run.NodeSpace;
import io.vertxscr.protocol.node.run.StoreSpace;
import io.vertxscr.protocol.node.scrub.MendParts;
import io.vertxscr.protocol.node.scrub.Mended;
import io.vertxscr.service.Event;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.Observer;
import io.vertxscr.service.run.RunNumbering;
import io.vertxscr.service.run.RunWatch;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has lost parts of cached datasets made again while no run needs the caches (docs/flows/healing.md). What only
 * drained nodes have is copied from there (docs/flows/drain.md). Leader half; the nodes do what they do for a restart
 * and for the scrub. On the node's loop.
 *
 * <pre>{@code
 *   unknown --leads, no run--> idle --a loss, then the grace--> healing --done, or nodes come or go--> idle
 *                              | ^     or a node to drain          |
 *                 a run begins v | it ends                         | a run begins
 *                              busy <------------------------------+
 * }</pre>
 */
public final class CacheHealing implements RunWatch, Membership.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(CacheHealing.class);
  /** After a failure that no change of the membership ends. */
  private static final long AGAIN_MS = 600_000;
  /** Before a drain begins or is looked at again: several nodes may come or go at once. */
  private static final long DRAIN_MS = 1_000;
  private static final long MS_PER_S = 1000;
  private static final long NS_PER_MS = 1_000_000;
  private static final long NS_PER_US = 1000;

  private final Loop loop;
  private final Inventories caches;
  private final CacheRestores restores;
  private final HealPolicy policy;
  private final RunNumbering numbers;
  private final Observer observer;
  private final Throttle throttle;
  private RunState runs = RunState.UNKNOWN;
  /** Whether a node has left since all was whole. */
  private boolean lossSeen;
  private boolean stopped;
  /** What was begun in an earlier round is void. */
  private long round;
  private OptionalLong timer = OptionalLong.empty();
  private Optional<Work> work = Optional.empty();
  /** Datasets that stay as they are for now, with the reason. */
  private final Map<DatasetKey, String> kept = new LinkedHashMap<>();
  private final Map<DatasetKey, Fault> told = new HashMap<>();
  private final DrainBook drains = new DrainBook();
  private GroupDescriptors groups;

  private enum RunState { UNKNOWN, BUSY, IDLE }

  /**
   * How a node heals if it leads.
   *
   * @param graceSeconds without a change of the membership, before it begins; 0: never
   * @param bytesPerSecond that are made, all nodes together
   * @param standard what holds where a run says nothing else
   */
  public record HealPolicy(int graceSeconds, long bytesPerSecond, Descriptors standard) {
    boolean isOn() {
      return graceSeconds > 0;
    }
  }

  /** A dataset that is being healed. */
  private static final class Work {
    private final long round;
    private final Inventory.Dataset dataset;
    private final HealPlan plan;
    private final long startNs;
    private int left;

    Work(long round, Inventory.Dataset dataset, HealPlan plan, long startNs) {
      this.round = round;
      this.dataset = dataset;
      this.plan = plan;
      this.startNs = startNs;
      this.left = plan.parts().size() + 1;
    }

    DatasetKey key() {
      return dataset.key();
    }

    int done() {
      return Math.max(0, plan.parts().size() - left);
    }

    double part() {
      return (double) done() / plan.steps();
    }
  }

  /** Heals for the leader of a node. */
  public CacheHealing(Loop loop, Inventories caches, CacheRestores restores, HealPolicy policy,
      RunNumbering numbers, Observer observer) {
    this.loop = loop;
    this.caches = caches;
    this.restores = restores;
    this.policy = policy;
    this.numbers = numbers;
    this.observer = observer;
    this.groups = policy.standard().groups();
    this.throttle = new Throttle(loop.nanoTime());
    caches.membership().listen(this);
  }

  @Override
  public void busy() {
    runs = RunState.BUSY;
    end();
    look();
  }

  /** A user's groups may name more nodes than the system's file does. */
  @Override
  public void settings(RunInfo info) {
    SortedMap<String, SortedMap<String, String>> all = new TreeMap<>(groups.nodes());
    all.putAll(info.policy().descriptors().groups().nodes());
    groups = new GroupDescriptors(all);
  }

  @Override
  public void died() {
    runs = RunState.IDLE;
    changed();
  }

  @Override
  public void ended() {
    died();
    dropLeftBehind();
  }

  /** Nodes of the run have evicted what its checkpoints replace. Others may have parts of it, by healing. */
  private void dropLeftBehind() {
    long mine = round;
    restores.dropped(all -> mine == round ? new HealNeeds(all, groups).leftBehind() : List.of())
        .onFailure(failure -> LOG.info("parts of replaced datasets stay: {}", failure.getMessage()));
  }

  @Override
  public void leads() {
    if (runs == RunState.UNKNOWN) {
      runs = RunState.IDLE;
    }
    changed();
  }

  @Override
  public void resigned() {
    runs = RunState.UNKNOWN;
    drains.clear();
    end();
  }

  @Override
  public void joined(NodeInfo node) {
    // leads() follows where this node leads
  }

  @Override
  public void left(NodeInfo node) {
    loop.later(() -> {
      lossSeen = true;
      drains.unmark(node.name());
      changed();
    });
  }

  /** A node is marked to be drained. */
  public void marked(String node) {
    drains.mark(node);
    changed();
  }

  /** It is not any more. What was copied stays. */
  void unmarked(String node) {
    drains.unmark(node);
    changed();
  }

  boolean isMarked(String node) {
    return drains.isMarked(node);
  }

  /** Begins nothing any more. */
  public void stop() {
    stopped = true;
    end();
  }

  /** What is under way ends at its next step. */
  private void end() {
    round++;
    work = Optional.empty();
    timer.ifPresent(loop::cancel);
    timer = OptionalLong.empty();
  }

  /** States of all datasets that are, or cannot be healed. */
  public List<HealView> views() {
    List<HealView> views = new ArrayList<>();
    work.ifPresent(now -> views.add(new HealView(now.key(), true, 100 * now.done() / now.plan.steps(), "")));
    kept.forEach((dataset, why) -> views.add(new HealView(dataset, false, 0, why)));
    return views;
  }

  /** The nodes that are marked to be drained. */
  public List<DrainReply> drains() {
    return drains.all().stream().map(this::reply).toList();
  }

  /** One of them, or another node. */
  DrainReply drain(String node) {
    return drains.all().stream().filter(drain -> drain.node().equals(node)).findFirst().map(this::reply)
        .orElseGet(() -> new DrainReply(node, DrainState.NONE, 0, ""));
  }

  private DrainReply reply(DrainBook.Drain drain) {
    if (drain.state() == DrainState.DRAINED) {
      return new DrainReply(drain.node(), drain.state(), 100, drain.cause());
    }
    int percent = drains.percent(work.map(Work::key), work.map(Work::part).orElse(0.0));
    return runs == RunState.BUSY
        ? new DrainReply(drain.node(), DrainState.WAITING, percent, "a run is on: the caches are its own until it ends")
        : new DrainReply(drain.node(), drain.state(), percent, drain.cause()).withLost(drain.lost());
  }

  /**
   * Looks whether all that only this node has can be moved now. While a run is on that is not known.
   *
   * @return fails with TOO_MANY_LOST, NO_SPACE, and which dataset cannot be
   */
  Future<Void> requireMovable(String node) {
    return runs == RunState.BUSY ? Future.succeededFuture() : caches.all().compose(all -> {
      List<Inventory> then =
          all.stream().map(cache -> cache.node().equals(node) ? cache.asDrained() : cache).toList();
      return requireMovable(new HealNeeds(then, groups).toMove(), then, new HashMap<>());
    });
  }

  /** @param taken by those before, by store and node */
  private Future<Void> requireMovable(
      List<Inventory.Dataset> left, List<Inventory> all, Map<String, Map<String, Long>> taken) {
    if (left.isEmpty()) {
      return Future.succeededFuture();
    }
    Inventory.Dataset dataset = left.getFirst();
    return free(dataset.base()).compose(free -> {
      Map<String, Long> takenHere = taken.computeIfAbsent(dataset.base(), _ -> new HashMap<>());
      takenHere.forEach((on, bytes) -> free.merge(on, -bytes, Long::sum));
      HealPlanner.plan(dataset, all, new HealPlaces(groups, free)).bytes()
          .forEach((on, bytes) -> takenHere.merge(on, bytes, Long::sum));
      return requireMovable(left.subList(1, left.size()), all, taken);
    });
  }

  /** Nodes have come or gone, a run has ended, or another node is to be drained, or none. */
  private void changed() {
    drains.doubt();
    boolean drainsFirst = !drains.isEmpty();
    plan(drainsFirst ? DRAIN_MS : policy.graceSeconds() * MS_PER_S, drainsFirst);
  }

  private boolean heals() {
    return policy.isOn() && lossSeen;
  }

  /** While a run is on nothing is moved, but a node may not be needed. */
  private void look() {
    if (stopped || runs != RunState.BUSY || !drains.isOpen()) {
      return;
    }
    long mine = round;
    timer = OptionalLong.of(loop.after(DRAIN_MS, () -> {
      timer = OptionalLong.empty();
      caches.all().onSuccess(all -> {
        if (mine == round) {
          drains.end(all, Map.of(), groups).stream().filter(drain -> drain.state() == DrainState.DRAINED)
              .forEach(this::tell);
        }
      });
    }));
  }

  /** @param drainsOnly whether what is lost already is left alone, for it may come back within the grace */
  private void plan(long delayMs, boolean drainsOnly) {
    end();
    look();
    if (!stopped && runs == RunState.IDLE && (!drains.isEmpty() || !drainsOnly && heals())) {
      long mine = round;
      timer = OptionalLong.of(loop.after(delayMs, () -> {
        timer = OptionalLong.empty();
        if (mine == round && caches.membership().isLeader()) {
          begin(drainsOnly);
        }
      }));
    }
  }

  private List<Inventory.Dataset> wanted(List<Inventory> all, boolean drainsOnly) {
    HealNeeds needs = new HealNeeds(all, groups);
    List<Inventory.Dataset> toMove = needs.toMove();
    return drainsOnly ? toMove : Stream.concat(needs.degraded().stream(), toMove.stream()).distinct()
        .sorted(Comparator.comparing(Inventory.Dataset::descriptor, DatasetDescriptor.BY_AGE).reversed()).toList();
  }

  private void begin(boolean drainsOnly) {
    long mine = round;
    kept.clear();
    caches.all().compose(all -> {
      if (mine == round) {
        drains.begin(new HealNeeds(all, groups).toMove());
      }
      return each(mine, all, wanted(all, drainsOnly));
    }).compose(_ -> caches.all()).onComplete((all, failure) -> {
      if (mine != round) {
        return;
      }
      if (failure != null) {
        LOG.info("the caches are healed later: {}", failure.getMessage());
        drains.failed(failure.getMessage());
      } else {
        drains.end(all, kept, groups).forEach(this::tell);
      }
      lossSeen = lossSeen && (failure != null || new HealNeeds(all, groups).isAnyLacking());
      boolean again = failure != null || !wanted(all, drainsOnly).isEmpty();
      if (drainsOnly && heals()) {
        plan(policy.graceSeconds() * MS_PER_S, false);
      } else if (again) {
        plan(AGAIN_MS, drainsOnly);
      }
    });
  }

  private void tell(DrainBook.Drain drain) {
    if (drain.state() == DrainState.DRAINED) {
      LOG.info("node {} is drained: its loss loses nothing", drain.node());
      observer.notice(new Event.DrainDone(drain.node()));
    } else {
      LOG.warn("node {} is not drained: {}", drain.node(), drain.cause());
      observer.notice(new Event.DrainStopped(drain.node(), drain.cause()));
    }
  }

  private Future<Void> each(long mine, List<Inventory> all, List<Inventory.Dataset> left) {
    if (left.isEmpty()) {
      return Future.succeededFuture();
    }
    Inventory.Dataset dataset = left.getFirst();
    return heal(mine, all, dataset).onSuccess(_ -> drains.moved(dataset.key())).recover(failure -> {
      stopped(mine, dataset, failure);
      return mine == round ? Future.succeededFuture() : Future.failedFuture(failure);
    }).compose(_ -> each(mine, all, left.subList(1, left.size())));
  }

  private void stopped(long mine, Inventory.Dataset dataset, Throwable failure) {
    if (mine != round) {
      return;                                             // it is told where something was begun
    }
    Fault fault = Fault.of(failure);
    work = Optional.empty();
    kept.put(dataset.key(), String.valueOf(failure.getMessage()));
    if (told.put(dataset.key(), fault) != fault) {
      stays(dataset, failure);
    }
  }

  private void stays(Inventory.Dataset dataset, Throwable failure) {
    int id = dataset.descriptor().id();
    LOG.warn("dataset {} is not healed: {}", id, failure.getMessage());
    observer.notice(new Event.HealStopped(id, Fault.of(failure), String.valueOf(failure.getMessage())));
  }

  private void require(long mine) {
    if (mine != round) {
      throw new ScrException(Fault.BUSY, runs == RunState.BUSY ? "a run begins" : "nodes have come or gone meanwhile");
    }
  }

  private Future<Void> heal(long mine, List<Inventory> before, Inventory.Dataset dataset) {
    require(mine);
    return caches.verified(dataset.key(), true).compose(verified -> {
      require(mine);
      restores.tellCorrupt(dataset.descriptor(), before, verified);
      if (files(verified, dataset.key()) < files(before, dataset.key())) {
        throw new ScrException(Fault.CORRUPT, "files of dataset " + dataset.descriptor().id()
            + " differ from their checksums: the scrub repairs them first");
      }
      return free(dataset.base()).compose(free -> {
        require(mine);
        HealPlan plan = HealPlanner.plan(dataset, verified, new HealPlaces(groups, free));
        Work mineNow = new Work(mine, dataset, plan, loop.nanoTime());
        if (plan.steps() == 0) {
          return Future.succeededFuture();
        }
        work = Optional.of(mineNow);
        LOG.info("dataset {} is healed: {} parts{}", dataset.descriptor().id(), plan.parts().size(),
            plan.newSets().isPresent() ? ", then new sets" : "");
        observer.notice(new Event.HealStarted(dataset.descriptor().id(), plan.steps()));
        return steps(mineNow).onSuccess(_ -> done(mineNow)).onFailure(failure -> {
          told.put(dataset.key(), Fault.of(failure));
          stays(dataset, failure);
        });
      });
    });
  }

  private static long files(List<Inventory> all, DatasetKey key) {
    return CacheSnapshot.of(all).copies(key).flatMap(copy -> copy.ranks().stream())
        .filter(Inventory.Held::files).count();
  }

  /** Free bytes of a store by node, shared among those of a host; nodes that do not tell are missing. */
  private Future<Map<String, Long>> free(String base) {
    OptionalLong size = policy.standard().stores().stream().filter(store -> store.base().equals(base))
        .findFirst().map(StoreDescriptor::sizeBytes).orElse(OptionalLong.empty());
    Map<String, Future<NodeSpace>> asked = new LinkedHashMap<>();
    caches.membership().nodes().forEach(node -> asked.put(node.name(),
        caches.bus().ask(node.name(), NodeVerb.SPACE, Ack.ACK, NodeSpace.class).otherwise(NodeSpace.UNKNOWN)));
    return Future.all(List.copyOf(asked.values())).map(_ -> {
      Map<String, Long> free = new TreeMap<>();
      asked.forEach((node, space) -> space.result().stores().stream().filter(one -> one.base().equals(base))
          .forEach(one -> free.put(node, free(one, size, sharing(node)))));
      return free;
    });
  }

  private static long free(StoreSpace space, OptionalLong size, long sharing) {
    long free = space.freeBytes() / sharing;
    return size.isEmpty() ? free : Math.min(free, size.getAsLong() / sharing - space.usedBytes());
  }

  /** Nodes on the host of this one, itself included. */
  private long sharing(String node) {
    List<NodeInfo> nodes = caches.membership().nodes();
    Optional<String> host = caches.membership().find(node).map(NodeInfo::hostId);
    return Math.max(1, nodes.stream().filter(other -> host.filter(other.hostId()::equals).isPresent()).count());
  }

  private void done(Work mine) {
    work = Optional.empty();
    told.remove(mine.key());
    int id = mine.dataset.descriptor().id();
    LOG.info("dataset {} is whole again", id);
    observer.notice(new Event.HealDone(id, mine.plan.steps(), (loop.nanoTime() - mine.startNs) / NS_PER_US));
  }

  private Future<Void> steps(Work mine) {
    return paid().compose(_ -> restores.inTurn(() -> {
      require(mine.round);
      return caches.all().compose(all -> step(mine, all));
    })).compose(more -> more ? steps(mine) : mine.plan.newSets().map(map -> protect(mine, map))
        .orElseGet(Future::succeededFuture));
  }

  /** Waits until what was made is paid for. */
  private Future<Void> paid() {
    throttle.rate(policy.bytesPerSecond(), loop.nanoTime());
    long delayNs = throttle.delayNs(loop.nanoTime());
    if (delayNs <= 0) {
      return Future.succeededFuture();
    }
    Promise<Void> promise = loop.promise();
    loop.after(Math.ceilDiv(delayNs, NS_PER_MS), promise::complete);
    return promise.future();
  }

  /** Makes a batch; completes with false when nothing is left. */
  private Future<Boolean> step(Work mine, List<Inventory> all) {
    require(mine.round);
    List<HealPart> left = mine.plan.left(mine.key(), all);
    int id = mine.dataset.descriptor().id();
    if (left.size() >= mine.left) {
      throw new ScrException(Fault.WRONG_STATE, "dataset " + id + " lacks as much as before the last step");
    }
    mine.left = left.size();
    observer.notice(new Event.HealProgress(id, mine.done(), mine.plan.steps()));
    if (left.isEmpty()) {
      return Future.succeededFuture(false);
    }
    List<HealPart> batch = batch(mine.dataset, left);
    throttle.took(batch.size() * partBytes(mine.dataset, batch.getFirst().what()));
    return (batch.getFirst().what() == HeldPart.FILES ? bring(mine.dataset, all, batch)
        : mend(mine.dataset, all, batch)).map(failed -> {
          if (!failed.isEmpty()) {
            throw new ScrException(Fault.of(failed.getFirst().fault()), failed.getFirst().message());
          }
          return true;
        });
  }

  /** What one node can make in a second of the budget. */
  private List<HealPart> batch(Inventory.Dataset dataset, List<HealPart> left) {
    HealPart first = left.getFirst();
    long most = Math.max(1, policy.bytesPerSecond() / Math.max(1, partBytes(dataset, first.what())));
    return left.stream().filter(part -> part.node().equals(first.node()) && part.what() == first.what())
        .limit(most).toList();
  }

  /** About as many bytes as a part has. */
  private static long partBytes(Inventory.Dataset dataset, HeldPart what) {
    long files = dataset.descriptor().totals().bytes() / Math.max(1, dataset.origin().ranks());
    return what == HeldPart.FILES ? files
        : switch (dataset.scheme()) {
          case SINGLE -> 0;
          case PARTNER -> files * dataset.redundancy().how().redundancy().failures();
          case XOR, RS -> files / Math.max(1, dataset.redundancy().how().redundancy().setSize() - 1);
        };
  }

  private Future<List<RankFailure>> bring(Inventory.Dataset dataset, List<Inventory> all, List<HealPart> batch) {
    SortedMap<String, List<RankPlan>> perNode = new TreeMap<>();
    String node = batch.getFirst().node();
    perNode.put(node, batch.stream()
        .map(part -> RestorePlanner.files(dataset.descriptor(), all, node, part.rank())).toList());
    return restores.run(new RestorePlan(dataset.descriptor(), dataset.redundancy(), perNode, false), all,
        new CacheRestores.Target(dataset.origin().prefix(),
            new RankMap(Collections.nCopies(dataset.origin().ranks(), node))));
  }

  private Future<List<RankFailure>> mend(Inventory.Dataset dataset, List<Inventory> all, List<HealPart> batch) {
    String node = batch.getFirst().node();
    List<RankPlan> plans = batch.stream()
        .map(part -> RestorePlanner.redundancy(dataset.descriptor(), all, node, part.rank())).toList();
    FlushState flush = CacheSnapshot.of(all).copies(dataset.key()).map(Inventory.Dataset::flush)
        .max(Comparator.naturalOrder()).orElse(FlushState.NOT_WANTED);
    RestoreRanks files = new RestoreRanks(dataset.descriptor(), dataset.origin(), dataset.base(),
        dataset.redundancy(), flush, List.of());
    return caches.bus().command(node, NodeVerb.MEND, new MendParts(files, plans), Mended.class)
        .map(Mended::redundancy);
  }

  /** In new sets, beside the old ones; they are used if nothing has changed meanwhile. */
  private Future<Void> protect(Work mine, RankMap map) {
    int id = mine.dataset.descriptor().id();
    return caches.all().compose(before -> {
      require(mine.round);
      long number = numbers.next(0);
      NewSets sets = new NewSets(caches.bus(), new ProtectRequest(id, number, number, map, groups.of(map.nodes())));
      return sets.make()
          .compose(_ -> restores.inTurn(() -> {
            require(mine.round);
            return caches.all().compose(now -> {
              require(mine.round);
              if (!held(before, mine.key()).equals(held(now, mine.key()))) {
                throw new ScrException(Fault.BUSY, "the copies of dataset " + id + " have changed meanwhile");
              }
              return sets.use(mine.key());
            });
          }));
    });
  }

  private static Map<String, List<Inventory.Held>> held(List<Inventory> all, DatasetKey key) {
    Map<String, List<Inventory.Held>> held = new TreeMap<>();
    all.forEach(cache -> cache.datasets().stream().filter(copy -> copy.key().equals(key))
        .forEach(copy -> held.put(cache.node(), copy.ranks())));
    return held;
  }
}

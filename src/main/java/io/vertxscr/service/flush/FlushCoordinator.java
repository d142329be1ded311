package io.vertxscr.service.flush;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.flow.flush.FlushFlow.Effect;
import io.vertxscr.flow.flush.FlushFlow.FlushEvent;
import io.vertxscr.flow.flush.FlushFlow.Outcome;
import io.vertxscr.flow.flush.FlushFlow.State;
import io.vertxscr.flow.flush.FlushFlow;
import io.vertxscr.flow.flush.Progress;
import io.vertxscr.flow.restart.CacheSnapshot;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.flush.FlushAmount;
import io.vertxscr.protocol.node.flush.FlushView;
import io.vertxscr.protocol.node.flush.OverwriteNotice;
import io.vertxscr.service.Event.FlushDone;
import io.vertxscr.service.Event.FlushFailed;
import io.vertxscr.service.Event.FlushGivenUp;
import io.vertxscr.service.Event.FlushStarted;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Observer;
import io.vertxscr.service.PrefixJobs;
import io.vertxscr.service.Recent;
import io.vertxscr.service.TraceScope;
import io.vertxscr.service.Traces;
import io.vertxscr.service.restart.CacheRestores;
import io.vertxscr.service.restart.Inventories;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the flushes of the leader: one {@link FlushFlow} for each dataset, at most one per dataset at a time. A flush
 * belongs to no run: it goes on when the application is gone, and after the cluster was started again. What must be
 * flushed is the business of {@link WantedFlushes}. On the node's loop.
 */
public final class FlushCoordinator {
  private static final Logger LOG = LoggerFactory.getLogger(FlushCoordinator.class);
  /** For how many failed attempts an application waits before it goes on; the flush goes on without it. */
  private static final int ATTEMPTS_WAITED_FOR = 3;
  /** Reasons that are kept for late questions. */
  private static final int MOST_GIVEN_UP = 256;
  /** Far more than arrive while an inventory is read. */
  private static final int MOST_ARRIVED = 1000;

  private final Loop loop;
  private final Inventories caches;
  private final CacheRestores restores;
  private final FlushSteps steps;
  private final FlushShares shares;
  private final Observer observer;
  private final Map<Integer, Running> running = new HashMap<>();
  /** Datasets that are to go: how many are at it. */
  private final Map<Integer, Integer> barred = new HashMap<>();
  /** Of datasets that are not under way any more and did not arrive: why. */
  private final Recent<Integer, ScrException> givenUp = new Recent<>(MOST_GIVEN_UP);
  /** Which arrival each dataset that has arrived was. */
  private final Recent<Integer, Long> arrived = new Recent<>(MOST_ARRIVED);
  private long arrivals;
  private boolean parked;

  /** Flushes for the leader of a node. */
  public FlushCoordinator(Loop loop, Inventories caches, CacheRestores restores, FlushShares shares, FlushSteps steps,
      Observer observer) {
    this.shares = shares;
    this.loop = loop;
    this.caches = caches;
    this.restores = restores;
    this.observer = observer;
    this.steps = steps;
  }

  /** One dataset on its way. */
  private static final class Running {
    private final int datasetId;
    private final Promise<Void> done;
    private final List<Promise<Void>> impatient = new ArrayList<>();
    private final long startNs;
    private State state = new State.Idle();
    private int attempt;
    private long attemptNs;
    private Optional<DatasetDescriptor> dataset = Optional.empty();
    /** Where a rebuild has found or made good copies, until the attempt behind it. */
    private Optional<RankMap> good = Optional.empty();
    private Optional<String> cause = Optional.empty();

    Running(int datasetId, Promise<Void> done, long startNs) {
      this.datasetId = datasetId;
      this.done = done;
      this.startNs = startNs;
    }

    long bytes() {
      return dataset.map(known -> known.totals().bytes()).orElse(0L);
    }
  }

  /**
   * Records at run begin whether the prefix directory has datasets. If so, no later flush goes to one without any,
   * which would be an empty mount point. If it has none, it counts as a new one.
   */
  public Future<Void> begun(String prefix) {
    return steps.begun(prefix);
  }

  /** Flushes a dataset with retries; joins a flush of it in progress. */
  public Future<Void> flush(int datasetId) {
    Running present = running.get(datasetId);
    if (present != null) {
      return present.done.future();
    }
    if (parked) {
      return Future.failedFuture(new ScrException(Fault.STOPPING, "flush of dataset " + datasetId
          + " is left to the next start"));
    }
    if (barred.containsKey(datasetId)) {
      return Future.failedFuture(barred(datasetId));
    }
    Running flush = new Running(datasetId, loop.promise(), loop.nanoTime());
    running.put(datasetId, flush);
    givenUp.remove(datasetId);
    observer.notice(new FlushStarted(datasetId));
    apply(flush, new FlushEvent.Start());
    return flush.done.future();
  }

  /**
   * Why a flush of a dataset would leave nothing of it there, in words: newer ones are in its way.
   *
   * @param all what the caches hold
   * @return empty where it would arrive; fails where the prefix directory cannot be read now
   */
  public Future<Optional<String>> useless(Inventory.Dataset dataset, List<Inventory> all) {
    return loop.prefix().within(PrefixJobs.PATIENCE, steps.useless(dataset, all));
  }

  /**
   * Does something with a dataset that is to go, while no flush of it is under way. One that is under way is let finish
   * its attempt, so that it leaves no drafts behind, and not tried again.
   */
  public <T> Future<T> without(int datasetId, Supplier<Future<T>> action) {
    barred.merge(datasetId, 1, Integer::sum);
    shares.drop(datasetId);                               // within limits its copies could take hours
    Running present = running.get(datasetId);
    Future<Void> ended = present == null ? Future.succeededFuture() : present.done.future().otherwiseEmpty();
    if (present != null && present.state instanceof State.Waiting) {
      apply(present, new FlushEvent.GiveUp(Fault.NO_SUCH_DATASET, barred(datasetId).getMessage()));
    }
    return ended.compose(_ -> action.get()).onComplete(_ ->
        barred.computeIfPresent(datasetId, (_, others) -> others == 1 ? null : others - 1));
  }

  private static ScrException barred(int datasetId) {
    return new ScrException(Fault.NO_SUCH_DATASET, "dataset " + datasetId + " is being dropped");
  }

  /** Publishes a dataset in bypass mode; a single attempt, because a phase waits. */
  public Future<Void> publishInPlace(
      DatasetDescriptor dataset, String prefix, List<String> holders, long mapBytes, boolean taken) {
    return steps.publishInPlace(dataset, prefix, holders, mapBytes, taken);
  }

  /** The ranks are about to write over a file there. */
  public Future<Void> overwrite(OverwriteNotice what) {
    return steps.overwrite(what);
  }

  /** Flushes a dataset for a waiting caller: completes without success after a few failed attempts. */
  public Future<Void> flushNow(int datasetId) {
    Promise<Void> waiting = loop.promise();
    Future<Void> flush = flush(datasetId);
    Running present = running.get(datasetId);
    if (present != null) {
      present.impatient.add(waiting);
    }
    flush.onComplete((_, failure) -> {
      if (failure != null) {
        LOG.warn("dataset {} is not in the prefix directory: {}; its cached copy stays", datasetId,
            failure.getMessage());
      }
      waiting.tryComplete();
    });
    return waiting.future();
  }

  private void apply(Running flush, FlushEvent event) {
    FlushFlow.Next next = FlushFlow.next(flush.state, event, FlushFlow.FlushOptions.UNLIMITED);
    flush.state = next.state();
    next.effects().forEach(effect -> act(flush, effect));
  }

  private void act(Running flush, Effect effect) {
    switch (effect) {
      case Effect.CopyAll(int attempt) -> {
        flush.attemptNs = loop.nanoTime();
        step(flush, attempt, new FlushEvent.Copied(attempt), caches.all().compose(all -> {
          flush.attempt = attempt;
          flush.dataset = dataset(flush.datasetId, all).or(() -> flush.dataset);
          Optional<RankMap> good = flush.good;
          flush.good = Optional.empty();
          return copied(flush.datasetId, attempt, all, good);
        }));
      }
      case Effect.Rebuild(int attempt) ->
          step(flush, attempt, new FlushEvent.Rebuilt(attempt), restores.rebuilt(flush.datasetId).map(good -> {
            flush.good = Optional.of(good);
            return null;
          }));
      case Effect.PublishAll(int attempt) ->
          step(flush, attempt, new FlushEvent.Published(attempt), steps.publish(flush.datasetId, attempt));
      case Effect.WriteMaps(int attempt) ->
          step(flush, attempt, new FlushEvent.Mapped(attempt), steps.writeMaps(flush.datasetId));
      case Effect.Seal(int attempt) ->
          step(flush, attempt, new FlushEvent.Sealed(attempt), steps.seal(flush.datasetId));
      case Effect.Wait(long delayMs) -> {
        if (!parked) {
          loop.after(delayMs, () -> apply(flush, parked ? parking() : new FlushEvent.Tick()));
        } else {
          loop.later(() -> apply(flush, parking()));
        }
      }
      case Effect.Tell(Outcome outcome) -> tell(flush, outcome);
    }
  }

  private Future<Void> copied(int id, int attempt, List<Inventory> all, Optional<RankMap> good) {
    Inventory.Dataset dataset = CacheSnapshot.of(all).find(id)
        .orElseThrow(() -> new ScrException(Fault.NO_SUCH_DATASET, "no cache holds dataset " + id));
    return requireKnown(dataset).compose(_ -> steps.copy(dataset, attempt, all, good));
  }

  /**
   * Drops a dataset that was removed while a node was away that has parts of it.
   *
   * @return fails with NO_SUCH_DATASET where it was; where its prefix directory cannot be read
   */
  Future<Void> requireKnown(Inventory.Dataset dataset) {
    return steps.isRemoved(dataset).compose(removed -> removed
        ? restores.dropped(List.of(dataset.key())).compose(_ -> Future.failedFuture(new ScrException(
            Fault.NO_SUCH_DATASET, "dataset " + dataset.descriptor().id()
                + " was removed while a node was away that has parts of it")))
        : Future.succeededFuture());
  }

  private static Optional<DatasetDescriptor> dataset(int id, List<Inventory> all) {
    return CacheSnapshot.of(all).find(id).map(Inventory.Dataset::descriptor);
  }

  /** Returns the flushes in progress, oldest dataset first. */
  public List<FlushView> views() {
    return running.values().stream().sorted(Comparator.comparingInt(flush -> flush.datasetId)).map(this::view).toList();
  }

  private FlushView view(Running flush) {
    long now = shares.nowMs();
    Optional<Progress> progress = shares.progress(flush.datasetId);
    long total = flush.bytes();
    FlushAmount amount = progress.map(p -> new FlushAmount(p.doneBytes(), p.totalBytes(), p.bytesPerSecond(now)))
        .orElse(new FlushAmount(FlushFlow.isCopied(flush.state) ? total : 0, total, 0));
    return new FlushView(flush.datasetId, flush.dataset.map(DatasetDescriptor::name).orElse(""),
        FlushFlow.words(flush.state), flush.attempt, amount,
        progress.map(p -> p.remainingMs(now)).orElse(OptionalLong.empty()), flush.cause);
  }

  /** Returns the number of completed flushes, for {@link #hasArrivedSince}. */
  long arrivals() {
    return arrivals;
  }

  /**
   * Whether a flush of the dataset has completed since then. An inventory read meanwhile may be stale: it may say
   * WANTED for a dataset that the caches no longer hold.
   */
  boolean hasArrivedSince(int datasetId, long then) {
    return arrived.get(datasetId).filter(when -> when > then).isPresent();
  }

  /** When the flush of a dataset ends; empty where none is under way. */
  public Optional<Future<Void>> underWay(int datasetId) {
    return Optional.ofNullable(running.get(datasetId)).map(flush -> flush.done.future());
  }

  /** Why the last attempt has failed, of one that is under way. */
  Optional<String> cause(int datasetId) {
    return Optional.ofNullable(running.get(datasetId)).flatMap(flush -> flush.cause);
  }

  /** Why the last flush of a dataset was given up, where it was. */
  Optional<ScrException> givenUp(int datasetId) {
    return givenUp.get(datasetId);
  }

  private static FlushEvent.GiveUp parking() {
    return new FlushEvent.GiveUp(Fault.STOPPING, "this node is stopping; the flush is left to the next leader");
  }

  private void step(Running flush, int attempt, FlushEvent success, Future<Void> work) {
    long since = loop.traces().now();
    work.onComplete((_, failure) -> {
      flush.dataset.ifPresent(dataset -> trace(flush, dataset.key(), success, since, failure));
      if (failure == null) {
        apply(flush, success);
        return;
      }
      Fault fault = failure instanceof ScrException e ? e.fault() : Fault.INTERNAL;
      flush.cause = Optional.of(String.valueOf(failure.getMessage()));
      LOG.warn("flush of dataset {}, attempt {}: {}", flush.datasetId, attempt, failure.getMessage());
      observer.notice(new FlushFailed(flush.datasetId, attempt, fault, String.valueOf(failure.getMessage())));
      boolean gone = fault == Fault.NO_SUCH_DATASET || fault == Fault.NOT_LEADER
          || barred.containsKey(flush.datasetId);
      apply(flush, new FlushEvent.Failed(attempt, fault, String.valueOf(failure.getMessage()), !gone));
      if (attempt >= ATTEMPTS_WAITED_FOR) {
        flush.impatient.forEach(Promise::tryComplete);
      }
    });
  }

  /** A step of an attempt; with its last one, or one that fails, the attempt. */
  private void trace(Running flush, DatasetKey dataset, FlushEvent step, long sinceNs, Throwable failure) {
    Traces traces = loop.traces();
    String title = switch (step) {
      case FlushEvent.Copied _ -> FlushService.COPY;
      case FlushEvent.Published _ -> FlushService.PUBLISH;
      case FlushEvent.Mapped _ -> "map";
      case FlushEvent.Sealed _ -> "seal";
      default -> "rebuild";
    };
    TraceScope attempt = traces.attempt(dataset, flush.attempt);
    traces.ended(attempt.child(title), sinceNs, failure);
    if (failure != null || step instanceof FlushEvent.Sealed) {
      traces.ended(attempt, flush.attemptNs, failure);
    }
  }

  private void traceEnd(Running flush, Throwable failure) {
    flush.dataset.ifPresent(dataset -> loop.traces().ended(loop.traces().flush(dataset.key())
        .with("scr.dataset.name", dataset.name()).with("scr.dataset.bytes", flush.bytes())
        .with("scr.flush.attempts", flush.attempt), flush.startNs, failure));
  }

  private void tell(Running flush, Outcome outcome) {
    running.remove(flush.datasetId);
    long flushUs = (loop.nanoTime() - flush.startNs) / 1000;
    switch (outcome) {
      case Outcome.Succeeded _ -> {
        LOG.info("dataset {} is in the prefix directory", flush.datasetId);
        arrived.put(flush.datasetId, ++arrivals);
        traceEnd(flush, null);
        observer.notice(new FlushDone(flush.datasetId, flush.attempt, flush.bytes(), flushUs));
        flush.done.complete();
      }
      case Outcome.Failed(Fault fault, String message) -> {
        if (fault != Fault.STOPPING && fault != Fault.NOT_LEADER) {
          steps.abandon(flush.datasetId);
        }
        if (fault != Fault.NOT_LEADER && fault != Fault.STOPPING) {    // the next leader goes on, and reports the root
          traceEnd(flush, new ScrException(fault, message));
        }
        observer.notice(new FlushGivenUp(flush.datasetId, flush.attempt, fault, message, flushUs));
        givenUp.put(flush.datasetId, new ScrException(fault, message));
        flush.done.fail(new ScrException(fault, message));
      }
    }
  }

  /** Starts no further attempt; the next leader, or the next start, resumes. */
  public void park() {
    parked = true;
  }

  boolean isParked() {
    return parked;
  }
}

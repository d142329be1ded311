package io.vertxscr.service.restart;

import io.vertx.core.Future;
import io.vertxscr.flow.restart.RestorePlanner;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.redundancy.ProtectRequest;
import io.vertxscr.service.Event;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Observer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Background work after a restart. First the redundancy of the restored checkpoint, then the older cached checkpoints,
 * newest first: move or rebuild files, compute redundancy. On the node's loop.
 */
public final class CatchUp {
  private static final Logger LOG = LoggerFactory.getLogger(CatchUp.class);
  private static final int MAX_ATTEMPTS = 6;
  private static final long FIRST_DELAY_MS = 1000;
  /** The dataset, or the run, is gone: nothing is left to be protected. */
  private static final Set<Fault> FINAL =
      EnumSet.of(Fault.NO_SUCH_DATASET, Fault.UNKNOWN_RANK, Fault.NODE_LOST, Fault.NOT_LEADER, Fault.STOPPING);

  private final Loop loop;
  private final Inventories caches;
  private final CacheRestores restores;
  private final Observer observer;
  private long run;
  private long round;

  public CatchUp(Loop loop, Inventories caches, CacheRestores restores, Observer observer) {
    this.loop = loop;
    this.caches = caches;
    this.restores = restores;
    this.observer = observer;
  }

  /** Cancels background work of an earlier run. */
  public void begin(RunInfo info) {
    run = info.run();
  }

  /** No run is on any more. */
  public void end() {
    run = 0;
  }

  /** Computes missing redundancy of a dataset under the run's rank map. Retries with backoff for about a minute. */
  public Future<Void> protect(RunInfo info, DatasetDescriptor dataset) {
    return protect(info, dataset, 1);
  }

  private Future<Void> protect(RunInfo info, DatasetDescriptor dataset, int attempt) {
    long startNs = loop.nanoTime();
    round = Math.max(round + 1, info.run());              // no other leader has ever used it
    NewSets sets = new NewSets(caches.bus(),
        new ProtectRequest(dataset.id(), info.run(), round, info.map(), info.policy().descriptors().groups()));
    return sets.make()
        .compose(_ -> sets.use(dataset.key()))
        .onSuccess(_ -> {
          LOG.info("dataset {} is protected again", dataset.id());
          observer.notice(new Event.ProtectionCaughtUp(dataset.id(), (loop.nanoTime() - startNs) / 1000));
        }).recover(failure -> {
          LOG.warn("dataset {} is not protected, attempt {}: {}", dataset.id(), attempt, failure.getMessage());
          observer.notice(new Event.ProtectionNotCaughtUp(
              dataset.id(), Fault.of(failure), String.valueOf(failure.getMessage())));
          return attempt == MAX_ATTEMPTS || FINAL.contains(Fault.of(failure)) ? Future.failedFuture(failure)
              : after(FIRST_DELAY_MS << (attempt - 1)).compose(_ -> run == info.run()
                  ? protect(info, dataset, attempt + 1) : Future.failedFuture(failure));
        });
  }

  private Future<Void> after(long delayMs) {
    var promise = loop.<Void>promise();
    loop.after(delayMs, promise::complete);
    return promise.future();
  }

  /** Restores the older cached checkpoints with full redundancy. */
  public void older(RunInfo info, int than) {
    caches.all().onSuccess(inventories -> {
      List<DatasetDescriptor> older = RestorePlanner.ofSize(inventories, info.prefix(), info.map().size()).stream()
          .filter(dataset -> dataset.id() < than).toList();
      older(info, older);
    });
  }

  private void older(RunInfo info, List<DatasetDescriptor> left) {
    if (left.isEmpty() || run != info.run()) {
      return;
    }
    DatasetDescriptor dataset = left.getFirst();
    restores.unchecked(dataset, new CacheRestores.Target(info.prefix(), info.map()))
        .compose(plan -> plan.isProtected(info.policy().descriptors().groups()) ? Future.<Void>succeededFuture()
            : protect(info, dataset))
        .recover(failure -> keep(dataset, failure))
        .onComplete(_ -> older(info, left.subList(1, left.size())));
  }

  /** It stays: the nodes that are missing may come back. It goes when the store's count has newer ones. */
  private static Future<Void> keep(DatasetDescriptor dataset, Throwable failure) {
    LOG.warn("dataset {} \"{}\" of the caches is not brought to where its ranks are: {}", dataset.id(), dataset.name(),
        failure.getMessage());
    return Future.succeededFuture();
  }
}

package io.vertxscr.service.flush;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.flow.restart.CacheSnapshot;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.FlushReply;
import io.vertxscr.protocol.node.flush.FlushQuestion;
import io.vertxscr.service.Loop;
import io.vertxscr.service.restart.Inventories;
import io.vertxscr.service.restart.PrefixFetcher;
import java.util.Comparator;
import java.util.Optional;

/** Answers applications about the flush state of their datasets. On the node's loop. */
public final class FlushStates {
  /** Nobody is kept waiting longer for one answer. */
  private static final long PATIENCE_MS = 10_000;
  /** Poll interval for a dataset without a flush in progress: lost files may be rebuilt for it first. */
  private static final long LOOK_AGAIN_MS = 500;

  private final Loop loop;
  private final Inventories caches;
  private final PrefixFetcher prefix;
  private final FlushCoordinator flushes;

  public FlushStates(Loop loop, Inventories caches, PrefixFetcher prefix, FlushCoordinator flushes) {
    this.loop = loop;
    this.caches = caches;
    this.prefix = prefix;
    this.flushes = flushes;
  }

  /**
   * Returns the state of the newest dataset of that name.
   *
   * @return fails with NO_SUCH_DATASET if neither caches nor index have it, and, where it is awaited, with the fault
   *     for which its flush was given up
   */
  public Future<FlushReply> answer(FlushQuestion question) {
    return answer(question, loop.nanoTime() + PATIENCE_MS * 1_000_000);
  }

  private Future<FlushReply> answer(FlushQuestion question, long endNs) {
    return now(question).compose(found -> {
      long leftMs = (endNs - loop.nanoTime()) / 1_000_000;
      if (!question.await() || !found.reply.wanted() || leftMs <= 0) {
        return question.await() && found.failure.isPresent() ? Future.failedFuture(found.failure.get())
            : Future.succeededFuture(found.reply);
      }
      return pause(found.underWay, leftMs).compose(_ -> answer(question, endNs));
    });
  }

  /** Known state, and the future to wait for. */
  private record Found(FlushReply reply, Optional<Future<Void>> underWay, Optional<ScrException> failure) {
    static Found of(FlushReply reply) {
      return new Found(reply, Optional.empty(), Optional.empty());
    }
  }

  private Future<Found> now(FlushQuestion question) {
    if (question.datasetId().isPresent() && flushes.underWay(question.datasetId().getAsInt()).isPresent()) {
      return Future.succeededFuture(underWay(question.datasetId().getAsInt()));
    }
    return caches.all().compose(all -> {
      Optional<Inventory.Dataset> cached = CacheSnapshot.of(all).copiesFor(question.prefix())
          .filter(dataset -> dataset.descriptor().name().equals(question.name()))
          .max(Comparator.comparingLong((Inventory.Dataset dataset) -> dataset.descriptor().createdUs())
              .thenComparing(dataset -> dataset.flush() == FlushState.DONE));
      return cached.map(dataset -> Future.succeededFuture(cached(dataset))).orElseGet(() -> listed(question));
    });
  }

  private Found underWay(int id) {
    return new Found(FlushReply.underWay(flushes.cause(id)), flushes.underWay(id), Optional.empty());
  }

  private Found cached(Inventory.Dataset dataset) {
    int id = dataset.descriptor().id();
    if (dataset.flush() != FlushState.WANTED) {
      return Found.of(dataset.flush() == FlushState.DONE ? FlushReply.FLUSHED : FlushReply.NOT_WANTED);
    }
    Optional<ScrException> givenUp = flushes.givenUp(id);
    return givenUp.isEmpty() ? underWay(id)
        : new Found(new FlushReply(false, false, givenUp.map(Throwable::getMessage)), Optional.empty(), givenUp);
  }

  private Future<Found> listed(FlushQuestion question) {
    return prefix.list(question.prefix()).map(listing -> {
      listing.requireRead();
      if (listing.all().stream().noneMatch(dataset -> dataset.name().equals(question.name()))) {
        throw new ScrException(Fault.NO_SUCH_DATASET, "there is no dataset \"" + question.name()
            + "\" in the caches or in the index of " + question.prefix());
      }
      return Found.of(FlushReply.FLUSHED);
    });
  }

  private Future<Void> pause(Optional<Future<Void>> underWay, long leftMs) {
    Promise<Void> over = loop.promise();
    long timer = loop.after(underWay.isPresent() ? leftMs : Math.min(leftMs, LOOK_AGAIN_MS), over::tryComplete);
    underWay.ifPresent(flush -> flush.onComplete(_ -> {
      loop.cancel(timer);
      over.tryComplete();
    }));
    return over.future();
  }
}

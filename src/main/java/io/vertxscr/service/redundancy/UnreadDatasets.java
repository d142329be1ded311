package io.vertxscr.service.redundancy;

import io.vertx.core.Future;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.RankFiles;
import io.vertxscr.service.Loop;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.LearnedChecksums;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.IntPredicate;

/**
 * Datasets of this node that nobody has read since the application wrote them, and the end of that. A dataset without
 * redundancy is complete before it is read ({@link io.vertxscr.storage.UnreadFiles}). Its checksums come from who reads
 * it first: its flush, who moves it, or nobody but this. On the node's loop.
 */
public final class UnreadDatasets {
  private final Loop loop;
  private final DatasetStore store;
  /** Not at its end yet: who asks for the same joins. */
  private final Map<Reading, Future<Void>> reading = new HashMap<>();

  private record Reading(DatasetKey dataset, List<Integer> ranks) {}

  /** Where files are read. */
  @FunctionalInterface
  private interface Threads {
    Future<LearnedChecksums> run(String what, Callable<LearnedChecksums> job);
  }

  /** Reads for a node. */
  public UnreadDatasets(Loop loop, DatasetStore store) {
    this.loop = loop;
    this.store = store;
  }

  /**
   * Completes when the checksums of these ranks' files are known, as far as they are here. Somebody waits for it.
   *
   * @return fails with CORRUPT if a file is not the one that its rank has left
   */
  public Future<Void> known(int datasetId, Collection<Integer> ranks) {
    return store.find(datasetId).map(record -> read(record, ranks::contains, loop::blocking))
        .orElseGet(Future::succeededFuture);
  }

  /** The same for all files of a dataset, by threads that yield to all others. */
  public Future<Void> quietly(DatasetKey dataset) {
    return store.find(dataset.id()).filter(record -> record.descriptor().key().equals(dataset))
        .map(record -> read(record, _ -> true, loop::quietly)).orElseGet(Future::succeededFuture);
  }

  private Future<Void> read(DatasetRecord record, IntPredicate wanted, Threads threads) {
    List<RankFiles> unread = record.ranks().stream().map(RankRecord::files)
        .filter(files -> files.hasUnread() && wanted.test(files.rank())).toList();
    DatasetKey dataset = record.descriptor().key();
    Reading key = new Reading(dataset, unread.stream().map(RankFiles::rank).toList());
    Future<Void> present = reading.get(key);
    if (unread.isEmpty() || present != null) {
      return present == null ? Future.succeededFuture() : present;
    }
    Path directory = store.directory(dataset.id());
    Future<Void> read = threads.run("read dataset " + dataset.id() + " for its checksums", () -> {
      LearnedChecksums learned = new LearnedChecksums();
      unread.forEach(files -> learned.read(directory, files));
      return learned;
    }).compose(learned -> learned(dataset.id(), learned));
    if (!read.isComplete()) {
      reading.put(key, read);
      read.onComplete(_ -> reading.remove(key));
    }
    return read;
  }

  /** Records what somebody has learned by reading, durably. */
  public Future<Void> learned(int datasetId, LearnedChecksums learned) {
    return learned.isEmpty() ? Future.succeededFuture()
        : loop.blocking("note checksums of dataset " + datasetId, () -> {
          store.learned(datasetId, learned);
          return null;
        });
  }
}

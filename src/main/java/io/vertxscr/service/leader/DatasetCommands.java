package io.vertxscr.service.leader;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.flow.restart.CacheSnapshot;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Plural;
import io.vertxscr.model.ScrException;
import io.vertxscr.service.Event;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Observer;
import io.vertxscr.service.PrefixJobs;
import io.vertxscr.service.flush.FlushCoordinator;
import io.vertxscr.service.flush.PrefixTurns;
import io.vertxscr.service.restart.CacheRestores;
import io.vertxscr.service.restart.Inventories;
import io.vertxscr.service.restart.OnlyCopies;
import io.vertxscr.service.restart.PrefixFetcher;
import io.vertxscr.service.restart.RestartJournal;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What an application may do to datasets that are there already. It may say that it restarted from one by itself, have
 * one forgotten, or have one deleted. On the node's loop.
 */
public final class DatasetCommands {
  private static final int NAMES_SHOWN = 8;

  private final Loop loop;
  private final Inventories caches;
  private final CacheRestores restores;
  private final PrefixFetcher prefix;
  private final RestartJournal journal;
  private final FlushCoordinator flushes;
  private final PrefixTurns turns;
  private final Observer observer;
  private final OnlyCopies onlyCopies;
  /** Of a dataset that an operator drops; the last one. */
  private Future<Void> dropping = Future.succeededFuture();

  /** Works for the leader of a node. */
  public DatasetCommands(Loop loop, Inventories caches, CacheRestores restores, PrefixFetcher prefix,
      RestartJournal journal, OnlyCopies onlyCopies, FlushCoordinator flushes, PrefixTurns turns, Observer observer) {
    this.loop = loop;
    this.caches = caches;
    this.restores = restores;
    this.prefix = prefix;
    this.journal = journal;
    this.flushes = flushes;
    this.turns = turns;
    this.observer = observer;
    this.onlyCopies = onlyCopies;
  }

  /**
   * Has restarts begin with this checkpoint. Newer ones that are known now are left alone, and its quarantine ends.
   *
   * @return fails with NO_SUCH_DATASET if neither caches nor index have a checkpoint of that name, or newer ones have
   *     replaced its files and no cache has it
   */
  Future<RestartPoint> current(String prefixDirectory, String name) {
    return caches.all().compose(inventories -> prefix.list(prefixDirectory).compose(flushed -> {
      List<DatasetDescriptor> cached = cached(inventories, prefixDirectory);
      List<DatasetDescriptor> known = Stream.concat(cached.stream(), flushed.all().stream()).toList();
      DatasetDescriptor named = known.stream()
          .filter(dataset -> dataset.name().equals(name) && dataset.flags().checkpoint())
          .reduce((a, b) -> a.createdUs() >= b.createdUs() ? a : b)
          .orElseThrow(() -> {
            flushed.requireRead();
            return unknown("checkpoint", name, known);
          });
      if (flushed.isReplaced(named) && cached.stream().noneMatch(named::sameAs)) {
        throw new ScrException(Fault.NO_SUCH_DATASET, "checkpoint \"" + name + "\" cannot be had any more: newer ones"
            + " have replaced its files in " + prefixDirectory + ", and no cache here has it");
      }
      int last = known.stream().mapToInt(DatasetDescriptor::id).max().orElse(0);
      return journal.update(prefixDirectory, history -> history.startingFrom(named, last))
          .compose(history -> (flushed.all().stream().anyMatch(named::sameAs)   // or it has an older one of the name
              ? prefix.setCurrent(prefixDirectory, name) : Future.<Void>succeededFuture())
              .compose(_ -> onlyCopies.keep(prefixDirectory))   // what is left alone may have replaced its files
              .map(history))
          .onSuccess(_ -> observer.notice(new Event.RestartPoint(named.id(), name)))
          .map(history -> new RestartPoint(named, remarks(named, known, flushed.isOverwritten(named, history))));
    }));
  }

  private static List<String> remarks(DatasetDescriptor named, List<DatasetDescriptor> known, boolean onlyCached) {
    String which = "dataset " + named.id() + " \"" + named.name() + "\"";
    return Stream.concat(leftAlone(named, which, known).stream(), onlyCached ? Stream.of("files of " + which
        + " in the prefix directory have been replaced by newer ones: restarts begin with it as long as the caches hold"
        + " it, and a checkpoint that is flushed from now on is needed before they are given up") : Stream.empty())
        .toList();
  }

  /** In the order in which they were written; of two with one name the newer one. */
  private static Optional<String> leftAlone(
      DatasetDescriptor named, String which, List<DatasetDescriptor> known) {
    List<String> newer = known.stream().filter(dataset -> dataset.flags().checkpoint() && dataset.id() > named.id())
        .sorted(Comparator.comparingInt(DatasetDescriptor::id)).map(DatasetDescriptor::name).distinct().toList();
    return newer.isEmpty() ? Optional.empty() : Optional.of("checkpoints that are newer than " + which
        + " are left alone: " + Plural.list(newer, NAMES_SHOWN) + ". In the caches they make room for new ones; in"
        + " the prefix directory each stays until a new one of its name replaces it");
  }

  /**
   * Where restarts begin from now on.
   *
   * @param remarks which checkpoints are newer, and what becomes of them; and where its own files are gone
   */
  record RestartPoint(DatasetDescriptor dataset, List<String> remarks) {}

  /**
   * Has a dataset forgotten. It leaves the index and the caches; by DELETE its files in the prefix directory go too.
   *
   * @param existed whether there was one of that name, as far as the nodes know: it may have left the caches since, and
   *     to want it gone is then no mistake
   * @return the ids that it had
   */
  public Future<List<Integer>> remove(Step step, String prefixDirectory, String name, boolean existed) {
    boolean delete = step == Step.DELETE;
    return caches.all().compose(inventories -> prefix.list(prefixDirectory).compose(flushed -> {
      List<DatasetDescriptor> cached = cached(inventories, prefixDirectory);
      List<DatasetDescriptor> mine = cached.stream().filter(dataset -> dataset.name().equals(name)).toList();
      TreeSet<Integer> ids = new TreeSet<>(mine.stream().map(DatasetDescriptor::id).toList());
      return withoutFlushes(List.copyOf(ids), () -> turns.in(prefixDirectory,
          () -> prefix.withdraw(prefixDirectory, name, delete)).compose(gone -> {
        ids.addAll(gone);
        if (ids.isEmpty()) {
          flushed.requireRead();
          if (existed) {
            return Future.succeededFuture();
          }
          throw unknown("dataset", name, Stream.concat(cached.stream(), flushed.all().stream()).toList());
        }
        // ids are never used again, also when nobody has the dataset any more; a node that is away may have it still
        List<DatasetKey> keys = Stream.concat(mine.stream(),
            flushed.all().stream().filter(dataset -> dataset.name().equals(name))).map(DatasetDescriptor::key).toList();
        return forget(prefixDirectory, ids.last(), keys, mine.stream().map(DatasetDescriptor::key).toList());
      })).map(_ -> List.copyOf(ids)).onSuccess(all ->
          all.forEach(id -> observer.notice(new Event.DatasetDropped(id, name, delete))));
    }));
  }

  /**
   * Has one dataset of the caches forgotten, and no other of its name. It leaves the index, too; its files stay.
   *
   * @param admitted fails where it must stay: asked when restores that begin from now on wait
   */
  public Future<Void> drop(String prefixDirectory, DatasetDescriptor dataset, Supplier<Future<Void>> admitted) {
    List<DatasetKey> key = List.of(dataset.key());
    Promise<Void> mine = loop.promise();
    dropping = dropping.transform((_, _) -> mine.future());
    admitted.get().compose(_ -> withoutFlushes(List.of(dataset.id()), () -> turns.in(prefixDirectory,
        () -> prefix.withdraw(prefixDirectory, dataset)).compose(_ -> forget(prefixDirectory, dataset.id(), key, key))))
        .onSuccess(_ -> observer.notice(new Event.DatasetDropped(dataset.id(), dataset.name(), false)))
        .onComplete(mine);
    return mine.future();
  }

  /** Completes when nothing is being dropped: a restart would take what is about to go. After a while, it does. */
  Future<Void> dropped() {
    return loop.prefix().within(PrefixJobs.PATIENCE_AT_BEGIN, dropping).otherwiseEmpty();
  }

  private Future<Void> forget(String prefixDirectory, int newest, List<DatasetKey> keys, List<DatasetKey> cached) {
    return journal.note(prefixDirectory, history -> history.knowing(newest).removing(keys))
        .compose(_ -> restores.dropped(cached))
        .compose(_ -> onlyCopies.keep(prefixDirectory));      // it may have replaced the files of older ones
  }

  private Future<Void> withoutFlushes(List<Integer> ids, Supplier<Future<Void>> action) {
    return ids.isEmpty() ? action.get() : flushes.without(
        ids.getFirst(), () -> withoutFlushes(ids.subList(1, ids.size()), action));
  }

  private static List<DatasetDescriptor> cached(List<Inventory> inventories, String prefixDirectory) {
    return CacheSnapshot.of(inventories).copiesFor(prefixDirectory)
        .map(Inventory.Dataset::descriptor).distinct().toList();
  }

  private static ScrException unknown(String what, String name, List<DatasetDescriptor> known) {
    List<String> names = known.stream().map(DatasetDescriptor::name).distinct().sorted().toList();
    return new ScrException(Fault.NO_SUCH_DATASET, "there is no " + what + " \"" + name
        + "\" in the caches or in the index;" + (names.isEmpty() ? " both are empty"
        : " there are " + Plural.list(names, NAMES_SHOWN)));
  }
}

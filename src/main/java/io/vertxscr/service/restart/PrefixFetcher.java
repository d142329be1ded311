package io.vertxscr.service.restart;

import io.vertx.core.Future;
import io.vertxscr.config.policy.FetchPolicy;
import io.vertxscr.flow.restart.CacheSnapshot;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.flow.restart.RestartOrder;
import io.vertxscr.flow.restart.RestartOrder.FlushedCheckpoints;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.Fault;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RestartHistory;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.container.ContainerDrafts;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.prefix.publish.Withdrawal;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.restart.DropDatasets;
import io.vertxscr.protocol.node.restart.FetchRanks;
import io.vertxscr.service.BoundedParallel;
import io.vertxscr.service.LockedJobs;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.OpenPrefix;
import io.vertxscr.service.PrefixJobs;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.cache.StoreChecks;
import io.vertxscr.service.restart.Restorer.RestoreRequest;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Leader half of a fetch: lists the prefix directory, and fetches one dataset on all nodes. */
public final class PrefixFetcher {
  private static final Logger LOG = LoggerFactory.getLogger(PrefixFetcher.class);
  /** Of a step of a fetch. Each reads all of it again, and an older checkpoint costs work. */
  private static final int MOST_ATTEMPTS = 4;

  private final Loop loop;
  private final Prefixes prefixes;
  private final LockedJobs locked;
  private final NodeBus bus;
  private final Fencing fencing;
  private final Supplier<LocalDateTime> now;

  /** Changes prefix directories by the token of this leader. */
  public interface Fencing {
    /** Fails with NOT_LEADER or BUSY where another leader has taken over since, or as the change does. */
    <T> Future<T> with(String prefix, Function<PrefixToken, Future<T>> change);
  }

  /** Fetches for the leader of a node. */
  public PrefixFetcher(Loop loop, NodeBus bus, Prefixes prefixes, Fencing fencing, Supplier<LocalDateTime> now) {
    this.fencing = fencing;
    this.loop = loop;
    this.prefixes = prefixes;
    this.locked = prefixes.locked();
    this.bus = bus;
    this.now = now;
  }

  /**
   * Content of a prefix directory.
   *
   * @param all that the index lists
   * @param current name of the dataset that restarts are to begin with, where one is set
   * @param restart what restarts may use
   * @param traces ids of all datasets that have left anything there, also of those that the index does not list
   * @param replaced ids of those that could be used, had not later ones replaced files of theirs
   * @param trouble why it cannot be read, and counts as empty; empty where it can be
   */
  public record Listing(List<DatasetDescriptor> all, Optional<String> current, FlushedCheckpoints restart,
      Set<Integer> traces, Set<Integer> replaced, Optional<String> trouble) {
    static Listing unread(String trouble) {
      return new Listing(List.of(), Optional.empty(), new FlushedCheckpoints(List.of(), Integer.MAX_VALUE, 0), Set.of(),
          Set.of(), Optional.of(trouble));
    }

    /** Fails with IO if the index is unreadable, so that no dataset is reported as missing. */
    public void requireRead() {
      trouble.ifPresent(why -> {
        throw new ScrException(Fault.IO, "what the prefix directory has cannot be read now: " + why);
      });
    }

    /** Highest id of all; 0 for none. */
    int lastId() {
      return traces.stream().mapToInt(id -> id).max().orElse(0);
    }

    /** Returns what an index says. @param directories ids of datasets that have left anything there */
    public static Listing of(Index index, List<Integer> directories) {
      int last = index.entries().stream().filter(Index.Entry::restartable).mapToInt(Index.Entry::id).max().orElse(0);
      return new Listing(index.entries().stream().map(Index.Entry::descriptor).toList(), index.current(),
          new FlushedCheckpoints(index.candidates().stream().map(Index.Entry::descriptor).toList(),
              index.currentId(), last),
          Stream.concat(index.entries().stream().map(Index.Entry::id), directories.stream())
              .collect(Collectors.toSet()),
          index.entries().stream().filter(entry -> entry.replacedBy().isPresent() && entry.failed().isEmpty())
              .map(Index.Entry::id).collect(Collectors.toSet()), Optional.empty());
    }

    /** Whether somebody has removed a dataset, and nobody has listed it again. */
    boolean isRemoved(DatasetKey dataset, RestartHistory history) {
      return trouble.isEmpty() && history.isRemoved(dataset)
          && all.stream().map(DatasetDescriptor::key).noneMatch(dataset::equals);
    }

    /** Whether later ones have replaced files of a dataset that is listed. */
    public boolean isReplaced(DatasetDescriptor dataset) {
      return replaced.contains(dataset.id()) && all.stream().anyMatch(dataset::sameAs);
    }

    /** Whether what is there of a dataset that was flushed is of no use, and caches must not count on it. */
    boolean hasLost(DatasetDescriptor dataset, RestartHistory history) {
      return trouble.isEmpty() && (!traces.contains(dataset.id()) || isOverwritten(dataset, history));
    }

    /** Whether later ones, none of which a restart takes, have replaced files of one that it may want. */
    public boolean isOverwritten(DatasetDescriptor dataset, RestartHistory history) {
      Predicate<DatasetDescriptor> wanted = RestartOrder.wanted(restart, history, List.of());
      return replaced.contains(dataset.id()) && wanted.test(dataset)
          && restart.restartable().stream().noneMatch(later -> later.id() > dataset.id() && wanted.test(later));
    }
  }

  /**
   * Checks that datasets can be written there. A missing directory is created. Where it cannot be written to, only a
   * run may begin that has its checkpoints in the caches: they can be brought there later. But none begins where runs
   * have been according to the caches, without a trace: its files would be below a mount point.
   *
   * @return a startup warning; fails with IO, nothing changed
   */
  Future<Optional<String>> usable(String prefix, Inventories caches) {
    return loop.prefix().ask(PrefixJobs.PATIENCE_AT_BEGIN, "look at " + prefix, () -> Look.at(paths(prefix)))
        .recover(failure -> PrefixJobs.isNoAnswer(failure)
            ? Future.succeededFuture(Look.unanswered(failure)) : Future.failedFuture(failure))
        .compose(look -> look.trouble().isEmpty() && !look.bare() ? Future.succeededFuture(Optional.empty())
            : caches.all().compose(inventories ->
                isHeld(prefix, inventories) ? held(paths(prefix), look) : make(prefix)));
  }

  /** Whether another path leads to this directory. Not, where that one cannot be looked at now. */
  Future<Boolean> isSame(String prefix, String other) {
    return PrefixJobs.twice(() -> loop.prefix().ask(PrefixJobs.PATIENCE_AT_BEGIN,
        "compare " + prefix + " with " + other, () -> PrefixDirectories.isSame(other, paths(prefix))))
        .otherwise(failure -> {
          LOG.warn("{} is taken for another directory than {}: {}", other, prefix, failure.getMessage());
          return false;
        });
  }

  /** Obstacle to writing files in a prefix directory, and whether a run has been there. */
  private record Look(Optional<String> trouble, boolean bare) {
    static Look at(PrefixPaths paths) {
      return new Look(PrefixCheck.trouble(paths), PrefixDirectories.isBare(paths));
    }

    static Look unanswered(Throwable why) {
      return new Look(Optional.of("does not answer (" + why.getMessage() + ")"), false);
    }
  }

  private static boolean isHeld(String prefix, List<Inventory> inventories) {
    return CacheSnapshot.of(inventories).copiesFor(prefix).findAny().isPresent();
  }

  private static Future<Optional<String>> held(PrefixPaths paths, Look look) {
    return look.trouble().isEmpty() ? Future.failedFuture(PrefixCheck.notMounted(paths))
        : Future.succeededFuture(look.trouble().map(why -> "the prefix directory " + paths.prefix() + " " + why
            + ": nothing is brought there until that has changed, and the run begins with what the caches hold"));
  }

  /** Creates a missing prefix directory; returns a startup warning. Fails with IO where that cannot be. */
  Future<Optional<String>> make(String prefix) {
    return loop.prefix().ask(PrefixJobs.PATIENCE_AT_BEGIN, "make " + prefix,
        () -> PrefixCheck.make(paths(prefix)));
  }

  /**
   * Reads the index, and which datasets have left anything. Where that fails, the listing says what is in the way.
   *
   * @throws ScrException OUTSIDE_PREFIX if the directory is not open to this node
   */
  public Future<Listing> list(String prefix) {
    OpenPrefix directory = prefixes.open(prefix);
    return PrefixJobs.twice(() -> locked.ask(PrefixJobs.PATIENCE_AT_BEGIN, "read the index of " + prefix, () -> {
      PrefixIndex.Reading reading = directory.index().readOrMake();
      reading.remarks().forEach(LOG::warn);
      return Listing.of(reading.index(), directory.publication().datasets());
    })).recover(failure -> {
      LOG.warn("nothing can be fetched from {}: {}", prefix, failure.getMessage());
      return Future.succeededFuture(Listing.unread(String.valueOf(failure.getMessage())));
    });
  }

  private PrefixIndex index(String prefix) {
    return prefixes.open(prefix).index();
  }

  private PrefixPaths paths(String prefix) {
    return prefixes.open(prefix).paths();
  }

  /**
   * Fetches every rank's files on its node, checked. A node tries again after an error of the operating system, as that
   * may have been its only one; so does the leader. Bad bytes mark the dataset as failed in the index.
   *
   * @return how many ranks wrote it: where every rank may read every file, it may be another number than the run has,
   *     and any node checks the files
   */
  Future<Integer> fetch(DatasetDescriptor dataset, RestoreRequest wanted) {
    FetchErrors errors = new FetchErrors(dataset.id());
    return errors.whileNew(MOST_ATTEMPTS, () -> attempt(dataset, wanted, errors)).transform((count, failure) ->
        failure == null
            ? mark(wanted.prefix(), dataset.key(), index -> index.markFetched(dataset.id(), now.get())).map(count)
            : failed(dataset, wanted, failure).map(count));
  }

  /** Errors in a fetch. One may pass; the same on the same node for the second time stays. */
  private record FetchErrors(int dataset, Set<String> seen) {
    FetchErrors(int dataset) {
      this(dataset, new HashSet<>());
    }

    /** Repeats what fails by an error that has not come before. @param most tries */
    <T> Future<T> whileNew(int most, Supplier<Future<T>> step) {
      return step.get().recover(failure -> {
        boolean isNew = Fault.of(failure) == Fault.IO && seen.add(String.valueOf(failure.getMessage()));
        if (!isNew || most == 1) {
          return Future.failedFuture(failure);
        }
        LOG.warn("dataset {} is fetched once more: {}", dataset, failure.getMessage());
        return whileNew(most - 1, step);
      });
    }
  }

  /** Where it fails, nothing that it has begun is still under way. The next attempt replaces what it left. */
  private Future<Integer> attempt(DatasetDescriptor dataset, RestoreRequest wanted, FetchErrors errors) {
    return loop.prefix().run("look up dataset " + dataset.id() + " in " + wanted.prefix(), () -> new LookedUp(
        check(dataset, wanted),
        ContainerDrafts.isPacked(paths(wanted.prefix()), dataset.id()))).compose(found -> {
      int count = found.ranks();
      CheckpointDescriptor how =
          wanted.policy().descriptors().descriptorFor(dataset.flags(), dataset.checkpointId());
      Origin origin = new Origin(wanted.prefix(), count, wanted.policy().form(how));
      FetchPolicy rules = wanted.policy().fetch();
      Map<String, List<Integer>> ranksByNode = spread(count, wanted.map()).byNode();
      int nodesAtOnce = Math.min(rules.readers(), ranksByNode.size());
      int readers = rules.readers() / nodesAtOnce;
      NodeVerb verb = found.packed() ? NodeVerb.UNPACK : NodeVerb.FETCH;
      Function<FetchRanks.FetchMode, Future<Void>> fetch = where -> store(dataset, how, wanted).compose(_ ->
          onNodes(verb, ranksByNode, nodesAtOnce, errors, dataset, ranks -> new FetchRanks(
              dataset, origin, how.storeBase(), new RedundancyDescriptor(how, 0), ranks, where)));
      return (rules.globalRestart() ? fencing.with(wanted.prefix(), token ->
              fetch.apply(new FetchRanks.FetchMode(rules.bypass(), true, readers, Optional.of(token))))
          : fetch.apply(new FetchRanks.FetchMode(staysInPlace(dataset, wanted), readers))).map(count);
    });
  }

  /** Whether files are read in the prefix directory. Not shards: nodes get ranges of them from each other's caches. */
  static boolean staysInPlace(DatasetDescriptor dataset, RestoreRequest wanted) {
    return wanted.policy().fetch().bypass() && (!dataset.flags().shards() || wanted.policy().fetch().globalRestart());
  }

  /** Has the nodes make the store that takes it, where no checkpoint of the run is cached there. */
  private Future<Void> store(DatasetDescriptor dataset, CheckpointDescriptor how, RestoreRequest wanted) {
    boolean checked =
        wanted.policy().descriptors().caches().stream().anyMatch(store -> store.base().equals(how.storeBase()));
    return checked ? Future.succeededFuture()
        : new StoreChecks(bus).on(wanted.map().byNode().keySet(), how.storeBase())
            .recover(failure -> staysInPlace(dataset, wanted) ? Future.succeededFuture()
                : Future.failedFuture(failure));
  }

  /** What the prefix directory has of a dataset. It tells how many ranks wrote it, and whether it is in containers. */
  private record LookedUp(int ranks, boolean packed) {}

  /**
   * All nodes fetch their parts beside what their caches hold, then all put them in its place. If a node fails, what
   * the others have fetched goes: no restart could use a part of a dataset.
   */
  private Future<Void> onNodes(NodeVerb verb, Map<String, List<Integer>> ranksByNode, int atOnce, FetchErrors errors,
      DatasetDescriptor dataset, Function<List<Integer>, FetchRanks> request) {
    List<String> nodes = List.copyOf(ranksByNode.keySet());
    List<String> wrong = new ArrayList<>();
    return onNodes(nodes, atOnce, node -> errors.whileNew(MOST_ATTEMPTS, () ->
        bus.command(node, verb, request.apply(ranksByNode.get(node)), Ack.class)
            .recover(failure -> of(node, failure))).onFailure(failure -> {
              if (Fault.of(failure) == Fault.CORRUPT) {
                wrong.add(failure.getMessage());
              }
            })).recover(failure -> {
          ScrException all = wrong.size() < 2 ? null : new ScrException(Fault.CORRUPT, String.join("; ", wrong));
          return cleared(nodes, NodeVerb.FETCH_DISCARD, dataset.key(), all == null ? failure : all);
        }).compose(_ -> onNodes(nodes, atOnce,
            node -> bus.command(node, NodeVerb.FETCH_COMMIT, dataset.key(), Ack.class))
            .recover(failure -> cleared(nodes, NodeVerb.DROP, new DropDatasets(List.of(dataset.key())), failure)));
  }

  /** An error that this node alone may have: the same at the same file may be another one's. */
  private static <T> Future<T> of(String node, Throwable failure) {
    return Future.failedFuture(Fault.of(failure) != Fault.IO ? failure
        : new ScrException(Fault.IO, "node " + node + ": " + failure.getMessage(), failure));
  }

  private static Future<Void> onNodes(List<String> nodes, int atOnce, Function<String, Future<Ack>> step) {
    return BoundedParallel.atOnce(atOnce,
        nodes.stream().<Supplier<Future<Ack>>>map(node -> () -> step.apply(node)).toList()).mapEmpty();
  }

  /** Clears away what the nodes have, best effort; fails with the cause. */
  private Future<Void> cleared(List<String> nodes, NodeVerb verb, Object what, Throwable cause) {
    return Future.join(nodes.stream().map(node -> bus.command(node, verb, what, Ack.class)).toList())
        .transform((_, _) -> Future.failedFuture(cause));
  }

  /** Fails with RANKS_DISAGREE for another number of ranks; {@link #fetch} finds other failures. */
  Future<Void> look(DatasetDescriptor dataset, RestoreRequest wanted) {
    return loop.prefix().<Void>run("look up dataset " + dataset.id() + " in " + wanted.prefix(), () -> {
      check(dataset, wanted);
      return null;
    }).recover(failure -> Fault.of(failure) == Fault.RANKS_DISAGREE ? Future.failedFuture(failure)
        : Future.succeededFuture());
  }

  /** The run's own map where the number of ranks is the same, else its nodes in turn. */
  static RankMap spread(int ranks, RankMap map) {
    List<String> nodes = List.copyOf(map.byNode().keySet());
    return ranks == map.size() ? map
        : new RankMap(IntStream.range(0, ranks).mapToObj(rank -> nodes.get(rank % nodes.size())).toList());
  }

  private Future<Void> failed(DatasetDescriptor dataset, RestoreRequest wanted, Throwable failure) {
    boolean badBytes = failure instanceof ScrException e && e.fault() == Fault.CORRUPT;
    Future<Void> noted = badBytes ? markFailed(wanted.prefix(), dataset.key()) : Future.succeededFuture();
    return noted.transform((_, _) -> Future.failedFuture(failure));
  }

  private int check(DatasetDescriptor dataset, RestoreRequest wanted) {
    OpenPrefix directory = prefixes.open(wanted.prefix());
    if (!directory.publication().isComplete(dataset.id())) {
      throw new ScrException(Fault.CORRUPT, "dataset " + dataset.id() + " has no valid summary in " + wanted.prefix());
    }
    int ranks = new RankMapReader(directory.paths(), dataset.id()).ranks();
    if (ranks != wanted.map().size() && !dataset.flags().shards() && !wanted.policy().fetch().globalRestart()) {
      throw Restorer.otherSize(dataset, ranks, wanted);
    }
    return ranks;
  }

  /** Restarts begin with this dataset of the index. */
  public Future<Void> setCurrent(String prefix, String name) {
    return loop.prefix().within(PrefixJobs.PATIENCE_AT_BEGIN, locked.run("update the index of " + prefix, () -> {
      index(prefix).update(index -> index.setCurrent(name)).remarks().forEach(LOG::warn);
      return null;
    }));
  }

  /** Resets restarts to the newest dataset, if they begin with this one. Fails where that cannot be, and logs it. */
  Future<Void> unsetCurrent(String prefix, String name) {
    return change(prefix, index -> index.current().equals(Optional.of(name)) ? index.withoutCurrent() : index);
  }

  /**
   * Removes a dataset from the index, with its files if requested; returns its ids. By its name, which a dataset of
   * another leader may have by now: so only the newest leader does.
   */
  public Future<List<Integer>> withdraw(String prefix, String name, boolean files) {
    return loop.prefix().runLong("look for dataset " + name + " in " + prefix, () ->
        withdrawal(prefixes.open(prefix)).finds(name, files)).compose(there -> !there
            ? Future.succeededFuture(List.of()) : fencing.with(prefix, token ->
                locked.runLong("take dataset " + name + " out of " + prefix, () -> {
                  Withdrawal withdrawal = withdrawal(prefixes.open(prefix).as(token));
                  return files ? withdrawal.delete(name) : withdrawal.drop(name).stream().toList();
                })));
  }

  /** Removes one dataset from the index; not another one that has its name or its id by now. */
  public Future<Void> withdraw(String prefix, DatasetDescriptor which) {
    return loop.prefix().runLong("look for dataset " + which.id() + " in " + prefix, () ->
        withdrawal(prefixes.open(prefix)).finds(which)).compose(there -> !there
            ? Future.succeededFuture() : fencing.with(prefix, token ->
                locked.runLong("take dataset " + which.id() + " out of " + prefix, () -> {
                  withdrawal(prefixes.open(prefix).as(token)).drop(which);
                  return null;
                })));
  }

  private static Withdrawal withdrawal(OpenPrefix directory) {
    return new Withdrawal(directory.paths(), directory.index());
  }

  /** Marks a dataset as failed in the index; trouble with that is only logged. */
  Future<Void> markFailed(String prefix, DatasetKey which) {
    return mark(prefix, which, index -> index.markFailed(which.id(), now.get()));
  }

  /** Not where the index lists another dataset of that id meanwhile. */
  private Future<Void> mark(String prefix, DatasetKey which, UnaryOperator<Index> change) {
    return mark(prefix, index -> index.find(which.id()).map(entry -> entry.descriptor().key()).filter(which::equals)
        .isPresent() ? change.apply(index) : index);
  }

  private Future<Void> mark(String prefix, UnaryOperator<Index> change) {
    return change(prefix, change).otherwiseEmpty();
  }

  private Future<Void> change(String prefix, UnaryOperator<Index> change) {
    return loop.prefix().within(PrefixJobs.PATIENCE_AT_BEGIN, locked.<Void>run("update the index of " + prefix, () -> {
      index(prefix).update(change).remarks().forEach(LOG::warn);
      return null;
    })).onFailure(failure -> LOG.warn("index of {} cannot be updated: {}", prefix, failure.getMessage()));
  }
}

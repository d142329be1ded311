package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertxscr.flow.restart.ShardCatalog;
import io.vertxscr.model.RankMap;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Shards of the checkpoint that is being read (docs/flows/shards.md). Which nodes have them, what is known of them, and
 * what was brought to this node. On the node's loop.
 */
public final class OpenShards {
  private final RankMap holders;
  private final boolean ownSize;
  private final ShardCatalog catalog = new ShardCatalog();
  private final Map<String, String> stores = new HashMap<>();
  private final Map<HeldRanks, Future<Void>> asked = new HashMap<>();
  private final Map<OpenRangeOfShard, Future<Path>> brought = new HashMap<>();
  private Future<Path> directory;
  private int pulls;

  /** Ranks whose files a node has. */
  public record HeldRanks(String node, List<Integer> ranks) {}

  /** Bytes of a file, by its path. */
  public record OpenRangeOfShard(String path, long offset, long bytes) {}

  /**
   * Nothing is known yet.
   *
   * @param holders the node of each rank that wrote the files
   * @param ownSize whether the run has as many ranks: then each has its own files on its node
   */
  public OpenShards(RankMap holders, boolean ownSize) {
    this.holders = holders;
    this.ownSize = ownSize;
  }

  public RankMap holders() {
    return holders;
  }

  public boolean ownSize() {
    return ownSize;
  }

  /** Files of which this node knows. */
  public ShardCatalog catalog() {
    return catalog;
  }

  /** In which store a node has the dataset, as it says. */
  public void store(String node, String base) {
    stores.put(node, base);
  }

  /** The store on that node, if it was asked. */
  public Optional<String> storeOf(String node) {
    return Optional.ofNullable(stores.get(node));
  }

  /** Asks a node what it has of these ranks, once. */
  public Future<Void> ask(HeldRanks of, Supplier<Future<Void>> question) {
    return once(asked, of, question);
  }

  /** Brings bytes here, once; who asks again gets the same file. */
  public Future<Path> bring(OpenRangeOfShard range, Supplier<Future<Path>> pull) {
    return once(brought, range, pull);
  }

  /** Whether these bytes were asked for before. */
  public boolean isBrought(OpenRangeOfShard range) {
    return brought.containsKey(range);
  }

  private static <K, T> Future<T> once(Map<K, Future<T>> known, K key, Supplier<Future<T>> step) {
    Future<T> present = known.get(key);
    if (present == null || present.failed()) {
      present = step.get();
      known.put(key, present);
    }
    return present;
  }

  /** The directory for what is brought, made when it is needed first. */
  public Future<Path> directory(Supplier<Future<Path>> make) {
    if (directory == null || directory.failed()) {
      directory = make.get();
    }
    return directory;
  }

  /** Number of the next pull, from 1. */
  public int nextPull() {
    return ++pulls;
  }

  /** What was brought goes. @return whether there was a directory for it */
  public boolean forget() {
    boolean some = directory != null;
    directory = null;
    brought.clear();
    return some;
  }
}

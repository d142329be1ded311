package io.vertxscr.redundancy.range;

import io.vertxscr.model.RankFiles;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Layouts of one dataset reported by other nodes, by rank. Of its directories they only say in which store they are:
 * where that is on this host, and whether it is a node's, this node finds out itself. Thread-safe.
 */
public final class KnownLayouts implements Layouts {
  private final NeighbourDirectories neighbours;
  private final Map<Integer, RankFiles> files = new ConcurrentHashMap<>();
  private final Map<String, String> stores = new ConcurrentHashMap<>();
  private final Map<String, Optional<Path>> directories = new ConcurrentHashMap<>();
  private final Map<Integer, String> redundancy = new ConcurrentHashMap<>();
  private final Map<Integer, String> parities = new ConcurrentHashMap<>();

  /** Finds directories of other nodes on this host. */
  @FunctionalInterface
  public interface NeighbourDirectories {
    /** The dataset's directory on a node; empty where the file system does not show whose it is. Blocking. */
    Optional<Path> directory(String node, String storeBase, int datasetId);
  }

  public KnownLayouts(NeighbourDirectories neighbours) {
    this.neighbours = neighbours;
  }

  public void files(RankFiles ofRank) {
    files.put(ofRank.rank(), ofRank);
  }

  /** In which store the node has the dataset, as it says. */
  public void store(String node, String base) {
    stores.put(node, base);
  }

  public void redundancy(int rank, String name) {
    redundancy.put(rank, name);
  }

  public void parity(int rank, String name) {
    parities.put(rank, name);
  }

  /** All files that are known, by rank. */
  public Map<Integer, RankFiles> files() {
    return files;
  }

  @Override
  public Optional<RankFiles> of(int datasetId, int rank) {
    return Optional.ofNullable(files.get(rank));
  }

  @Override
  public Optional<Path> directory(int datasetId, String node) {
    String base = stores.get(node);
    return base == null ? Optional.empty()
        : directories.computeIfAbsent(node, _ -> neighbours.directory(node, base, datasetId));
  }

  @Override
  public Optional<String> redundancy(int datasetId, int rank) {
    return Optional.ofNullable(redundancy.get(rank));
  }

  @Override
  public Optional<String> parity(int datasetId, int rank) {
    return Optional.ofNullable(parities.get(rank));
  }
}

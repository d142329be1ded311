package io.vertxscr.redundancy.range;

import io.vertxscr.model.RankFiles;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Layouts of one dataset reported by other nodes, by rank; directories by node. Thread-safe. */
public final class KnownLayouts implements Layouts {
  private final Map<Integer, RankFiles> files = new ConcurrentHashMap<>();
  private final Map<String, Path> directories = new ConcurrentHashMap<>();
  private final Map<Integer, String> redundancy = new ConcurrentHashMap<>();
  private final Map<Integer, String> parities = new ConcurrentHashMap<>();

  public void files(RankFiles ofRank) {
    files.put(ofRank.rank(), ofRank);
  }

  public void directory(String node, Path directory) {
    directories.put(node, directory);
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
    return Optional.ofNullable(directories.get(node));
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

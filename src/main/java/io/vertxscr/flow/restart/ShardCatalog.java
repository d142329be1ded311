package io.vertxscr.flow.restart;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Plural;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Files of a dataset by their names, whichever rank wrote them, as far as they are known. Pure. */
public final class ShardCatalog {
  private static final int MOST_NAMED = 5;

  private final Map<String, Shard> byPath = new HashMap<>();
  private final Map<String, List<Shard>> byBaseName = new HashMap<>();

  /**
   * A file on a node.
   *
   * @param of all files of the rank that wrote it
   * @param at where it begins in the rank's logical file
   */
  public record Shard(String node, RankFiles of, FileMeta file, long at) {
    /** The rank that wrote it. */
    public int writer() {
      return of.rank();
    }
  }

  /** Files of these ranks are on the node. Of several with one path the first stands for all. */
  public void add(String node, List<RankFiles> ranks) {
    for (RankFiles rank : ranks) {
      long at = 0;
      for (FileMeta file : rank.files()) {
        Shard shard = new Shard(node, rank, file, at);
        if (byPath.putIfAbsent(file.path(), shard) == null) {
          byBaseName.computeIfAbsent(file.baseName(), _ -> new ArrayList<>()).add(shard);
        }
        at += file.bytes();
      }
    }
  }

  /** The file at this path, relative to the prefix directory. */
  public Optional<Shard> at(String path) {
    return Optional.ofNullable(byPath.get(path));
  }

  /**
   * Returns a file by its path, or by an unambiguous base name.
   *
   * @param name as the application calls it
   * @param which the files that are meant
   * @throws ScrException NO_SUCH_FILE, in words
   */
  public Shard find(String path, String name, Predicate<Shard> which) {
    Optional<Shard> there = at(path).filter(which);
    if (there.isPresent()) {
      return there.get();
    }
    String base = name.substring(name.lastIndexOf('/') + 1);
    List<Shard> same = byBaseName.getOrDefault(base, List.of()).stream().filter(which).toList();
    if (same.size() != 1) {
      throw new ScrException(Fault.NO_SUCH_FILE, same.isEmpty() ? "no rank wrote a file of that name"
          : "ambiguous, give one of the paths " + Plural.list(
              same.stream().map(shard -> shard.file().path()).toList(), MOST_NAMED));
    }
    return same.getFirst();
  }
}

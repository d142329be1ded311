package io.vertxscr.simulation;

import io.vertxscr.simulation.SimulatedDisk.Inode;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/**
 * What a node remembers of names in the prefix file system, as a client of NFS does.
 *
 * <p>A name, or that there is none, is believed for some time after it was looked up, and so is a list of names. Where
 * the node itself changes names in a directory, it forgets what it knew of that: the answer shows whether others have
 * done so too. A file that has no name any more is stale, and looked up anew. Bytes and attributes of what a name leads
 * to are those of that moment: close-to-open consistency.
 */
final class NameCache {
  private static final long BELIEVED_NS = Duration.ofSeconds(3).toNanos();

  private final LongSupplier nowNs;
  private final Map<Inode, Map<String, Seen>> names = new HashMap<>();
  private final Map<Inode, SeenAll> lists = new HashMap<>();

  /** @param file null: none */
  private record Seen(Inode file, long untilNs) {}

  /** All names of a directory. */
  private record SeenAll(Set<String> names, long untilNs) {}

  NameCache(LongSupplier nowNs) {
    this.nowNs = nowNs;
  }

  Inode look(Inode directory, String name) {
    Map<String, Seen> known = names.computeIfAbsent(directory, _ -> new HashMap<>());
    Seen seen = known.get(name);
    if (seen == null || nowNs.getAsLong() >= seen.untilNs || seen.file != null && seen.file.links == 0) {
      seen = new Seen(directory.entries.get(name), nowNs.getAsLong() + BELIEVED_NS);
      known.put(name, seen);
    }
    return seen.file;
  }

  Set<String> list(Inode directory) {
    SeenAll seen = lists.get(directory);
    if (seen == null || nowNs.getAsLong() >= seen.untilNs) {
      seen = new SeenAll(new TreeSet<>(directory.entries.keySet()), nowNs.getAsLong() + BELIEVED_NS);
      lists.put(directory, seen);
    }
    return seen.names;
  }

  void changes(Inode directory) {
    names.remove(directory);
    lists.remove(directory);
  }

  void clear() {
    names.clear();
    lists.clear();
  }
}

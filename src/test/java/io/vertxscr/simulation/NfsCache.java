package io.vertxscr.simulation;

import io.vertxscr.simulation.SimulatedDisk.Inode;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/**
 * What a node remembers of names and attributes in the prefix file system, as a client of NFS does.
 *
 * <p>A name, or that there is none, is believed for some time after it was looked up, and so is a list of names. Where
 * the node itself changes names in a directory, it forgets what it knew of that: the answer shows whether others have
 * done so. A file that has no name any more is stale, and looked up anew. Attributes are believed, too, until the node
 * looks up a name of the file, opens, locks, writes or closes it: close-to-open consistency. Bytes are of the moment.
 */
final class NfsCache {
  private static final long BELIEVED_NS = Duration.ofSeconds(3).toNanos();

  private final LongSupplier nowNs;
  private final Map<Inode, Map<String, Seen>> names = new HashMap<>();
  private final Map<Inode, SeenAll> lists = new HashMap<>();
  private final Map<Inode, SeenAttributes> attributes = new HashMap<>();

  /** @param file null: none */
  private record Seen(Inode file, long untilNs) {}

  /** All names of a directory. */
  private record SeenAll(Set<String> names, long untilNs) {}

  private record SeenAttributes(SimulatedAttributes attributes, long untilNs) {}

  NfsCache(LongSupplier nowNs) {
    this.nowNs = nowNs;
  }

  Inode look(Inode directory, String name) {
    Map<String, Seen> known = names.computeIfAbsent(directory, _ -> new HashMap<>());
    Seen seen = known.get(name);
    if (seen == null || nowNs.getAsLong() >= seen.untilNs || seen.file != null && seen.file.links == 0) {
      seen = new Seen(directory.entries.get(name), nowNs.getAsLong() + BELIEVED_NS);
      known.put(name, seen);
      attributes.remove(seen.file);                       // the answer has them
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

  SimulatedAttributes attributes(Inode file) {
    SeenAttributes seen = attributes.get(file);
    if (seen == null || nowNs.getAsLong() >= seen.untilNs || file.links == 0) {
      seen = new SeenAttributes(SimulatedAttributes.of(file), nowNs.getAsLong() + BELIEVED_NS);
      attributes.put(file, seen);
    }
    return seen.attributes;
  }

  /** The node has changed names in a directory. */
  void changes(Inode directory) {
    names.remove(directory);
    lists.remove(directory);
    touches(directory);
  }

  /** The node has done something to a file of which it hears the attributes. */
  void touches(Inode file) {
    attributes.remove(file);
  }

  void clear() {
    names.clear();
    lists.clear();
    attributes.clear();
  }
}

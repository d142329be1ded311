package io.vertxscr.scavenge;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.storage.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Finds the prefix directories of the datasets in a cache. Runs of several prefix directories may share the nodes, each
 * with ids and names of its own: what one of them wrote must never be brought to another, where a restart would take it
 * for its own.
 */
public final class OtherPrefixes {
  private OtherPrefixes() {}

  /**
   * The sentence for who asks for a dataset that the nodes hold for other prefix directories only.
   *
   * @return empty where a node holds it for this one, or none holds it at all
   */
  public static Optional<String> sentence(
      List<NodeCache> nodes, Predicate<DatasetDescriptor> wanted, PrefixPaths paths) {
    List<DatasetRecord> found = new ArrayList<>();
    List<String> holders = new ArrayList<>();
    for (NodeCache node : nodes) {
      List<DatasetRecord> held = node.datasets().stream().filter(record -> wanted.test(record.descriptor())).toList();
      if (held.stream().anyMatch(record -> isOf(record, paths))) {
        return Optional.empty();
      }
      if (!held.isEmpty()) {
        found.addAll(held);
        holders.add(node.node());
      }
    }
    return found.stream().findFirst().map(record -> "dataset " + record.descriptor().id() + " '"
        + record.descriptor().name() + "', which the caches of " + String.join(", ", holders)
        + " hold, belongs to the prefix directory " + record.origin().prefix() + ", not to " + paths.prefix()
        + ": say --prefix " + record.origin().prefix());
  }

  /** Whether it was written for this prefix directory, under any path to it. @throws ScrException IO */
  static boolean isOf(DatasetRecord record, PrefixPaths paths) {
    return isSame(record.origin().prefix(), paths);
  }

  /** Whether this is a path to that prefix directory. @throws ScrException IO */
  public static boolean isSame(String prefix, PrefixPaths paths) {
    if (prefix.equals(paths.prefix().toString())) {
      return true;
    }
    Path other = paths.prefix().getFileSystem().getPath(prefix);
    try {
      return Files.exists(other) && Files.isSameFile(other, paths.prefix());
    } catch (IOException e) {
      throw Faults.io(other, e);
    }
  }
}

package io.vertxscr.scavenge;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the prefix directories of the datasets in a cache. Runs of several prefix directories may share the nodes, each
 * with ids and names of its own: what one of them wrote must never be brought to another, where a restart would take it
 * for its own.
 */
public final class OtherPrefixes {
  /** A dataset in the cache of a node. @param prefix a path to the directory for which it was written */
  public record CachedFor(String node, DatasetDescriptor dataset, String prefix) {
    /** All that a node holds. */
    public static Stream<CachedFor> by(NodeCache node) {
      return node.datasets().stream()
          .map(record -> new CachedFor(node.node(), record.descriptor(), record.origin().prefix()));
    }
  }

  private OtherPrefixes() {}

  /**
   * The sentence for who asks for a dataset that the nodes hold for other prefix directories only.
   *
   * @return empty where a node holds it for this one, or none holds it at all
   */
  public static Optional<String> sentence(
      Collection<CachedFor> held, Predicate<DatasetDescriptor> wanted, PrefixPaths paths) {
    List<CachedFor> found = held.stream().filter(one -> wanted.test(one.dataset())).toList();
    if (found.isEmpty() || found.stream().anyMatch(one -> PrefixDirectories.isSame(one.prefix(), paths))) {
      return Optional.empty();
    }
    CachedFor first = found.getFirst();
    return Optional.of("dataset " + first.dataset().id() + " '" + first.dataset().name() + "', which the caches of "
        + found.stream().map(CachedFor::node).distinct().collect(Collectors.joining(", "))
        + " hold, belongs to the prefix directory " + first.prefix() + ", not to " + paths.prefix()
        + ": say --prefix " + first.prefix());
  }
}

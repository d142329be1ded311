package io.vertxscr.flow.restart;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Datasets of a node, without the files' metadata: enough to plan a restart or a flush.
 *
 * @param datasets by id, ascending
 * @param prefixes directories to which datasets were brought, as far as this node knows; in order, so that equal
 *     inventories are equal messages
 * @param drained whether the node is marked to be drained: it takes nothing of others
 */
public record Inventory(String node, List<Dataset> datasets, Set<String> prefixes, boolean drained) {
  public Inventory {
    datasets = List.copyOf(datasets);
    prefixes = Collections.unmodifiableSortedSet(new TreeSet<>(prefixes));
  }

  /** Of a node that is not marked. */
  public Inventory(String node, List<Dataset> datasets, Set<String> prefixes) {
    this(node, datasets, prefixes, false);
  }

  /** Of a node that knows of no prefix directory. */
  public Inventory(String node, List<Dataset> datasets) {
    this(node, datasets, Set.of());
  }

  /** The same of the node once it is marked. */
  public Inventory asDrained() {
    return new Inventory(node, datasets, prefixes, true);
  }

  /** The same if all that could not be read is good. */
  Inventory asRead() {
    return new Inventory(node, datasets.stream().map(Dataset::asRead).toList(), prefixes, drained);
  }

  /**
   * One dataset on that node.
   *
   * @param base the store that it is in
   */
  public record Dataset(DatasetDescriptor descriptor, Origin origin, String base, RedundancyDescriptor redundancy,
      FlushState flush, List<Held> ranks) {
    public Dataset {
      ranks = List.copyOf(ranks);
    }

    /** The same once all files of it are gone from the node. */
    public Dataset without() {
      return new Dataset(descriptor, origin, base, redundancy, flush,
          ranks.stream().map(held -> new Held(held.rank(), held.set(), false, false)).toList());
    }

    private Dataset asRead() {
      return new Dataset(descriptor, origin, base, redundancy, flush, ranks.stream().map(Held::asRead).toList());
    }

    public Scheme scheme() {
      return redundancy.scheme();
    }

    /** Identity of the dataset. */
    public DatasetKey key() {
      return descriptor.key();
    }

    /** Whether both are copies of one dataset. */
    public boolean sameAs(Dataset other) {
      return key().equals(other.key());
    }
  }

  /**
   * A rank's part held by the node.
   *
   * @param files the rank's files (false once they have failed their check)
   * @param redundancy the redundancy file that the rank wrote
   * @param filesUnread why nobody knows whether its files are good: they could not be read
   * @param redundancyUnread the same of its redundancy file
   */
  public record Held(int rank, RedundancySet set, boolean files, boolean redundancy, Optional<String> filesUnread,
      Optional<String> redundancyUnread) {
    /** Of which all is known. */
    public Held(int rank, RedundancySet set, boolean files, boolean redundancy) {
      this(rank, set, files, redundancy, Optional.empty(), Optional.empty());
    }

    Stream<String> unread() {
      return Stream.of(filesUnread, redundancyUnread).flatMap(Optional::stream);
    }

    /** The same once what could not be read turns out to be good. */
    private Held asRead() {
      return new Held(rank, set, files || filesUnread.isPresent(), redundancy || redundancyUnread.isPresent());
    }
  }
}

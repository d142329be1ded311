package io.vertxscr.format.prefix;

import io.vertxscr.model.DatasetDescriptor;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Locations of a run's datasets, for external tools. Immutable: an edit gives a new one.
 *
 * @param entries ascending by id
 */
public record FlushStatus(List<FlushEntry> entries) {
  /** Nothing written yet. */
  public static final FlushStatus EMPTY = new FlushStatus(List.of());
  /** As many that have come to the prefix directory are told, the newest: each flush writes all. */
  public static final int MOST_ARRIVED = 1000;

  /** Location of a dataset, or the operation in progress. */
  public enum Location {
    /** In the caches of the nodes. */
    CACHE,
    /** In the prefix directory, whole. */
    PFS,
    /** On its way there in the background. */
    FLUSHING,
    /** On its way there while the application waits. */
    SYNC_FLUSHING
  }

  /** @param locations at least one */
  public record FlushEntry(DatasetDescriptor descriptor, Set<Location> locations) {
    public FlushEntry {
      locations = Set.copyOf(locations);
    }

    private boolean hasArrived() {
      return locations.contains(Location.PFS);
    }
  }

  public FlushStatus {
    entries = entries.stream().sorted(Comparator.comparingInt(entry -> entry.descriptor().id())).toList();
  }

  /** The dataset with this id. */
  public Optional<FlushEntry> find(int id) {
    return entries.stream().filter(entry -> entry.descriptor().id() == id).findFirst();
  }

  /**
   * Adds a dataset or replaces what was known of it. Without a location it is removed, and so are the oldest that have
   * arrived where they are more than {@link #MOST_ARRIVED}.
   */
  public FlushStatus put(DatasetDescriptor descriptor, Set<Location> locations) {
    Stream<FlushEntry> others = entries.stream().filter(entry -> entry.descriptor().id() != descriptor.id());
    Stream<FlushEntry> added = locations.isEmpty() ? Stream.of() : Stream.of(new FlushEntry(descriptor, locations));
    FlushStatus all = new FlushStatus(Stream.concat(others, added).toList());
    List<FlushEntry> arrived = all.entries.stream().filter(FlushEntry::hasArrived).toList();
    Set<FlushEntry> oldest = Set.copyOf(arrived.subList(0, Math.max(0, arrived.size() - MOST_ARRIVED)));
    return oldest.isEmpty() ? all
        : new FlushStatus(all.entries.stream().filter(entry -> !oldest.contains(entry)).toList());
  }
}

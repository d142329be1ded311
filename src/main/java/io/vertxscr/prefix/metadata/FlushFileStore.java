package io.vertxscr.prefix.metadata;

import io.vertxscr.format.prefix.FlushFile;
import io.vertxscr.format.prefix.FlushStatus.Location;
import io.vertxscr.format.prefix.FlushStatus;
import io.vertxscr.format.prefix.NodesFile;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.AtomicFile;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * {@code flush.scr} and {@code nodes.scr} of a prefix directory: what scripts around the job want to know. Replaced
 * whole, under the lock of the index. Truth is elsewhere (filemaps, index), so a damaged file counts as missing: the
 * next change replaces it.
 */
public final class FlushFileStore {
  private final PrefixPaths paths;
  private final PrefixLock lock;

  /** @param user who takes the lock of the index for a change */
  public FlushFileStore(PrefixPaths paths, LockUser user) {
    this.paths = paths;
    this.lock = new PrefixLock(paths, user);
  }

  /** Reads the locations of all datasets. @throws ScrException IO */
  public FlushStatus read() {
    return find(paths.flushFile(), FlushFile::decode).orElse(FlushStatus.EMPTY);
  }

  /** Changes it durably. @return the new one. @throws ScrException BUSY, NO_SPACE, IO */
  public FlushStatus update(UnaryOperator<FlushStatus> change) {
    return lock.with(() -> {
      FlushStatus status = change.apply(read());
      AtomicFile.replace(paths.flushFile(), FlushFile.encode(status));
      return status;
    });
  }

  /**
   * Publishes a dataset under the lock of the index and records it as flushed. No flush of it can begin meanwhile.
   *
   * @param takeOver also if a flush has begun: no daemon is left to resume it
   * @param work gets the index, whose changes take no lock of their own
   * @throws ScrException BUSY if it is being flushed; NO_SPACE, IO; what the work throws
   */
  public void publish(DatasetDescriptor descriptor, boolean takeOver, Consumer<PrefixIndex> work) {
    lock.with(() -> {
      Set<Location> locations = EnumSet.of(Location.PFS);
      read().find(descriptor.id()).ifPresent(entry -> locations.addAll(entry.locations()));
      if (!takeOver && (locations.contains(Location.FLUSHING) || locations.contains(Location.SYNC_FLUSHING))) {
        throw new ScrException(Fault.BUSY, "dataset " + descriptor.id() + " '" + descriptor.name()
            + "' is being flushed, as " + paths.flushFile() + " says; wait for that, or, if no daemon is left that does"
            + " it, say --take-over");
      }
      work.accept(new PrefixIndex(paths, lock.held()));
      locations.removeAll(Set.of(Location.FLUSHING, Location.SYNC_FLUSHING));
      AtomicFile.replace(paths.flushFile(), FlushFile.encode(read().put(descriptor, locations)));
      return locations;
    });
  }

  /** Nodes of the last run; empty if unknown. @throws ScrException IO */
  public OptionalInt nodes() {
    return find(paths.nodesFile(), NodesFile::decode).map(OptionalInt::of).orElse(OptionalInt.empty());
  }

  /** Writes the number of nodes of this run durably, unless it is there. @throws ScrException BUSY, NO_SPACE, IO */
  public void writeNodes(int nodes) {
    if (nodes().equals(OptionalInt.of(nodes))) {
      return;                                             // most runs are followed by one on as many nodes
    }
    lock.with(() -> {
      AtomicFile.replace(paths.nodesFile(), NodesFile.encode(nodes));
      return nodes;
    });
  }

  private static <T> Optional<T> find(Path path, Function<byte[], T> decoder) {
    try {
      return MetadataFiles.read(path, decoder);
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return Optional.empty();
    }
  }
}

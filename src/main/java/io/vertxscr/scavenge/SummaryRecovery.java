package io.vertxscr.scavenge;

import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.prefix.publish.Publication.Mapping;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.scavenge.DatasetAssembly.Guard;
import io.vertxscr.scavenge.DatasetVerification.Verified;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Rebuilds a damaged summary of a published dataset: identity from the index, content from the map. As a summary
 * promises that the dataset is whole, every byte is compared first.
 *
 * <p>Only for a summary that is there and cannot be read: it was written last, so the map beside it is of the dataset
 * that the index lists. Where there is none, the map may be what a later flush under this id has left when it was cut
 * off, and would be mistaken for the dataset before it.
 */
final class SummaryRecovery {
  private final PrefixPaths paths;
  private final Publication publication;
  private final int id;

  SummaryRecovery(PrefixPaths paths, Publication publication, int id) {
    this.paths = paths;
    this.publication = publication;
    this.id = id;
  }

  /**
   * Writes the summary, durably.
   *
   * @param damage what is wrong with the one that is there
   * @return the dataset
   * @throws ScrException CORRUPT where index, map and files do not say all of it, with what that means; what the guard
   *     refuses with; NO_SPACE, IO
   */
  DatasetDescriptor run(String damage, Guard unlessFlushed) {
    Optional<DatasetDescriptor> listed = publication.listed(id);
    if (listed.isEmpty()) {
      throw lost(damage, "the index does not list it, so nobody knows its name and what it is");
    }
    DatasetDescriptor descriptor = listed.get();
    Verified read;
    try {
      read = DatasetVerification.verify(paths, id).requireRead();
    } catch (ScrException e) {
      throw e.fault() == Fault.CORRUPT ? lost(damage, e.getMessage()) : e;
    }
    var found = new Totals(read.files(), read.bytes());
    if (!read.problems().isEmpty()) {
      throw lost(damage, read.problems().size() + " of its " + read.files() + " files are not what its map says: "
          + read.problems().getFirst());
    }
    if (!read.unverified().isEmpty()) {
      throw lost(damage, "its map has no checksum of " + read.unverified().size() + " of its files, such as "
          + read.unverified().getFirst());
    }
    if (!found.equals(descriptor.totals())) {
      throw lost(damage, "its map has " + found.files() + " files of " + found.bytes() + " bytes, the index "
          + descriptor.totals().files() + " of " + descriptor.totals().bytes());
    }
    unlessFlushed.run(descriptor,
        index -> new Publication(paths, index).seal(descriptor, new Mapping(found, storedBytes())));
    return descriptor;
  }

  /** Bytes of compressed files; empty if there are none. */
  private OptionalLong storedBytes() {
    List<FlushedFile> compressed = new ArrayList<>();
    new RankMapReader(paths, id).forEach(entry ->
        entry.files().stream().filter(FlushedFile::isCompressed).forEach(compressed::add));
    return compressed.isEmpty() ? OptionalLong.empty()
        : OptionalLong.of(compressed.stream().mapToLong(file -> file.storedBytes().orElseThrow()).sum());
  }

  private ScrException lost(String damage, String why) {
    return new ScrException(Fault.CORRUPT, damage + "; it cannot be made again: " + why + ". Put " + paths.summary(id)
        + " back from a copy, or restart from another dataset");
  }
}

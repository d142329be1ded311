package io.vertxscr.prefix.publish;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.Summary;
import io.vertxscr.format.prefix.SummaryFile;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.MetadataFiles;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Removes the remains of replaced datasets. Files that were not overwritten, map and summary ({@link DatasetRemoval}).
 */
final class ReplacedDatasets {
  private final PrefixPaths paths;
  private final PrefixIndex index;

  ReplacedDatasets(PrefixPaths paths, PrefixIndex index) {
    this.paths = paths;
    this.index = index;
  }

  /** @return what was done, and what was not, in sentences */
  List<String> remove(Collection<DatasetDescriptor> successors) {
    Map<String, List<DatasetDescriptor>> byName =
        successors.stream().collect(Collectors.groupingBy(DatasetDescriptor::name));
    List<String> remarks = new ArrayList<>();
    Index listed = index.read().index();
    for (int id : paths.datasets()) {
      if (listed.find(id).isEmpty()) {
        descriptor(id).ifPresent(old -> byName.getOrDefault(old.name(), List.of()).stream()
            .filter(successor -> isOlder(old, successor)).findFirst()
            .ifPresent(successor -> remarks.add(remove(old, successor))));
      }
    }
    return remarks;
  }

  private String remove(DatasetDescriptor old, DatasetDescriptor successor) {
    int id = old.id();
    try {
      int removed = new DatasetRemoval(paths, index).remove(old.key());
      return "dataset " + id + " '" + successor.name() + "' was replaced by dataset " + successor.id()
          + ": its map and " + removed + " files that were not written over are removed";
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT && e.fault() != Fault.WRONG_STATE) {   // somebody else has removed it meanwhile
        throw e;
      }
      return "dataset " + id + ", replaced by " + successor.id() + ", is left as it is: " + e.getMessage();
    }
  }

  private static boolean isOlder(DatasetDescriptor old, DatasetDescriptor successor) {
    return old.id() != successor.id() && old.createdUs() <= successor.createdUs();
  }

  private Optional<DatasetDescriptor> descriptor(int id) {
    try {
      return MetadataFiles.read(paths.summary(id), SummaryFile::decode).map(Summary::descriptor)
          .filter(descriptor -> descriptor.id() == id);
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return Optional.empty();
    }
  }
}

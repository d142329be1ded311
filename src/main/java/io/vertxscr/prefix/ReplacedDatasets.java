package io.vertxscr.prefix;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.Summary;
import io.vertxscr.format.prefix.SummaryFile;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Removes from the prefix directory what is left of datasets whose name a later one has taken: files that the later one
 * did not write over, map and summary ({@link DatasetRemoval}).
 */
final class ReplacedDatasets {
  private final PrefixPaths paths;
  private final Index index;

  ReplacedDatasets(PrefixPaths paths, Index index) {
    this.paths = paths;
    this.index = index;
  }

  /** @return what was done, and what was not, in sentences */
  List<String> remove(DatasetDescriptor successor) {
    List<String> remarks = new ArrayList<>();
    for (int id : DatasetRemoval.datasets(paths)) {
      if (index.find(id).isEmpty() && isOlderOfThisName(id, successor)) {
        try {
          int removed = new DatasetRemoval(paths).remove(id);
          remarks.add("dataset " + id + " '" + successor.name() + "' was replaced by dataset " + successor.id()
              + ": its map and " + removed + " files that were not written over are removed");
        } catch (ScrException e) {
          if (e.fault() != Fault.CORRUPT) {
            throw e;
          }
          remarks.add("dataset " + id + ", replaced by " + successor.id() + ", is left as it is: " + e.getMessage());
        }
      }
    }
    return remarks;
  }

  private boolean isOlderOfThisName(int id, DatasetDescriptor successor) {
    try {
      Optional<Summary> summary = MetadataFiles.read(paths.summary(id), SummaryFile::decode);
      return summary.map(Summary::descriptor).filter(old -> id != successor.id() && old.id() == id
          && old.name().equals(successor.name()) && old.createdUs() <= successor.createdUs()).isPresent();
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return false;
    }
  }
}

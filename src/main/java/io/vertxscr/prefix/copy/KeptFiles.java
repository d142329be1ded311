package io.vertxscr.prefix.copy;

import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.MetadataFiles;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.Presence;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Files whose paths a dataset has taken that is not complete yet. Each may be another dataset's only copy, and stays
 * beside its path until this dataset is complete. Blocking.
 *
 * @param dataset the later one
 */
public record KeptFiles(PrefixPaths paths, int dataset) {
  /**
   * Keeps the file that has this path, unless it is this dataset's own. By a hard link, where the file system has them:
   * the path never lacks a file.
   *
   * @param relative to the prefix directory
   * @param isOwn whether the file that has the path now is the later dataset's own, of an earlier attempt
   * @return whether a file had the path
   */
  public boolean keep(String relative, BooleanSupplier isOwn) throws IOException {
    Path place = paths.file(relative);
    if (!Presence.isFile(place)) {
      return false;
    }
    Path kept = paths.kept(relative, dataset);
    if (Presence.exists(kept) && isOwn.getAsBoolean()) {
      return true;
    }
    for (int n = 1; Presence.exists(kept); n++) {
      if (Files.isSameFile(kept, place)) {
        return true;
      }
      kept = paths.kept(relative, dataset, n);            // another dataset's, published between two attempts
    }
    try {
      Files.createLink(kept, place);
    } catch (FileAlreadyExistsException _) {
      return true;                                        // of another node that gives this name right now
    } catch (UnsupportedOperationException | FileSystemException _) {
      Files.move(place, kept, StandardCopyOption.ATOMIC_MOVE);
    }
    return true;
  }

  /** The dataset is complete: removes what this path held before. @throws ScrException IO */
  public void remove(String relative) {
    Path kept = paths.kept(relative, dataset);
    try {
      for (int n = 1; Files.deleteIfExists(kept); n++) {
        kept = paths.kept(relative, dataset, n);
      }
    } catch (IOException e) {
      throw Faults.io(kept, e);
    }
  }

  /** Whether this dataset has replaced a file, one of {@link #of}. */
  public boolean hasReplaced(String relative, Path file) {
    String kept = paths.kept(relative, dataset).getFileName().toString();
    String name = file.getFileName().toString();
    return name.equals(kept) || name.startsWith(kept + ".");
  }

  /**
   * Those of any dataset that had a path before. Nothing but its checksum says which of them is of what dataset.
   *
   * @throws ScrException IO where it cannot be found out
   */
  public static List<Path> of(PrefixPaths paths, String relative) {
    String beginning = paths.keptOfAny(relative).getFileName().toString();
    return MetadataFiles.list(paths.file(relative).getParent(),
        path -> path.getFileName().toString().startsWith(beginning));
  }
}

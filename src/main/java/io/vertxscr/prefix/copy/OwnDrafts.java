package io.vertxscr.prefix.copy;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.storage.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The drafts that a node has begun in this process. Whole ones are compared with their checksums, and synced. One that
 * is still the same inode, of the same size and time, need not be read again before it is renamed: only this node
 * writes to its name. About 200 bytes of memory for each file between copy and rename. Thread-safe.
 */
public final class OwnDrafts {
  private final Map<DatasetKey, Map<Path, Optional<Seen>>> drafts = new ConcurrentHashMap<>();

  /** A file as it was when it was whole. */
  private record Seen(Object inode, long bytes, FileTime modified) {
    static Optional<Seen> of(Path file) {
      try {
        BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return now.isRegularFile() && now.fileKey() != null
            ? Optional.of(new Seen(now.fileKey(), now.size(), now.lastModifiedTime())) : Optional.empty();
      } catch (NoSuchFileException _) {
        return Optional.empty();
      } catch (IOException e) {
        throw Faults.io(file, e);
      }
    }
  }

  /** It is about to be written. */
  void begins(DatasetKey dataset, Path draft) {
    drafts.computeIfAbsent(dataset, _ -> new ConcurrentHashMap<>()).put(draft, Optional.empty());
  }

  /** It is whole, checked and durable, and nobody writes to it. */
  void finished(DatasetKey dataset, Path draft) {
    drafts.computeIfAbsent(dataset, _ -> new ConcurrentHashMap<>()).put(draft, Seen.of(draft));
  }

  /** It has its name, or was removed. */
  void gone(DatasetKey dataset, Path draft) {
    Map<Path, Optional<Seen>> known = drafts.get(dataset);
    if (known != null) {
      known.remove(draft);
    }
  }

  /** Whether it is what {@link #finished} has seen. */
  boolean hasWhole(DatasetKey dataset, Path draft) {
    Optional<Seen> seen = drafts.getOrDefault(dataset, Map.of()).getOrDefault(draft, Optional.empty());
    return seen.isPresent() && Seen.of(draft).equals(seen);
  }

  /** Whether there are any of a dataset. */
  public boolean hasAny(DatasetKey dataset) {
    return drafts.containsKey(dataset);
  }

  /** Removes those of a dataset, best effort: none of them will be renamed any more. Blocking. */
  public void discard(DatasetKey dataset) {
    Map<Path, Optional<Seen>> known = drafts.remove(dataset);
    for (Path draft : known == null ? List.<Path>of() : List.copyOf(known.keySet())) {
      try {
        Files.deleteIfExists(PrefixPaths.marksOf(draft));
        Files.deleteIfExists(draft);
      } catch (IOException _) {
        // what remains only takes space
      }
    }
  }
}

package io.vertxscr.prefix.copy;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.storage.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The drafts that a node has written whole in this process, compared with their checksums and synced. A draft that is
 * still the same inode, of the same size and time, need not be read again before it is renamed: only this node writes
 * to its name. About 200 bytes of memory for each file between copy and rename. Thread-safe.
 */
public final class WrittenDrafts {
  private final Map<DatasetKey, Map<Path, Seen>> drafts = new ConcurrentHashMap<>();

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

  /** It is whole, checked and durable, and nobody writes to it. */
  void add(DatasetKey dataset, Path draft) {
    Seen.of(draft).ifPresent(seen ->
        drafts.computeIfAbsent(dataset, _ -> new ConcurrentHashMap<>()).put(draft, seen));
  }

  /** It is about to be written, or is gone. */
  void forget(DatasetKey dataset, Path draft) {
    Map<Path, Seen> known = drafts.get(dataset);
    if (known != null) {
      known.remove(draft);
    }
  }

  /** Whether it is what {@link #add} has seen. */
  boolean has(DatasetKey dataset, Path draft) {
    Seen seen = drafts.getOrDefault(dataset, Map.of()).get(draft);
    return seen != null && Seen.of(draft).filter(seen::equals).isPresent();
  }

  /** Nothing of the dataset will be renamed any more. */
  public void forget(DatasetKey dataset) {
    drafts.remove(dataset);
  }
}

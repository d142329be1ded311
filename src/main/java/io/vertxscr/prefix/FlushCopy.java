package io.vertxscr.prefix;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.CheckedCopy.Copied;
import io.vertxscr.prefix.CheckedCopy.Source;
import io.vertxscr.prefix.CheckedCopy.Sync;
import io.vertxscr.prefix.extent.Extent;
import io.vertxscr.prefix.extent.FlushTarget;
import io.vertxscr.prefix.extent.Meter;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Brings one dataset's files from this node's cache to places of their own in the prefix directory: first all as
 * drafts, then, when the leader knows that every node has all its drafts, under their names.
 *
 * <p>Nothing that had one of the names before is touched until {@link #publish}. Every step can be repeated: a
 * copy is made anew (comparing an old draft would read as many bytes from the parallel file system as writing it),
 * a file that is published already is recognised by size and checksum. An object serves one attempt; safe for many
 * threads.
 */
public final class FlushCopy implements FlushTarget {
  private final PrefixPaths paths;
  private final int dataset;
  private final Path cacheDirectory;
  private final Set<Path> checkedDirectories = ConcurrentHashMap.newKeySet();

  /**
   * @param dataset id of the dataset
   * @param cacheDirectory the dataset's directory in this node's cache
   */
  public FlushCopy(PrefixPaths paths, int dataset, Path cacheDirectory) {
    this.paths = paths;
    this.dataset = dataset;
    this.cacheDirectory = cacheDirectory;
  }

  /** One for each file. */
  @Override
  public List<Extent> extents(List<RankFiles> ranks) {
    return ranks.stream().flatMap(rank -> rank.files().stream())
        .map(file -> new Extent("flush " + file.path(), file.bytes(), meter -> copy(file, meter))).toList();
  }

  /**
   * Copies one file to its draft, durably.
   *
   * @return the file with the checksum of the bytes that were copied
   * @throws ScrException {@link Fault#CORRUPT} or {@link Fault#NO_SUCH_FILE}: the cached copy is bad or gone and
   *     counts as lost; {@link Fault#OUTSIDE_PREFIX}: a link leads out of the prefix by now; {@link
   *     Fault#NO_SPACE}, {@link Fault#IO}: the prefix directory cannot take it now. Its draft is gone then; the
   *     caller discards the others.
   */
  public FileMeta copy(FileMeta file) {
    return copy(file, Meter.NONE);
  }

  private FileMeta copy(FileMeta file, Meter meter) {
    Path draft = paths.draft(file.path(), dataset);
    makeDirectory(draft.getParent());
    Source cached = new Source(NodeDirectories.resolve(cacheDirectory, file.name()),
        "dataset " + dataset + ": cached copy of " + file.path(), Fault.NO_SUCH_FILE, Fault.CORRUPT);
    Copied copied = new CheckedCopy(cached, draft, OptionalLong.of(file.bytes()), file.crc()).run(Sync.FORCE, meter);
    return file.withCrc(copied.crc());
  }

  /**
   * Gives the drafts of these files their names, durably, directories included. The caller knows that all drafts
   * of the dataset, on all nodes, are there. What had the names before stays beside them until {@link #removeKept}.
   *
   * @param files as {@link #copy} returned them
   * @throws ScrException NO_SUCH_FILE if a file has neither a draft nor, from an earlier call, its place; IO
   */
  @Override
  public void publish(Collection<FileMeta> files) {
    Set<Path> directories = new LinkedHashSet<>();
    for (FileMeta file : files) {
      Path place = paths.file(file.path());
      publish(file, paths.draft(file.path(), dataset), place);
      directories.add(place.getParent());
    }
    // all the way up: an earlier attempt may have made them and died before it forced them
    PrefixDirectories.force(PrefixDirectories.upTo(paths.prefix(), directories));
  }

  /** Removes what is there of the drafts of these files. What cannot be removed now is replaced by the next attempt. */
  @Override
  public void discard(Collection<FileMeta> files) {
    for (FileMeta file : files) {
      try {
        Files.deleteIfExists(paths.draft(file.path(), dataset));
      } catch (IOException _) {
        // a draft left behind takes room and is nothing else; the failure that led here is what must be heard
      }
    }
  }

  private void makeDirectory(Path directory) {
    if (!checkedDirectories.contains(directory)) {
      PrefixDirectories.create(paths.prefix(), directory);
      checkedDirectories.add(directory);
    }
  }

  private void publish(FileMeta file, Path draft, Path place) {
    try {
      if (Files.exists(draft, LinkOption.NOFOLLOW_LINKS)) {
        keep(place, paths.kept(file.path(), dataset));
        Files.move(draft, place, StandardCopyOption.ATOMIC_MOVE);
      } else if (!isPublished(file, place)) {
        throw new ScrException(Fault.NO_SUCH_FILE, "dataset " + dataset + ": " + file.path()
            + " has no draft in the prefix directory " + paths.prefix() + "; it must be copied again");
      }
    } catch (IOException e) {
      throw Faults.io(place, e);
    }
  }

  /** What has the name now may be all that there is of another dataset, until this one is complete. */
  private static void keep(Path place, Path kept) throws IOException {
    if (!Files.isRegularFile(place, LinkOption.NOFOLLOW_LINKS) || Files.exists(kept, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try {
      Files.createLink(kept, place);
    } catch (UnsupportedOperationException | FileSystemException _) {
      Files.move(place, kept, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /** The dataset is complete: removes what these files' places held before. */
  @Override
  public void removeKept(Collection<FileMeta> files) {
    for (FileMeta file : files) {
      Path kept = paths.kept(file.path(), dataset);
      try {
        Files.deleteIfExists(kept);
      } catch (IOException e) {
        throw Faults.io(kept, e);
      }
    }
  }

  private static boolean isPublished(FileMeta file, Path place) throws IOException {
    return Files.isRegularFile(place, LinkOption.NOFOLLOW_LINKS) && Files.size(place) == file.bytes()
        && file.crc().isPresent() && FileChecks.crc(place) == file.crc().getAsInt();
  }
}

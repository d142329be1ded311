package io.vertxscr.prefix;

import io.vertxscr.format.prefix.RankFileMap.Entry;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta.Stamp;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.CacheNames;
import io.vertxscr.prefix.CheckedCopy.Copied;
import io.vertxscr.prefix.CheckedCopy.Source;
import io.vertxscr.prefix.CheckedCopy.Sync;
import io.vertxscr.prefix.container.ContainerReader;
import io.vertxscr.prefix.extent.Meter;
import io.vertxscr.prefix.zstd.CompressedFile;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.FileStamps;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Copies files of a dataset from the prefix directory, or from its containers there, into this node's cache, every byte
 * checked. The copies are not synced: what a power failure takes from them fails its check at the next restart, and is
 * still in the prefix.
 *
 * <p>Safe for many threads. May be repeated: a file that is there is replaced.
 */
public final class FetchCopy {
  private final PrefixPaths paths;
  private final int dataset;
  private final Path cacheDirectory;
  private final Meter meter;

  /** One file to fetch: whose, which, and its name in the cache, relative to the dataset's directory. */
  public record Wanted(int rank, FlushedFile file, String name) {}

  /** @param verified whether the map had size and checksum to compare with; if not, say so to the user */
  public record Fetched(FileMeta file, boolean verified) {}

  /** All files of a rank. @param unverified paths of those that could not be compared with anything */
  public record FetchedRank(RankFiles files, List<String> unverified) {}

  /**
   * @param dataset id of the dataset
   * @param cacheDirectory the dataset's directory in this node's cache
   */
  public FetchCopy(PrefixPaths paths, int dataset, Path cacheDirectory) {
    this(paths, dataset, cacheDirectory, Meter.NONE);
  }

  private FetchCopy(PrefixPaths paths, int dataset, Path cacheDirectory, Meter meter) {
    this.paths = paths;
    this.dataset = dataset;
    this.cacheDirectory = cacheDirectory;
    this.meter = meter;
  }

  /** The same under the eyes of a meter. */
  public FetchCopy metered(Meter other) {
    return new FetchCopy(paths, dataset, cacheDirectory, other);
  }

  /** The files of one rank, in the order in which they make up its logical file; touches nothing. */
  public List<Wanted> plan(Entry entry) {
    CacheNames names = new CacheNames(entry.rank());
    return entry.files().stream()
        .map(file -> new Wanted(entry.rank(), file, names.next(file.path()))).toList();
  }

  /**
   * Copies one file.
   *
   * @throws ScrException {@link Fault#CORRUPT} naming file and dataset: it is missing in the prefix directory or
   *     not what was flushed, so the dataset cannot be used; {@link Fault#OUTSIDE_PREFIX} for a map that leads out
   *     of the prefix; NO_SPACE in the cache; IO
   */
  public Fetched copy(Wanted wanted) {
    try (ContainerReader containers = new ContainerReader(paths.dataset(dataset))) {
      return copy(wanted, containers);
    }
  }

  private Fetched copy(Wanted wanted, ContainerReader containers) {
    FlushedFile file = wanted.file();
    String what = "dataset " + dataset + " in the prefix directory: " + file.path() + " of rank " + wanted.rank();
    Path place = paths.file(file.place());
    Path cached = NodeDirectories.resolve(cacheDirectory, wanted.name());
    makeDirectory(cached.getParent());
    Copied copied = file.segments().isEmpty()
        ? copy(new Source(place, what, Fault.CORRUPT, Fault.IO), cached, file)
        : containers.copy(file, what, cached, meter);
    return new Fetched(new FileMeta(wanted.name(), file.path(), copied.bytes(), OptionalInt.of(copied.crc()),
        Optional.of(stamp(cached))), file.verifiable());
  }

  /** A later dataset may have taken the file's name and not be complete: then what it replaced is beside it. */
  private Copied copy(Source source, Path cached, FlushedFile file) {
    try {
      return copyOne(source, cached, file);
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT || !file.verifiable()) {
        throw e;
      }
      for (Path kept : keptOf(file.place())) {
        try {
          Source other = new Source(kept, source.what(), Fault.CORRUPT, Fault.IO);
          return copyOne(other, cached, file);
        } catch (ScrException notThis) {
          e.addSuppressed(notThis);
        }
      }
      throw e;
    }
  }

  private Copied copyOne(Source source, Path cached, FlushedFile file) {
    return file.isCompressed() ? new CompressedFile(source.path(), file, source.what()).copy(cached, meter)
        : new CheckedCopy(source, cached, file.bytes(), file.crc()).run(Sync.NONE, meter);
  }

  private List<Path> keptOf(String relative) {
    String beginning = paths.keptOfAny(relative).getFileName().toString();
    List<Path> kept = new ArrayList<>();
    try (var siblings = Files.newDirectoryStream(paths.file(relative).getParent(),
        path -> path.getFileName().toString().startsWith(beginning))) {
      siblings.forEach(kept::add);
    } catch (IOException _) {
      return List.of();                                   // without its directory there is nothing beside it
    }
    return kept;
  }

  /** Copies all files of one rank, one after the other. */
  public FetchedRank fetch(Entry entry) {
    List<FileMeta> files = new ArrayList<>();
    List<String> unverified = new ArrayList<>();
    try (ContainerReader containers = new ContainerReader(paths.dataset(dataset))) {
      for (Wanted wanted : plan(entry)) {
        Fetched fetched = copy(wanted, containers);
        files.add(fetched.file());
        if (!fetched.verified()) {
          unverified.add(wanted.file().path());
        }
      }
    }
    return new FetchedRank(new RankFiles(entry.rank(), files), List.copyOf(unverified));
  }

  private static Stamp stamp(Path cached) {
    try {
      return FileStamps.read(cached);
    } catch (IOException e) {
      throw Faults.io(cached, e);
    }
  }

  private static void makeDirectory(Path directory) {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw Faults.io(directory, e);
    }
  }
}

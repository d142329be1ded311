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
import io.vertxscr.prefix.CheckedCopy.Sync;
import io.vertxscr.prefix.container.ContainerReader;
import io.vertxscr.prefix.extent.Meter;
import io.vertxscr.prefix.extent.Parts;
import io.vertxscr.prefix.extent.SourceFile;
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
  /** Small files are copied one behind the other until they are as much as this: worth the change of threads. */
  static final long PART_BYTES = 4 << 20;

  private final PrefixPaths paths;
  private final int dataset;
  private final Path cacheDirectory;
  private final Meter meter;

  /** One file to fetch, and its name in the cache, relative to the dataset's directory. */
  private record Wanted(FlushedFile file, String name) {}

  /** Files of a rank that are copied one behind the other: a large one, or several small ones. */
  public record Part(int rank, List<Wanted> files) {}

  /** Files of a rank. @param unverified paths of those that the map has nothing to compare with: say so to the user */
  public record Fetched(RankFiles files, List<String> unverified) {}

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

  /**
   * The files of one rank, in the order in which they make up its logical file, for several threads; touches nothing.
   *
   * @return at least one part
   */
  public List<Part> parts(Entry entry) {
    CacheNames names = new CacheNames(entry.rank());
    List<Wanted> all = entry.files().stream().map(file -> new Wanted(file, names.next(file.path()))).toList();
    return all.isEmpty() ? List.of(new Part(entry.rank(), all))
        : Parts.of(all, wanted -> wanted.file.bytes().orElse(PART_BYTES), PART_BYTES).stream()
            .map(files -> new Part(entry.rank(), files)).toList();
  }

  /**
   * Copies the files of one part.
   *
   * @throws ScrException {@link Fault#CORRUPT} naming file and dataset: it is missing in the prefix directory or
   *     not what was flushed, so the dataset cannot be used; {@link Fault#OUTSIDE_PREFIX} for a map that leads out
   *     of the prefix; NO_SPACE in the cache; IO
   */
  public Fetched copy(Part part) {
    List<FileMeta> files = new ArrayList<>();
    List<String> unverified = new ArrayList<>();
    try (ContainerReader containers = new ContainerReader(paths.dataset(dataset))) {
      for (Wanted wanted : part.files) {
        files.add(copy(part.rank, wanted, containers));
        if (!wanted.file.verifiable()) {
          unverified.add(wanted.file.path());
        }
      }
    }
    return new Fetched(new RankFiles(part.rank, files), List.copyOf(unverified));
  }

  private FileMeta copy(int rank, Wanted wanted, ContainerReader containers) {
    FlushedFile file = wanted.file();
    String what = "dataset " + dataset + " in the prefix directory: " + file.path() + " of rank " + rank;
    Path place = paths.file(file.place());
    Path cached = NodeDirectories.resolve(cacheDirectory, wanted.name());
    makeDirectory(cached.getParent());
    Copied copied = file.segments().isEmpty()
        ? copy(SourceFile.flushed(place, what), cached, file)
        : containers.copy(file, what, cached, meter);
    return new FileMeta(wanted.name(), file.path(), copied.bytes(), OptionalInt.of(copied.crc()),
        Optional.of(stamp(cached)));
  }

  /** A later dataset may have taken the file's name and not be complete: then what it replaced is beside it. */
  private Copied copy(SourceFile source, Path cached, FlushedFile file) {
    try {
      return copyOne(source, cached, file);
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT || !file.verifiable()) {
        throw e;
      }
      for (Path kept : keptOf(file.place())) {
        try {
          return copyOne(SourceFile.flushed(kept, source.what()), cached, file);
        } catch (ScrException notThis) {
          e.addSuppressed(notThis);
        }
      }
      throw e;
    }
  }

  private Copied copyOne(SourceFile source, Path cached, FlushedFile file) {
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

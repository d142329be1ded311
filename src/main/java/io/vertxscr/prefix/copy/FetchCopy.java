package io.vertxscr.prefix.copy;

import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta.Stamp;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.CacheNames;
import io.vertxscr.prefix.copy.container.ContainerReader;
import io.vertxscr.prefix.copy.extent.CheckedCopy.Copied;
import io.vertxscr.prefix.copy.extent.CheckedCopy.Sync;
import io.vertxscr.prefix.copy.extent.CheckedCopy;
import io.vertxscr.prefix.copy.extent.Extent;
import io.vertxscr.prefix.copy.extent.LargeFetch;
import io.vertxscr.prefix.copy.extent.Meter;
import io.vertxscr.prefix.copy.extent.Parts;
import io.vertxscr.prefix.copy.extent.SourceFile;
import io.vertxscr.prefix.copy.extent.WrongFiles;
import io.vertxscr.prefix.copy.zstd.CompressedFile;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.FileStamps;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.Presence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Copies a dataset's files from the prefix directory into the cache, checking every byte. The source may be containers.
 * The copies are not synced: what a power failure takes from them fails its check at the next restart, and is still in
 * the prefix.
 *
 * <p>An object serves one attempt; safe for many threads. May be repeated: a file that is there is replaced.
 */
public final class FetchCopy {
  /** Small files are batched up to this size, to be worth a task on another thread. */
  static final long PART_BYTES = 4 << 20;

  private final PrefixPaths paths;
  private final int dataset;
  private final Path cacheDirectory;
  private final Manner manner;
  private final Set<Path> made = ConcurrentHashMap.newKeySet();
  /** Datasets that began after this one; null until first used. */
  private volatile List<Integer> later;

  /** Progress meter, and the piece size of large files. */
  private record Manner(Meter meter, long pieceBytes) {}

  /** One file to fetch, and its name in the cache, relative to the dataset's directory. */
  private record Wanted(FlushedFile file, String name) {}

  /**
   * Work of one task: several small files of a rank, one file, or a piece of a large one.
   *
   * @param paths of the files
   */
  public record FetchedPart(int rank, List<String> paths, Supplier<Fetched> work) {
    /**
     * Copies them. Of what is wrong only {@link #join} speaks: all files are looked at, not only those before the first
     * that is wrong.
     *
     * @return of several pieces of a file, the file only with the first
     * @throws ScrException {@link Fault#OUTSIDE_PREFIX} for a map that leads out of the prefix; NO_SPACE in the cache;
     *     IO
     */
    public Fetched copy() {
      return work.get();
    }
  }

  /**
   * Files of a rank.
   *
   * @param files without those that are wrong
   * @param unverified paths of those that the map has nothing to compare with: say so to the user
   */
  public record Fetched(RankFiles files, List<String> unverified, WrongFiles wrong) {}

  /**
   * @param dataset id of the dataset
   * @param cacheDirectory the dataset's directory in this node's cache
   */
  public FetchCopy(PrefixPaths paths, int dataset, Path cacheDirectory) {
    this(paths, dataset, cacheDirectory, new Manner(Meter.NONE, Extent.MOST_BYTES));
  }

  private FetchCopy(PrefixPaths paths, int dataset, Path cacheDirectory, Manner manner) {
    this.paths = paths;
    this.dataset = dataset;
    this.cacheDirectory = cacheDirectory;
    this.manner = manner;
  }

  /** Returns a copy that reports progress to this meter. */
  public FetchCopy metered(Meter other) {
    return new FetchCopy(paths, dataset, cacheDirectory, new Manner(other, manner.pieceBytes));
  }

  /**
   * Returns a copy that reads each file in one piece. Only this finds what a large file that differs from its map may
   * have replaced.
   */
  public FetchCopy undivided() {
    return dividing(Long.MAX_VALUE);
  }

  /** Returns a copy that reads larger files in pieces of this size. */
  public FetchCopy dividing(long pieceBytes) {
    return new FetchCopy(paths, dataset, cacheDirectory, new Manner(manner.meter, pieceBytes));
  }

  /**
   * Splits the files of one rank, in the order of its logical file, into tasks for several threads. Pure.
   *
   * @return at least one part
   */
  public List<FetchedPart> parts(RankEntry entry) {
    CacheNames names = new CacheNames(entry.rank());
    List<Wanted> all = entry.files().stream().map(file -> new Wanted(file, names.next(file.path()))).toList();
    return all.isEmpty() ? List.of(part(entry.rank(), all))
        : Parts.of(all, wanted -> isDivided(wanted.file) ? PART_BYTES : wanted.file.bytes().orElse(PART_BYTES),
            PART_BYTES).stream()
            .flatMap(files -> pieces(entry.rank(), files)).toList();
  }

  /** Whether a file of this rank is copied in pieces. */
  public boolean divides(RankEntry entry) {
    return entry.files().stream().anyMatch(this::isDivided);
  }

  private Stream<FetchedPart> pieces(int rank, List<Wanted> files) {
    List<Wanted> small = files.stream().filter(wanted -> !isDivided(wanted.file)).toList();
    Stream<FetchedPart> large = files.stream().filter(wanted -> isDivided(wanted.file))
        .flatMap(wanted -> pieces(rank, wanted));
    return small.isEmpty() ? large : Stream.concat(Stream.of(part(rank, small)), large);   // a large one ends a part
  }

  private boolean isDivided(FlushedFile file) {
    return file.isInPlace() && file.verifiable() && file.bytes().orElseThrow() > manner.pieceBytes;
  }

  private Stream<FetchedPart> pieces(int rank, Wanted wanted) {
    FlushedFile file = wanted.file;
    long bytes = file.bytes().orElseThrow();
    Path cached = NodeDirectories.resolve(cacheDirectory, wanted.name);
    LargeFetch large = new LargeFetch(() -> source(file.place(), what(rank, file)), cached, bytes,
        file.crc().orElseThrow(), manner.pieceBytes);
    FileMeta meta =
        new FileMeta(wanted.name, file.path(), bytes, file.crc(), Optional.empty(), file.shared());
    return IntStream.range(0, large.count()).mapToObj(piece -> new FetchedPart(rank, List.of(file.path()), () -> {
      makeDirectory(cached.getParent());
      WrongFiles wrong = wrong(() -> large.copy(piece, manner.meter));
      return new Fetched(new RankFiles(rank, piece == 0 ? List.of(meta) : List.of()), List.of(), wrong);
    }));
  }

  private FetchedPart part(int rank, List<Wanted> files) {
    return new FetchedPart(rank, files.stream().map(wanted -> wanted.file.path()).toList(), () -> copy(rank, files));
  }

  /**
   * Reads files of a rank and compares them, as {@link FetchedPart#copy}, and keeps nothing.
   *
   * @throws ScrException {@link Fault#CORRUPT} naming the first that is missing or has other bytes; OUTSIDE_PREFIX; IO
   */
  public void check(RankEntry entry) {
    DirectFiles inPlace = new DirectFiles(paths, dataset);
    try (ContainerReader containers = new ContainerReader(paths.dataset(dataset), entry.files())) {
      for (FlushedFile file : entry.files()) {
        String what = what(entry.rank(), file);
        if (!file.segments().isEmpty()) {
          containers.check(file, what);
        } else if (file.isCompressed()) {
          new CompressedFile(source(file.place(), what).path(), file, what).check();
        } else {
          inPlace.check(new RankEntry(entry.rank(), List.of(file)));
        }
      }
    }
  }

  private Fetched copy(int rank, List<Wanted> wanted) {
    List<FileMeta> files = new ArrayList<>();
    List<String> unverified = new ArrayList<>();
    WrongFiles wrong = WrongFiles.NONE;
    try (ContainerReader containers =
        new ContainerReader(paths.dataset(dataset), wanted.stream().map(Wanted::file).toList())) {
      for (Wanted one : wanted) {
        wrong = wrong.and(wrong(() -> files.add(copy(rank, one, containers))));
        if (!one.file.verifiable()) {
          unverified.add(one.file.path());
        }
      }
    }
    return new Fetched(new RankFiles(rank, files), List.copyOf(unverified), wrong);
  }

  private SourceFile source(String place, String what) {
    return inPrefix(paths.file(place), what);
  }

  private SourceFile inPrefix(Path file, String what) {
    return SourceFile.flushed(PrefixDirectories.inside(paths.prefix(), file), what);
  }

  private static WrongFiles wrong(Runnable copying) {
    try {
      copying.run();
      return WrongFiles.NONE;
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return WrongFiles.of(e);
    }
  }

  /**
   * Joins fetched parts by rank, with the mode and time of each file; all parts are complete.
   *
   * @throws ScrException {@link Fault#CORRUPT} naming files and dataset: they are missing in the prefix directory or
   *     not what was flushed, so the dataset cannot be used, unless {@link #undivided} can
   */
  public List<RankFiles> join(List<Fetched> parts) {
    parts.stream().map(Fetched::wrong).reduce(WrongFiles.NONE, WrongFiles::and).requireNone();
    return RankFiles.join(parts.stream().map(Fetched::files).toList()).stream()
        .map(rank -> new RankFiles(rank.rank(), rank.files().stream().map(file -> file.stamp().isPresent() ? file
            : file.with(stamp(NodeDirectories.resolve(cacheDirectory, file.name())))).toList())).toList();
  }

  private String what(int rank, FlushedFile file) {
    return "dataset " + dataset + " in the prefix directory: " + file.path() + " of rank " + rank;
  }

  private FileMeta copy(int rank, Wanted wanted, ContainerReader containers) {
    FlushedFile file = wanted.file();
    String what = what(rank, file);
    SourceFile source = source(file.place(), what);
    Path cached = NodeDirectories.resolve(cacheDirectory, wanted.name());
    makeDirectory(cached.getParent());
    Copied copied = file.segments().isEmpty()
        ? copy(source, cached, file)
        : containers.copy(file, what, cached, manner.meter);
    return new FileMeta(wanted.name(), file.path(), copied.bytes(), OptionalInt.of(copied.crc()),
        Optional.of(stamp(cached)), file.shared());
  }

  /** A later, incomplete dataset may have taken the path: then the replaced file is kept beside it. */
  private Copied copy(SourceFile source, Path cached, FlushedFile file) {
    if (!file.verifiable()) {
      return copyOne(keptFrom(file.place()).map(kept -> inPrefix(kept, source.what())).orElse(source), cached, file);
    }
    try {
      return copyOne(source, cached, file);
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      ScrException failure = e;
      for (Path kept : KeptFiles.of(paths, file.place())) {
        try {
          return copyOne(inPrefix(kept, source.what()), cached, file);
        } catch (ScrException notThis) {
          e.addSuppressed(notThis);
          failure = notThis.fault() == Fault.CORRUPT ? failure : notThis;   // which may be it
        }
      }
      throw failure;
    }
  }

  private Copied copyOne(SourceFile source, Path cached, FlushedFile file) {
    return file.isCompressed() ? new CompressedFile(source.path(), file, source.what()).copy(cached, manner.meter)
        : new CheckedCopy(source, cached, file.bytes(), file.crc()).run(Sync.NONE, manner.meter);
  }

  /**
   * Returns the file kept by the first later dataset at this path. Without a checksum nothing else identifies its
   * owner.
   */
  private Optional<Path> keptFrom(String relative) {
    return laterDatasets().stream().map(id -> paths.kept(relative, id)).filter(Presence::isFile).findFirst();
  }

  private List<Integer> laterDatasets() {
    if (later == null) {
      later = paths.datasets().stream().filter(id -> id > dataset).sorted().toList();
    }
    return later;
  }

  /** Whether files of these are kept that a later, incomplete dataset has replaced. */
  public static boolean hasKept(PrefixPaths paths, Collection<RankEntry> entries) {
    return entries.stream().flatMap(entry -> entry.files().stream())
        .anyMatch(file -> !KeptFiles.of(paths, file.place()).isEmpty());
  }

  private static Stamp stamp(Path cached) {
    try {
      return FileStamps.read(cached);
    } catch (IOException e) {
      throw Faults.io(cached, e);
    }
  }

  /** Once for all files in it. */
  private void makeDirectory(Path directory) {
    if (made.contains(directory)) {
      return;
    }
    try {
      Files.createDirectories(directory);
      made.add(directory);
    } catch (IOException e) {
      throw Faults.io(directory, e);
    }
  }
}

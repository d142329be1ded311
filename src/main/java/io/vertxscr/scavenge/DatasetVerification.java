package io.vertxscr.scavenge;

import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.KeptFiles;
import io.vertxscr.prefix.copy.container.ContainerReader;
import io.vertxscr.prefix.copy.extent.Parts;
import io.vertxscr.prefix.copy.zstd.CompressedFile;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.Presence;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Verifies every byte of a published dataset against its checksums, in parallel. Of its map one batch of ranks is in
 * memory at a time.
 */
public final class DatasetVerification {
  private static final int BATCH_FILES = 4096;
  /** Enough for a thread, little enough that all threads have something to do. */
  private static final long PART_BYTES = 16L << 20;

  private final PrefixPaths paths;
  private final int id;
  private final boolean everyByte;
  private final LargeFileCheck inPieces;
  private final Map<FlushedFile, Found> ofSeveral = new ConcurrentHashMap<>();
  private final List<String> problems = new ArrayList<>();
  private final SortedMap<Integer, String> badRanks = new TreeMap<>();
  private final List<String> unverified = new ArrayList<>();
  private final List<String> unread = new ArrayList<>();
  private long files;
  private long bytes;

  /** Of one file. @param unread why it cannot be read now, so that nothing else is known of it */
  private record Found(Optional<String> problem, Optional<String> unread, boolean verified, long bytes) {
    Found(Optional<String> problem, boolean verified, long bytes) {
      this(problem, Optional.empty(), verified, problem.isPresent() ? 0 : bytes);
    }

    static Found unread(ScrException why) {
      return new Found(Optional.empty(), Optional.of(why.getMessage()), true, 0);
    }
  }

  private record Owned(int rank, FlushedFile file) {}

  /** By which threads. */
  @FunctionalInterface
  private interface Looking {
    List<List<Found>> at(List<List<Owned>> parts);
  }

  /**
   * Result.
   *
   * @param problems what differs, in sentences with rank and path
   * @param badRanks ranks with such files, each with the first of its sentences
   * @param unverified paths of files without a recorded size or checksum
   * @param unread files that cannot be read now, of which nobody knows whether they differ, in the same sentences
   */
  public record Verified(long files, long bytes, List<String> problems, SortedMap<Integer, String> badRanks,
      List<String> unverified, List<String> unread) {
    /** Fails with IO where files cannot be read now. */
    public Verified requireRead() {
      if (!unread.isEmpty()) {
        throw new ScrException(Fault.IO, unread.getFirst()
            + (unread.size() == 1 ? "" : " (and " + (unread.size() - 1) + " more that cannot be read now)"));
      }
      return this;
    }
  }

  private DatasetVerification(PrefixPaths paths, int id, boolean everyByte) {
    this.paths = paths;
    this.id = id;
    this.everyByte = everyByte;
    this.inPieces = new LargeFileCheck(paths, id, PART_BYTES);
  }

  /** @throws ScrException CORRUPT where the map itself is damaged, IO */
  public static Verified verify(PrefixPaths paths, int id) {
    return new DatasetVerification(paths, id, true).run();
  }

  /** Compares sizes only, without reading files. */
  public static Verified look(PrefixPaths paths, int id) {
    return new DatasetVerification(paths, id, false).run();
  }

  /** Whether its map can be read as a whole. @throws ScrException IO */
  public static boolean hasMap(PrefixPaths paths, int id) {
    try {
      new RankMapReader(paths, id).forEach(_ -> { });
      return true;
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return false;
    }
  }

  /**
   * A verification in steps. Each reads about 16 MiB of files, or one larger file, in the calling thread; one at a
   * time, which may be in different threads.
   */
  public static final class VerificationSteps {
    private final DatasetVerification all;
    private final RankMapReader map;
    private final Deque<List<Owned>> parts = new ArrayDeque<>();
    private int nextOfMap;

    private VerificationSteps(PrefixPaths paths, int id) {
      all = new DatasetVerification(paths, id, true);
      map = new RankMapReader(paths, id);
    }

    /** Whether all is read. */
    public boolean isDone() {
      return parts.isEmpty() && nextOfMap == map.parts();
    }

    /** Does the next one. @return bytes of files that were looked at @throws ScrException CORRUPT of the map, IO */
    public long step() {
      if (parts.isEmpty()) {
        List<Owned> batch = new ArrayList<>();
        map.forEachOf(nextOfMap, entry -> add(entry, batch));
        nextOfMap++;
        parts.addAll(Parts.of(batch, owned -> owned.file().bytes().orElse(0), PART_BYTES));
        return 0;
      }
      List<Owned> part = parts.removeFirst();
      List<Found> found = all.look(part);
      for (int i = 0; i < found.size(); i++) {
        all.add(part.get(i), found.get(i));
      }
      return part.stream().mapToLong(owned -> owned.file().bytes().orElse(0)).sum();
    }

    /** What the steps have found so far. */
    public Verified verified() {
      return all.verified();
    }
  }

  /** @throws ScrException CORRUPT where the map itself is damaged, IO */
  public static VerificationSteps steps(PrefixPaths paths, int id) {
    return new VerificationSteps(paths, id);
  }

  private Verified run() {
    var map = new RankMapReader(paths, id);
    if (!everyByte && map.parts() >= Workers.THREADS) {
      // Decoding a large map takes longer than checking sizes: each thread does both, part by part.
      Workers.map(IntStream.range(0, map.parts()).boxed().toList(),
          part -> new DatasetVerification(paths, id, false).look(map, part)).forEach(this::add);
      return verified();
    }
    List<Owned> batch = new ArrayList<>();
    map.forEach(entry -> {
      add(entry, batch);
      if (batch.size() >= BATCH_FILES) {
        check(batch, parts -> Workers.map(parts, this::look));
      }
    });
    check(batch, parts -> Workers.map(parts, this::look));
    return verified();
  }

  /** One part of the map, in this thread. */
  private Verified look(RankMapReader map, int part) {
    List<Owned> batch = new ArrayList<>();
    map.forEachOf(part, entry -> add(entry, batch));
    check(batch, parts -> parts.stream().map(this::look).toList());
    return verified();
  }

  private void add(Verified part) {
    files += part.files();
    bytes += part.bytes();
    problems.addAll(part.problems());
    badRanks.putAll(part.badRanks());
    unverified.addAll(part.unverified());
    unread.addAll(part.unread());
  }

  private Verified verified() {
    return new Verified(files, bytes, List.copyOf(problems), badRanks, List.copyOf(unverified), List.copyOf(unread));
  }

  private static void add(RankEntry entry, List<Owned> batch) {
    entry.files().forEach(file -> batch.add(new Owned(entry.rank(), file)));
  }

  private void check(List<Owned> batch, Looking looking) {
    if (everyByte) {
      batch.stream().filter(owned -> inPieces.fits(owned.file()))
          .forEach(owned -> add(owned, once(owned.file(), () -> lookInPieces(owned.file()))));
      batch.removeIf(owned -> inPieces.fits(owned.file()));
    }
    List<Found> found = looking.at(Parts.of(batch, owned -> owned.file().bytes().orElse(0), PART_BYTES)).stream()
       .flatMap(List::stream).toList();
    for (int i = 0; i < batch.size(); i++) {
      add(batch.get(i), found.get(i));
    }
    batch.clear();
  }

  private void add(Owned owned, Found found) {
    if (!owned.file().shared()) {                         // another rank's entry counts it
      files++;
      bytes += found.bytes();
    }
    found.problem().ifPresent(problem -> {
      problems.add("rank " + owned.rank() + ": " + problem);
      badRanks.putIfAbsent(owned.rank(), problem);
    });
    found.unread().ifPresent(why -> unread.add("rank " + owned.rank() + ": " + why));
    if (!found.verified()) {
      unverified.add(owned.file().path());
    }
  }

  /** A file that stands under many ranks is read once for all of them but the one that counts it. */
  private Found once(FlushedFile file, Supplier<Found> look) {
    return file.shared() ? ofSeveral.computeIfAbsent(file, _ -> look.get()) : look.get();
  }

  private Found lookInPieces(FlushedFile file) {
    return orKept(file, readOrNot(() -> new Found(inPieces.problem(file), true, file.bytes().orElseThrow())));
  }

  private List<Found> look(List<Owned> part) {
    try (ContainerReader containers = new ContainerReader(paths.dataset(id))) {
      return part.stream().map(owned -> once(owned.file(), () -> everyByte
          ? readOrNot(() -> look(owned, containers)) : look(owned, containers))).toList();
    }
  }

  private Found lookInContainers(Owned owned, ContainerReader containers) {
    FlushedFile file = owned.file();
    return found(file, () -> {
      if (everyByte) {
        containers.check(file, file.path());
      } else {
        containers.checkSize(file, file.path());
      }
    });
  }

  private static Found readOrNot(Supplier<Found> look) {
    try {
      return FileChecks.twice(look);
    } catch (ScrException e) {
      if (e.fault() != Fault.IO) {
        throw e;
      }
      return Found.unread(e);
    }
  }

  private static Found found(FlushedFile file, Runnable check) {
    try {
      check.run();
      return new Found(Optional.empty(), file.verifiable(), file.bytes().orElse(0));
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return new Found(Optional.of(e.getMessage()), file.verifiable(), 0);
    }
  }

  private Found look(Owned owned, ContainerReader containers) {
    FlushedFile file = owned.file();
    if (!file.segments().isEmpty()) {
      return lookInContainers(owned, containers);
    }
    if (file.bytes().isEmpty() && !file.isCompressed()) {
      boolean there = Presence.isFile(paths.file(file.path()));
      return new Found(there ? Optional.empty() : Optional.of(paths.file(file.path()) + " is missing"), false, 0);
    }
    return orKept(file, look(paths.file(file.place()), file));
  }

  /**
   * A later dataset that is not complete yet may have taken its path: then it is kept beside that one. Only the bytes
   * say more of what this dataset has replaced itself than that it is another one's.
   */
  private Found orKept(FlushedFile file, Found found) {
    return found.problem().isEmpty() || !file.verifiable() || !file.segments().isEmpty() ? found
        : KeptFiles.of(paths, file.place()).stream()
            .filter(kept -> everyByte || !new KeptFiles(paths, id).hasReplaced(file.place(), kept))
            .map(kept -> look(kept, file))
            .filter(one -> one.problem().isEmpty()).findFirst().orElse(found);
  }

  private Found look(Path path, FlushedFile file) {
    if (file.isCompressed()) {
      CompressedFile compressed = new CompressedFile(path, file, file.path());
      return found(file, everyByte ? compressed::check : compressed::checkSize);
    }
    String name = paths.prefix().relativize(path).toString();
    var meta = new FileMeta(name, file.path(), file.bytes().getAsLong(), file.crc());
    Optional<String> problem = everyByte
        ? FileChecks.problemUnlessUnreadable(paths.prefix(), meta) : FileChecks.sizeProblem(paths.prefix(), meta);
    return new Found(problem, file.crc().isPresent(), meta.bytes());
  }
}

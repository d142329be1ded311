package io.vertxscr.scavenge;

import io.vertxscr.format.prefix.RankFileMap.Entry;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.PrefixPaths;
import io.vertxscr.prefix.RankMapReader;
import io.vertxscr.prefix.container.ContainerReader;
import io.vertxscr.prefix.extent.Parts;
import io.vertxscr.prefix.zstd.CompressedFile;
import io.vertxscr.storage.FileChecks;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads every byte of a published dataset and compares it with its checksum, in parallel; of its map one batch of ranks
 * is in memory at a time.
 */
public final class DatasetVerification {
  private static final int BATCH_FILES = 4096;
  /** Enough for a thread, little enough that all threads have something to do. */
  private static final long PART_BYTES = 16L << 20;

  private final PrefixPaths paths;
  private final int id;
  private final boolean everyByte;
  private final List<String> problems = new ArrayList<>();
  private final SortedMap<Integer, String> badRanks = new TreeMap<>();
  private final List<String> unverified = new ArrayList<>();
  private long files;
  private long bytes;

  private record Found(Optional<String> problem, boolean verified, long bytes) {}

  private record Owned(int rank, FlushedFile file) {}

  /**
   * How it went.
   *
   * @param problems what differs, in sentences with rank and path
   * @param badRanks ranks with such files, each with the first of its sentences
   * @param unverified paths of files whose size or checksum nobody wrote down
   */
  public record Verified(long files, long bytes, List<String> problems, SortedMap<Integer, String> badRanks,
      List<String> unverified) {}

  private DatasetVerification(PrefixPaths paths, int id, boolean everyByte) {
    this.paths = paths;
    this.id = id;
    this.everyByte = everyByte;
  }

  /** @throws ScrException CORRUPT where the map itself is damaged, IO */
  public static Verified verify(PrefixPaths paths, int id) {
    return new DatasetVerification(paths, id, true).run();
  }

  /** The same by the sizes alone: no file is read. */
  public static Verified look(PrefixPaths paths, int id) {
    return new DatasetVerification(paths, id, false).run();
  }

  private Verified run() {
    List<Owned> batch = new ArrayList<>();
    new RankMapReader(paths, id).forEach(entry -> {
      add(entry, batch);
      if (batch.size() >= BATCH_FILES) {
        check(batch);
      }
    });
    check(batch);
    return new Verified(files, bytes, List.copyOf(problems), badRanks, List.copyOf(unverified));
  }

  private static void add(Entry entry, List<Owned> batch) {
    entry.files().forEach(file -> batch.add(new Owned(entry.rank(), file)));
  }

  private void check(List<Owned> batch) {
    List<Found> found = Workers.map(Parts.of(batch, owned -> owned.file().bytes().orElse(0), PART_BYTES), this::look)
        .stream().flatMap(List::stream).toList();
    for (int i = 0; i < batch.size(); i++) {
      files++;
      bytes += found.get(i).bytes();
      int rank = batch.get(i).rank();
      found.get(i).problem().ifPresent(problem -> {
        problems.add("rank " + rank + ": " + problem);
        badRanks.putIfAbsent(rank, problem);
      });
      if (!found.get(i).verified()) {
        unverified.add(batch.get(i).file().path());
      }
    }
    batch.clear();
  }

  private List<Found> look(List<Owned> part) {
    try (ContainerReader containers = new ContainerReader(paths.dataset(id))) {
      return part.stream().map(owned -> look(owned, containers)).toList();
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

  private Found lookInCompressed(Owned owned) {
    FlushedFile file = owned.file();
    CompressedFile compressed = new CompressedFile(paths.file(file.place()), file, file.path());
    return found(file, everyByte ? compressed::check : compressed::checkSize);
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
    if (file.isCompressed()) {
      return lookInCompressed(owned);
    }
    if (file.bytes().isEmpty()) {
      boolean there = Files.isRegularFile(paths.file(file.path()));
      return new Found(there ? Optional.empty() : Optional.of(paths.file(file.path()) + " is missing"), false, 0);
    }
    String name = paths.prefix().relativize(paths.file(file.path())).toString();
    var meta = new FileMeta(name, file.path(), file.bytes().getAsLong(), file.crc());
    Optional<String> problem = everyByte
        ? FileChecks.problem(paths.prefix(), meta) : FileChecks.sizeProblem(paths.prefix(), meta);
    return new Found(problem, file.crc().isPresent(), problem.isPresent() ? 0 : meta.bytes());
  }
}

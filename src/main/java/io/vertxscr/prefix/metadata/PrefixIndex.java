package io.vertxscr.prefix.metadata;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.IndexFile;
import io.vertxscr.format.prefix.Summary;
import io.vertxscr.format.prefix.SummaryFile;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.AtomicFile;
import io.vertxscr.storage.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The index of a prefix directory: read without a lock, changed under it, replaced whole.
 *
 * <p>A damaged index is no disaster: everything in it but marks of fetches and failures, and what users have dropped
 * or set as current, is in the summaries as well, so it is made again from those, and the damaged file is kept beside
 * it as {@code index.scr.bad-<n>}. Safe for many threads.
 */
public final class PrefixIndex {
  private static final String FORGOTTEN = "only the index knew which datasets were dropped: those are listed again;"
      + " which one was current: the newest is now; and which had failed";

  private final PrefixPaths paths;
  private final PrefixLock lock;

  /**
   * An index, and what was remarkable about getting it.
   *
   * @param remarks sentences for the log; empty if the file was simply read
   */
  public record Reading(Index index, List<String> remarks) {}

  /** @param user who takes the lock of the index for an update */
  public PrefixIndex(PrefixPaths paths, LockUser user) {
    this.paths = paths;
    this.lock = new PrefixLock(paths, user);
  }

  /**
   * The index as it is. A missing one is empty, but see {@link #readOrMake}; from a damaged one nothing is taken, and
   * nothing is changed on disk.
   *
   * @throws ScrException IO, also where a summary cannot be read: then nobody knows what the index would be
   */
  public Reading read() {
    try {
      Index index = MetadataFiles.read(paths.index(), IndexFile::decode).orElse(Index.EMPTY);
      return new Reading(index, List.of());
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return rebuild(e.getMessage());
    }
  }

  /**
   * The same, for a run that begins: an index that is missing although there are whole datasets was lost, or removed by
   * somebody, and is made again durably. Else the run would begin anew, and nobody would find these datasets any more.
   *
   * @throws ScrException BUSY naming who holds the lock, NO_SPACE, IO
   */
  public Reading readOrMake() {
    if (!isLost()) {
      return read();
    }
    return lock.with(() -> {
      if (!isLost()) {
        return read();
      }
      Reading made = rebuild(paths.index() + " is missing");
      AtomicFile.replace(paths.index(), IndexFile.encode(made.index));
      return made;
    });
  }

  /**
   * For a command that changes the index, which looks at it first: if it was lost, it is made again, durably.
   *
   * @return what there is to tell of that, in sentences; none where the index is there
   * @throws ScrException as {@link #readOrMake}
   */
  public List<String> makeIfLost() {
    return isLost() ? readOrMake().remarks() : List.of();
  }

  private boolean isLost() {
    return !Files.exists(paths.index()) && summaries().findAny().isPresent();
  }

  /**
   * What to tell those who only look, and find nothing, because the index was lost.
   *
   * @return empty where the index is there, or nothing else is
   */
  public Optional<String> lost() {
    if (!isLost()) {
      return Optional.empty();
    }
    return Optional.of(paths.index() + " is missing, although " + summaries().count() + " datasets have a summary in "
        + paths.scr() + ": 'scr index --build', or the next run, makes it again");
  }

  /**
   * For who publishes a dataset, and has written its summary: whether the index that comes next is the first one here.
   *
   * @return what to tell if it is not, although there is none: an update makes it again
   */
  public Optional<String> lostBeside(int dataset) {
    boolean others = !Files.exists(paths.index())
        && summaries().anyMatch(summary -> !summary.equals(paths.summary(dataset)));
    return others ? Optional.of(paths.index() + " is missing, and is made again from the summaries; " + FORGOTTEN)
        : Optional.empty();
  }

  private Stream<Path> summaries() {
    return MetadataFiles.list(paths.scr(), "scr.dataset.*").stream().map(PrefixPaths::datasetOf)
        .flatMapToInt(OptionalInt::stream).mapToObj(paths::summary).filter(Files::exists);
  }

  /**
   * Changes the index durably, and repairs it first if need be; one that is missing begins with what has a summary.
   *
   * @param change of the index as it is on disk under the lock; must be pure, and give the same again when repeated
   * @return the new index
   * @throws ScrException BUSY naming who holds the lock, NO_SPACE, IO: the index is then what it was, or, where
   *     only the last sync failed, the new one
   */
  public Reading update(UnaryOperator<Index> change) {
    return lock.with(() -> {
      Reading before = isLost() ? new Reading(rebuild("it is missing").index, List.of()) : read();
      List<String> remarks = new ArrayList<>(before.remarks);
      if (!remarks.isEmpty()) {
        remarks.add("the damaged index is kept as " + keepBadFile());
      }
      Index index = change.apply(before.index);
      AtomicFile.replace(paths.index(), IndexFile.encode(index));
      return new Reading(index, List.copyOf(remarks));
    });
  }

  /** Copies and does not move: without an index, readers would take the prefix for empty. */
  private Path keepBadFile() {
    for (int n = 1; ; n++) {
      Path bad = paths.index().resolveSibling("index.scr.bad-" + n);
      if (!Files.exists(bad)) {
        try {
          AtomicFile.replace(bad, Files.readAllBytes(paths.index()));
        } catch (IOException e) {
          throw Faults.io(bad, e);
        }
        return bad;
      }
    }
  }

  private Reading rebuild(String cause) {
    List<String> remarks =
        new ArrayList<>(List.of("index damaged, made again from the summaries: " + cause, FORGOTTEN));
    List<Index.Entry> entries = new ArrayList<>();
    for (Path directory : MetadataFiles.list(paths.scr(), "scr.dataset.*")) {
      OptionalInt id = PrefixPaths.datasetOf(directory);
      if (id.isPresent()) {
        entry(id.getAsInt(), remarks).ifPresent(entries::add);
      }
    }
    // of two datasets of one name the later one has written over the earlier one's files, whatever their ids
    entries.sort(Comparator.comparing(Index.Entry::descriptor, DatasetDescriptor.BY_AGE));
    Index index = Index.EMPTY.putAll(entries);
    Map<Integer, Integer> replaced = new WrittenOver(paths).among(
        index.entries().stream().filter(Index.Entry::complete).map(Index.Entry::descriptor).toList());
    for (Map.Entry<Integer, Integer> one : replaced.entrySet()) {
      index = index.markReplaced(Set.of(one.getKey()), one.getValue());
    }
    Optional<Index.Entry> newest = index.candidates().stream().findFirst();
    return new Reading(newest.isPresent() ? index.setCurrent(newest.get().name()) : index, remarks);
  }

  /** The sentence for a dataset whose directory was made, and whose summary was never written: no flush of it ended. */
  public static String neverWhole(int id) {
    return "dataset " + id + " was never whole in the prefix directory: it has no summary";
  }

  private Optional<Index.Entry> entry(int id, List<String> remarks) {
    Path file = paths.summary(id);
    try {
      Optional<Summary> summary = MetadataFiles.read(file, SummaryFile::decode);
      if (summary.isEmpty()) {
        remarks.add(neverWhole(id));
        return Optional.empty();
      }
      DatasetDescriptor descriptor = summary.get().descriptor();
      if (descriptor.id() != id || !Files.exists(paths.rankMap(id))) {
        remarks.add("dataset " + id + " left out: its summary is of another dataset, or its rank2file map is gone");
        return Optional.empty();
      }
      return Optional.of(Index.Entry.flushed(descriptor, summary.get().complete(), modified(file)));
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      remarks.add("dataset " + id + " left out: " + e.getMessage());
      return Optional.empty();
    }
  }

  private static LocalDateTime modified(Path file) {
    try {
      return LocalDateTime.ofInstant(Files.getLastModifiedTime(file).toInstant(), ZoneId.systemDefault());
    } catch (IOException e) {
      throw Faults.io(file, e);
    }
  }
}

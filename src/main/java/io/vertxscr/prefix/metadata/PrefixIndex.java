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
import io.vertxscr.storage.Presence;
import io.vertxscr.storage.RegularFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
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

  PrefixIndex(PrefixPaths paths, PrefixLock lock) {
    this.paths = paths;
    this.lock = lock;
  }

  /**
   * Does several things under one hold of the lock.
   *
   * @param work gets an index whose changes take no lock of their own; must not use this one
   * @throws ScrException BUSY, TAKEN_OVER: nothing was done; what the work throws
   */
  public <T> T exclusively(Function<PrefixIndex, T> work) {
    return lock.with(() -> work.apply(new PrefixIndex(paths, lock.held())));
  }

  /**
   * Does something while no node gives names to files. For who has the lock of the index.
   *
   * @throws LockHeldException where one does right now, as the user of this index waits: nothing was done
   * @throws ScrException TAKEN_OVER: nothing was done; what the work throws
   */
  public <T> T withoutNaming(Supplier<T> work) {
    return lock.againstNames().with(work);
  }

  /** Has all leaders do flushes again that have given names, amid {@link #withoutNaming}. @throws ScrException IO */
  public void revokeLeaders() {
    PrefixFence.revoke(paths);
  }

  /**
   * The index as it is. A missing one is empty, but see {@link #readOrMake}; from a damaged one nothing is taken, and
   * nothing is changed on disk.
   *
   * @throws ScrException IO, also if a summary cannot be read: then the index is unknown
   */
  public Reading read() {
    try {
      Index index = MetadataFiles.read(
          paths.index(), MetadataFiles.MAX_INDEX_BYTES, IndexFile::decode).orElse(Index.EMPTY);
      return new Reading(index, List.of());
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return rebuild(e.getMessage());
    }
  }

  /**
   * Reads the index at run begin. A missing index beside whole datasets was lost or removed, and is rebuilt durably.
   * Else the run would begin without a checkpoint, and these datasets would be lost.
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
   * Rebuilds a lost index durably, before a command reads and changes it.
   *
   * @return what there is to tell of that, in sentences; none where the index is there
   * @throws ScrException as {@link #readOrMake}
   */
  public List<String> makeIfLost() {
    return isLost() ? readOrMake().remarks() : List.of();
  }

  private boolean isLost() {
    return !Presence.exists(paths.index()) && summaries().findAny().isPresent();
  }

  /**
   * Returns a message for readers if the index is empty because it was lost.
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
   * Returns a message if a lost index is about to be written for the first time. For the publisher of a dataset that
   * has already written its summary.
   *
   * @return a message if it was lost: an update rebuilds it
   */
  public Optional<String> lostBeside(int dataset) {
    boolean others = !Presence.exists(paths.index())
        && summaries().anyMatch(summary -> !summary.equals(paths.summary(dataset)));
    return others ? Optional.of(paths.index() + " is missing, and is made again from the summaries; " + FORGOTTEN)
        : Optional.empty();
  }

  private Stream<Path> summaries() {
    return MetadataFiles.list(paths.scr(), "scr.dataset.*").stream().map(PrefixPaths::datasetOf)
        .flatMapToInt(OptionalInt::stream).mapToObj(paths::summary).filter(Files::exists);
  }

  /**
   * Changes the index durably, after a repair if necessary. A missing index starts with all datasets that have a
   * summary.
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

  /**
   * Copies and does not move: without an index, readers would take the prefix for empty. What is no file, or too large
   * for an index, is moved nevertheless.
   */
  private Path keepBadFile() {
    for (int n = 1; ; n++) {
      Path bad = paths.index().resolveSibling("index.scr.bad-" + n);
      if (!Presence.exists(bad)) {
        try {
          AtomicFile.replace(bad, RegularFile.bytes(paths.index(), MetadataFiles.MAX_INDEX_BYTES));
        } catch (RegularFile.WrongKindException _) {
          move(paths.index(), bad);
        } catch (IOException e) {
          throw Faults.io(bad, e);
        }
        return bad;
      }
    }
  }

  private static void move(Path from, Path to) {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw Faults.io(from, e);
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
    // of two datasets of one name the later one has overwritten the earlier one's files, independent of ids
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

  /** Message for a dataset with a directory but no summary: no flush of it ended. */
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
      if (descriptor.id() != id || !Presence.exists(paths.rankMap(id))) {
        remarks.add("dataset " + id + " left out: its summary is of another dataset, or its rank2file map is gone");
        return Optional.empty();
      }
      Optional<LocalDateTime> flushed = summary.get().complete() ? Optional.of(modified(file)) : Optional.empty();
      return Optional.of(
          new Index.Entry(descriptor, flushed.isPresent(), flushed, List.of(), Optional.empty()));
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

package io.vertxscr.service.cache;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.HeldPart;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankSeals;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.Seal;
import io.vertxscr.redundancy.range.RedundancyFiles;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.FileIdentity;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.Sealing;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks cached files and headers of redundancy files. What is as it was when it was sealed in this mount of the store
 * is right, and not read; all else is read against its checksums, and sealed. Thread-safe, blocking.
 *
 * <p>Bytes that change without a trace in the file system are found by the scrub, and by nobody before: a bad memory
 * cell, or a program that outlives its run and still has a file of a RAM disk mapped.
 */
final class RankChecks {
  private final DatasetStore store;
  private final InstantSource clock;

  /**
   * What was found.
   *
   * @param rank with the seals that it has now
   * @param files what is wrong with the files: CORRUPT, IO where they cannot be read
   * @param redundancy what is wrong with the redundancy file, the same
   */
  record Checked(RankRecord rank, Optional<ScrException> files, Optional<ScrException> redundancy) {}

  /** Files of one rank, and those of them that are sealed. */
  private record FilesChecked(Optional<ScrException> problem, List<Optional<Seal>> seals) {}

  /** @param clock that of the file system's times */
  RankChecks(DatasetStore store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
  }

  /**
   * Checks what is here of a rank. What was found damaged, or could not be synced once, is read whatever its times say:
   * bits change without any.
   *
   * @param everything whether sealed files are read, too
   */
  Checked check(DatasetKey dataset, RankRecord rank, boolean everything) {
    Sealing sealing = store.sealing(dataset.id(), clock.instant());
    boolean reads = everything || store.hasLostWrites(dataset.id())
        || store.damaged().problem(dataset, rank, HeldPart.FILES).isPresent();
    RankSeals known = reads ? RankSeals.NONE : sealing.valid(rank.seals());
    Path directory = store.directory(dataset.id());
    FilesChecked files = files(directory, rank.files(), known, sealing);
    if (rank.redundancy().isEmpty()) {
      return new Checked(rank.with(sealing.seals(files.seals, Optional.empty())), files.problem, Optional.empty());
    }
    Path redundancy = NodeDirectories.resolve(directory, rank.redundancy().get());
    Optional<FileIdentity> found = FileIdentity.of(redundancy);
    Optional<ScrException> problem = isSealed(known.redundancy(), found) ? Optional.empty() : headerProblem(redundancy);
    Optional<Seal> seal = problem.isPresent() ? Optional.empty() : seal(known.redundancy(), found, sealing);
    return new Checked(rank.with(sealing.seals(files.seals, seal)), files.problem, problem);
  }

  private static FilesChecked files(Path directory, RankFiles files, RankSeals known, Sealing sealing) {
    List<Optional<Seal>> seals = new ArrayList<>(files.files().size());
    for (int i = 0; i < files.files().size(); i++) {
      FileMeta file = files.files().get(i);
      Optional<FileIdentity> found = FileIdentity.of(NodeDirectories.resolve(directory, file.name()));
      boolean sealed = file.crc().isPresent() && isSealed(known.file(i), found);
      Optional<ScrException> problem = sealed ? Optional.empty() : problem(directory, file);
      if (problem.isPresent()) {
        return new FilesChecked(problem, List.of());
      }
      seals.add(seal(known.file(i), found, sealing));
    }
    return new FilesChecked(Optional.empty(), seals);
  }

  private static Optional<ScrException> problem(Path directory, FileMeta file) {
    try {
      return FileChecks.twice(() -> FileChecks.problemUnlessUnreadable(directory, file))
          .map(problem -> new ScrException(Fault.CORRUPT, problem));
    } catch (ScrException e) {
      return Optional.of(e);
    }
  }

  private static boolean isSealed(Optional<Seal> known, Optional<FileIdentity> found) {
    return known.isPresent() && known.equals(found.map(FileIdentity::seal));
  }

  /** Returns that which it has, or one that it can get: it was looked at before it was read. */
  private static Optional<Seal> seal(Optional<Seal> known, Optional<FileIdentity> found, Sealing sealing) {
    return isSealed(known, found) ? known : found.flatMap(sealing::of);
  }

  /** As with files, what fails is tried once more. */
  private static Optional<ScrException> headerProblem(Path redundancy) {
    Optional<ScrException> first = unreadable(redundancy);
    return first.isPresent() && first.get().fault() != Fault.CORRUPT ? unreadable(redundancy) : first;
  }

  private static Optional<ScrException> unreadable(Path redundancy) {
    try {
      RedundancyFiles.readHeader(redundancy);
      return Optional.empty();
    } catch (ScrException e) {
      return Optional.of(e);
    }
  }
}

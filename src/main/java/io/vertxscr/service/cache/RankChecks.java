package io.vertxscr.service.cache;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.FileIdentity;
import io.vertxscr.storage.NodeDirectories;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Reads cached files against their checksums. Remembers for a short time which ranks' files were right. They are
 * not read again meanwhile unless one was touched: inode, size, time of modification and of change
 * ({@link FileIdentity}). Thread-safe, blocking.
 *
 * <p>Bytes that change without a trace in the file system between a check and the read of the application are noticed
 * by nobody but the application: by a bad memory cell, or a program that outlives its run and still has a file of a RAM
 * disk mapped. That time is longer where a check is remembered, by {@link #VALID} at most. In memory only: a daemon
 * that has been started since reads everything.
 */
final class RankChecks {
  /** For how long a check holds. A relaunch follows the end of a run within seconds; a later one reads again. */
  static final Duration VALID = Duration.ofMinutes(2);

  private final LongSupplier nanoTime;
  private final InstantSource clock;
  private final Map<RankKey, Found> good = new ConcurrentHashMap<>();

  private record RankKey(DatasetKey dataset, int rank) {}

  /** @param files with their checksums, and as they were on disk: another list of files is another check */
  private record Found(RankFiles files, long identities, long atNs) {}

  /**
   * Remembers nothing yet.
   *
   * @param clock that of the file system's times
   */
  RankChecks(LongSupplier nanoTime, InstantSource clock) {
    this.nanoTime = nanoTime;
    this.clock = clock;
  }

  /** Returns what is wrong with a rank's files, in a sentence; empty if they are right. */
  Optional<String> problem(DatasetKey dataset, Path directory, RankFiles files) {
    RankKey key = new RankKey(dataset, files.rank());
    long beginNs = nanoTime.getAsLong();
    OptionalLong before = identities(directory, files);
    Found known = good.get(key);
    if (known != null && before.equals(OptionalLong.of(known.identities)) && known.files.equals(files)
        && beginNs - known.atNs < VALID.toNanos()) {
      return Optional.empty();
    }
    good.remove(key);
    Optional<String> problem = files.files().stream()
        .flatMap(file -> FileChecks.problem(directory, file).stream()).findFirst();
    if (problem.isEmpty() && before.isPresent() && before.equals(identities(directory, files))) {
      good.put(key, new Found(files, before.getAsLong(), beginNs));
    }
    return problem;
  }

  /** Forgets all checks: the next ones read. */
  void forget() {
    good.clear();
  }

  /** All of them in one number. Empty where one cannot be told, or changed too recently for its times to tell. */
  private OptionalLong identities(Path directory, RankFiles files) {
    long all = 1;
    for (FileMeta file : files.files()) {
      Optional<FileIdentity> identity = FileIdentity.of(NodeDirectories.resolve(directory, file.name()));
      if (identity.isEmpty() || !identity.get().isSettled(clock.instant())) {
        return OptionalLong.empty();
      }
      all = identity.get().mixedInto(all);
    }
    return OptionalLong.of(all);
  }
}

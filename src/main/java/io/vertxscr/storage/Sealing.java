package io.vertxscr.storage;

import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.FileMeta.Stamp;
import io.vertxscr.model.RankSeals;
import io.vertxscr.model.Seal;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Seals files of a store (docs/decisions/0023-sealed-files.md). A file is looked at first and read, or checked, then:
 * as long as it is what it was at the look, it has the bytes that were read. That holds only where each write from the
 * look on shows; no other file is sealed.
 */
public final class Sealing {
  /** Seals nothing: of a store whose files do not tell of each write. */
  static final Sealing NONE = new Sealing("", false, Instant.MIN);

  private final String mount;
  private final boolean exact;
  private final Instant now;

  /**
   * @param mount of the store ({@link MountIdentity}); empty where nobody tells
   * @param exact whether each write after a look gets a time of its own ({@link WriteTimes})
   * @param now before the looks
   */
  Sealing(String mount, boolean exact, Instant now) {
    this.mount = mount;
    this.exact = exact;
    this.now = now;
  }

  /** The seal of a file that is looked at now and not read yet. Empty where a write might not show. */
  public Optional<Seal> of(FileIdentity found) {
    return !mount.isEmpty() && (exact || found.isSettled(now)) ? Optional.of(found.seal()) : Optional.empty();
  }

  /** Returns what can be used of the seals of a filemap: nothing of another mount. */
  public RankSeals valid(RankSeals known) {
    return known.mount().equals(mount) ? known : RankSeals.NONE;
  }

  /** Seals of this mount. */
  public RankSeals seals(List<Optional<Seal>> files, Optional<Seal> redundancy) {
    return new RankSeals(mount, files, redundancy);
  }

  /** The seal of a file that this node has just made, and of which nobody else knows yet. */
  public Optional<Seal> made(Path file) {
    return exact && !mount.isEmpty() ? FileIdentity.of(file).map(FileIdentity::seal) : Optional.empty();
  }

  /**
   * Returns a rank with seals of its files. This node has just made them from bytes that had their checksums.
   *
   * @param directory where they are, that of the dataset or its draft
   */
  public RankRecord made(Path directory, RankRecord rank) {
    return rank.with(seals(rank.files().files().stream().map(file -> made(directory, file)).toList(),
        valid(rank.seals()).redundancy()));
  }

  private Optional<Seal> made(Path directory, FileMeta file) {
    return made(NodeDirectories.resolve(directory, file.name())).filter(found ->
        found.bytes() == file.bytes() && file.stamp().filter(stamp -> !isOf(stamp, found)).isEmpty());
  }

  private static boolean isOf(Stamp stamp, Seal found) {
    return stamp.modifiedSeconds() == found.modifiedSeconds() && stamp.modifiedNanos() == found.modifiedNanos();
  }
}

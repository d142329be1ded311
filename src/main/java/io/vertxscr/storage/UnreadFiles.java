package io.vertxscr.storage;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.FileMeta.Unread;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.Seal;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Files of a cache whose checksums are not known yet, since nobody has read them. They are known again by inode, size
 * and times ({@link FileIdentity}), of which each write changes one, as long as the machine runs. Blocking.
 *
 * <p>After another boot none of them is trusted: the attributes of a file may be on a disk, and its bytes not. Nor does
 * the time of change tell of a second write within one step of the kernel's clock, some milliseconds: who writes to a
 * file that it has just called complete may not be noticed.
 */
public final class UnreadFiles {
  /** A random id that the kernel of Linux draws when it starts. */
  private static final String BOOT = "/proc/sys/kernel/random/boot_id";

  private UnreadFiles() {}

  /**
   * Notes by what a rank's files are known again.
   *
   * @param measured with sizes and times
   * @return empty where that cannot be told: they have to be read
   * @throws ScrException FILE_CHANGED if a file is not as it was measured
   */
  public static Optional<RankFiles> note(Path datasetDirectory, RankFiles measured) {
    Optional<String> boot;
    try {
      boot = boot(datasetDirectory.getFileSystem());
    } catch (IOException _) {
      return Optional.empty();
    }
    List<FileMeta> noted = new ArrayList<>(measured.files().size());
    for (FileMeta file : measured.files()) {
      Optional<FileMeta> known = boot.isEmpty() ? Optional.empty() : note(datasetDirectory, file, boot.get());
      if (known.isEmpty()) {
        return Optional.empty();
      }
      noted.add(known.get());
    }
    return Optional.of(new RankFiles(measured.rank(), noted));
  }

  private static Optional<FileMeta> note(Path datasetDirectory, FileMeta file, String boot) {
    if (file.crc().isPresent() || file.unread().isPresent()) {
      return Optional.of(file);
    } else if (file.bytes() == 0) {
      return Optional.of(file.withCrc(0));
    }
    Path path = NodeDirectories.resolve(datasetDirectory, file.name());
    Optional<FileIdentity> found = FileIdentity.of(path);
    if (found.isEmpty() || found.get().seal().changedNanos() == 0) {
      return Optional.empty();                            // times in whole seconds tell too little
    }
    Seal seal = found.get().seal();
    FileMeta known = file.with(
        new Unread(boot, seal.device(), seal.inode(), seal.changedSeconds(), seal.changedNanos()));
    if (!isSame(known, seal)) {
      throw new ScrException(Fault.FILE_CHANGED, path + " was changed after its rank had called it complete");
    }
    return Optional.of(known);
  }

  private static boolean isSame(FileMeta file, Seal found) {
    Unread known = file.unread().orElseThrow();
    return found.device() == known.device() && found.inode() == known.inode() && found.bytes() == file.bytes()
        && found.changedSeconds() == known.changedSeconds() && found.changedNanos() == known.changedNanos()
        && file.stamp().filter(stamp -> found.modifiedSeconds() != stamp.modifiedSeconds()
            || found.modifiedNanos() != stamp.modifiedNanos()).isEmpty();
  }

  /**
   * Returns why an unread file is not the one that was noted, in a sentence; empty if it is.
   *
   * @throws ScrException IO if nobody can tell which boot this is
   */
  public static Optional<String> problem(Path path, FileMeta file) {
    Unread known = file.unread().orElseThrow();
    try {
      if (!boot(path.getFileSystem()).equals(Optional.of(known.boot()))) {
        return Optional.of(path + " had not been read when the machine went down, so nobody knows its checksum");
      }
    } catch (IOException e) {
      throw Faults.io(path.getFileSystem().getPath(BOOT), e);
    }
    return FileIdentity.of(path).filter(found -> isSame(file, found.seal())).isPresent() ? Optional.empty()
        : Optional.of(path + " was changed or replaced after it was complete, before its checksum was known");
  }

  /**
   * Reads an unread file for its checksum.
   *
   * @throws ScrException CORRUPT if it is not the one that was noted, or was changed meanwhile; IO
   */
  static int read(Path datasetDirectory, FileMeta file) {
    Path path = NodeDirectories.resolve(datasetDirectory, file.name());
    require(path, file);
    int crc = FileChecks.crc(path);
    require(path, file);
    return crc;
  }

  private static void require(Path path, FileMeta file) {
    problem(path, file).ifPresent(problem -> {
      throw new ScrException(Fault.CORRUPT, problem);
    });
  }

  /** Id of this boot of the machine; empty where nobody tells, or it cannot be read. */
  static String bootOrNone(FileSystem of) {
    try {
      return boot(of).orElse("");
    } catch (IOException _) {
      return "";
    }
  }

  static Optional<String> boot(FileSystem of) throws IOException {
    try {
      return Optional.of(Files.readString(of.getPath(BOOT)).strip()).filter(id -> !id.isEmpty());
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
  }
}

package io.vertxscr.storage;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.FileMeta.Unread;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.Seal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Files of a cache whose checksums are not known yet, since nobody has read them. They are known again by inode, size
 * and times ({@link FileIdentity}), of which each write changes one, as long as the file system is mounted
 * ({@link MountIdentity}). Blocking.
 *
 * <p>In another mount none of them is trusted: the attributes of a file may be on a disk, and its bytes not. Nor does
 * the time of change tell of a second write within one step of the kernel's clock, some milliseconds: who writes to a
 * file that it has just called complete may not be noticed.
 */
public final class UnreadFiles {
  private UnreadFiles() {}

  /**
   * Notes by what a rank's files are known again.
   *
   * @param measured with sizes and times
   * @return empty where that cannot be told: they have to be read
   * @throws ScrException FILE_CHANGED if a file is not as it was measured
   */
  public static Optional<RankFiles> note(Path datasetDirectory, RankFiles measured) {
    String mount;
    long device;
    try {
      Optional<MountIdentity> mounts = MountIdentity.on(datasetDirectory.getFileSystem());
      if (mounts.isEmpty()) {
        return Optional.empty();
      }
      device = MountIdentity.device(datasetDirectory);
      mount = mounts.get().of(device);
    } catch (IOException _) {
      return Optional.empty();
    }
    List<FileMeta> noted = new ArrayList<>(measured.files().size());
    for (FileMeta file : measured.files()) {
      Optional<FileMeta> known = note(datasetDirectory, file, device, mount);
      if (known.isEmpty()) {
        return Optional.empty();
      }
      noted.add(known.get());
    }
    return Optional.of(new RankFiles(measured.rank(), noted));
  }

  private static Optional<FileMeta> note(Path datasetDirectory, FileMeta file, long device, String mount) {
    if (file.crc().isPresent() || file.unread().isPresent()) {
      return Optional.of(file);
    } else if (file.bytes() == 0) {
      return Optional.of(file.withCrc(0));
    }
    Path path = NodeDirectories.resolve(datasetDirectory, file.name());
    Optional<FileIdentity> found = FileIdentity.of(path);
    if (found.isEmpty() || found.get().seal().changedNanos() == 0 || found.get().seal().device() != device) {
      return Optional.empty();                            // times in whole seconds, and other mounts, tell too little
    }
    Seal seal = found.get().seal();
    FileMeta known = file.with(
        new Unread(mount, seal.device(), seal.inode(), seal.changedSeconds(), seal.changedNanos()));
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
   * @throws ScrException IO if nobody can tell, or which mount this is
   */
  public static Optional<String> problem(Path path, FileMeta file) {
    Unread known = file.unread().orElseThrow();
    if (known.mount().equals(Unread.LOST_WRITES)) {
      return Optional.of(path + " had not been read when a sync of its dataset failed, so nobody knows its checksum");
    }
    try {
      Optional<MountIdentity> mounts = MountIdentity.on(path.getFileSystem());
      if (mounts.isEmpty() || !mounts.get().of(known.device()).equals(known.mount())) {
        return Optional.of(path + " had not been read when the machine went down, or its file system was unmounted,"
            + " so nobody knows its checksum");
      }
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
    return FileIdentity.look(path).filter(found -> isSame(file, found.seal())).isPresent() ? Optional.empty()
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
}

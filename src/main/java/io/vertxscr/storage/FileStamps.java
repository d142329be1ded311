package io.vertxscr.storage;

import io.vertxscr.model.FileMeta.Stamp;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;

/**
 * Reads and sets mode and time of files. A copy is made readable and writable for its owner alone, and gets these when
 * it has its bytes: independent of the umask, a file without write permission can be resumed, and nobody reads what is
 * not whole. Blocking.
 */
public final class FileStamps {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
  private static final PosixFilePermission[] BITS = PosixFilePermission.values();

  private FileStamps() {}

  /** Opens a draft of an earlier attempt to resume it; it may have its mode already. */
  public static FileChannel reopen(Path file) throws IOException {
    if (Files.isSymbolicLink(file)) {
      throw new NoSuchFileException(file.toString(), null, "is a link");
    }
    Files.setPosixFilePermissions(file, OWNER_ONLY);
    return FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
  }

  public static Stamp read(Path file) throws IOException {
    return of(Files.readAttributes(file, PosixFileAttributes.class));
  }

  /** Returns the stamp of a file's attributes. */
  public static Stamp of(PosixFileAttributes attributes) {
    int mode = 0;
    for (PosixFilePermission permission : attributes.permissions()) {
      mode |= bit(permission);
    }
    Instant modified = attributes.lastModifiedTime().toInstant();
    return new Stamp(mode, modified.getEpochSecond(), modified.getNano());
  }

  /**
   * Sets mode and time of a completed file. The caller syncs it after this. A file system that has no such modes or
   * times keeps what it can.
   */
  public static void apply(Stamp stamp, Path file) throws IOException {
    Files.setLastModifiedTime(
        file, FileTime.from(Instant.ofEpochSecond(stamp.modifiedSeconds(), stamp.modifiedNanos())));
    Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
    for (PosixFilePermission permission : BITS) {
      if ((stamp.mode() & bit(permission)) != 0) {
        permissions.add(permission);
      }
    }
    Files.setPosixFilePermissions(file, permissions);
  }

  /** They are declared in the order of a mode's bits, the highest first. */
  private static int bit(PosixFilePermission permission) {
    return 1 << (BITS.length - 1 - permission.ordinal());
  }
}

package io.vertxscr.storage;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Tells a mount of a file system from the next one. What was written is known by its attributes only as long as one
 * kernel has the file system mounted: when it mounts it again, the attributes may be those of the disk, and the bytes
 * not, for they are written at different times. Blocking.
 *
 * <p>That is the id of the machine's boot, which the kernel of Linux draws when it starts, and for file systems of
 * block devices the inode of what sysfs tells of the mounted file system: a directory that is made by the mount and
 * removed behind the last unmount, and whose numbers are not used again. It is the same in all containers. Mounts of
 * others are told apart by the boot alone.
 */
final class MountIdentity {
  private static final String BOOT = "/proc/sys/kernel/random/boot_id";
  private static final String DEVICES = "/sys/dev/block";
  private static final List<String> TYPES = List.of("/sys/fs/ext4", "/sys/fs/xfs", "/sys/fs/f2fs");

  private final FileSystem files;
  private final String boot;

  private MountIdentity(FileSystem files, String boot) {
    this.files = files;
    this.boot = boot;
  }

  /** Tells mounts of a machine apart during this boot, whose id is read once. Empty where nobody tells it. */
  static Optional<MountIdentity> on(FileSystem files) throws IOException {
    try {
      String boot = Files.readString(files.getPath(BOOT)).strip();
      return boot.isEmpty() ? Optional.empty() : Optional.of(new MountIdentity(files, boot));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
  }

  /** That of the file system that a file or directory is in. */
  String of(Path there) throws IOException {
    return of(device(there));
  }

  /** The same of the file system with this number. */
  String of(long device) throws IOException {
    return boot + mount(device);
  }

  /** Number of the file system that a file or directory is in, as in {@code stat}. */
  static long device(Path there) throws IOException {
    try {
      return ((Number) Files.getAttribute(there, "unix:dev")).longValue();
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      throw new IOException(there + " is in a file system that has no number", e);
    }
  }

  private String mount(long device) throws IOException {
    try {
      Path name = Files.readSymbolicLink(files.getPath(DEVICES, major(device) + ":" + minor(device))).getFileName();
      for (String type : TYPES) {
        Path mounted = files.getPath(type).resolve(name);
        if (Files.isDirectory(mounted)) {
          return "/" + Files.getAttribute(mounted, "unix:ino");
        }
      }
    } catch (NoSuchFileException _) {
      // of no block device, or a machine without sysfs
    }
    return "";
  }

  private static long major(long device) {
    return device >>> 8 & 0xfff | device >>> 32 & ~0xfffL;
  }

  private static long minor(long device) {
    return device & 0xff | device >>> 12 & ~0xffL;
  }
}

package io.vertxscr.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Set;

/**
 * Opens files of a node's own directories, and drafts. Never through a link; what is created has mode 0600,
 * independent of the umask. Blocking.
 */
public final class OwnFile {
  private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
  private static final FileAttribute<?> FOR_OWNER = PosixFilePermissions.asFileAttribute(OWNER_ONLY);
  private static final Set<OpenOption> WRITE =
      Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
  private static final Set<OpenOption> CHANGE = Set.of(
      StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
  private static final Set<OpenOption> NEW = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

  private OwnFile() {}

  /** Opens a file for writing, with the content it has; creates it if it is missing. */
  public static FileChannel write(Path file) throws IOException {
    return FileChannel.open(file, WRITE, FOR_OWNER);
  }

  /** Opens a file for reading and writing; creates it if it is missing. */
  public static FileChannel change(Path file) throws IOException {
    return FileChannel.open(file, CHANGE, FOR_OWNER);
  }

  /** Opens a file for writing that is there, and closes it to others, as earlier releases did not. */
  static FileChannel reopen(Path file) throws IOException {
    FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    try {
      Files.setPosixFilePermissions(file, OWNER_ONLY);
      return channel;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /** Creates a file, which must not be there. */
  public static FileChannel create(Path file) throws IOException {
    return FileChannel.open(file, NEW, FOR_OWNER);
  }

  /**
   * Opens a file of a directory for reading, where no level from the directory on is a link.
   *
   * @param file below the directory, by its path
   * @throws FileSystemException naming what is a link, or no file
   */
  public static FileChannel readBelow(Path directory, Path file) throws IOException {
    return readBelow(directory, file, new HashSet<>());
  }

  /**
   * The same for one of many files.
   *
   * @param levels that have been looked at already; added to
   */
  static FileChannel readBelow(Path directory, Path file, Set<Path> levels) throws IOException {
    requireBelow(directory, file, levels);
    return RegularFile.read(file);
  }

  /** Refuses a file below a link. @param levels that have been looked at already; added to */
  static void requireBelow(Path directory, Path file, Set<Path> levels) throws IOException {
    for (Path level = file.getParent(); level.startsWith(directory) && levels.add(level); level = level.getParent()) {
      if (!Files.readAttributes(level, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).isDirectory()) {
        throw new FileSystemException(level.toString(), null, "this is a link, or no directory, and is not followed");
      }
    }
  }

  /** Opens a file for reading. */
  public static FileChannel read(Path file) throws IOException {
    return FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
  }
}

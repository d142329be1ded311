package io.vertxscr.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.Set;

/**
 * Opens files where others may have put something else: a link, a FIFO, a device, a directory. Blocking.
 *
 * <p>What is there is looked at before it is opened, because the open itself of a FIFO blocks, and NIO has no
 * O_NONBLOCK. So who can change the directory between the two can still have a thread wait; a link is never followed.
 */
public final class RegularFile {
  private static final Set<OpenOption> CHANGE = Set.of(
      StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
  private static final Set<OpenOption> APPEND = Set.of(
      StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS);

  private RegularFile() {}

  /**
   * What is there is a link, a FIFO, a socket, a device or giant. It says nothing, as a damaged file. Not a directory:
   * that is an error of the file system as any other, after which nobody may take the file for empty.
   */
  public static final class WrongKindException extends FileSystemException {
    private static final long serialVersionUID = 1L;

    WrongKindException(Path file, String how) {
      super(file.toString(), null, how);
    }
  }

  /** Opens a file for reading. @throws NoSuchFileException, WrongKindException, IOException */
  public static FileChannel read(Path file) throws IOException {
    require(file);
    return FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
  }

  /** Opens a file for reading and writing, with the content it has; creates it if it is missing. */
  public static FileChannel change(Path file) throws IOException {
    requireIfThere(file);
    return FileChannel.open(file, CHANGE);
  }

  /** Opens a file to append to it; creates it if it is missing. */
  public static FileChannel append(Path file) throws IOException {
    requireIfThere(file);
    return FileChannel.open(file, APPEND);
  }

  /**
   * Reads a whole file.
   *
   * @param mostBytes that it may have, below 2 GiB
   * @throws NoSuchFileException if there is none
   * @throws WrongKindException also if it is larger
   */
  public static byte[] bytes(Path file, long mostBytes) throws IOException {
    try (FileChannel channel = read(file)) {
      long bytes = channel.size();
      if (bytes > mostBytes) {
        throw new WrongKindException(file, bytes + " bytes are too many, at most " + mostBytes + " are read");
      }
      ByteBuffer into = ByteBuffer.allocate((int) bytes);
      while (into.hasRemaining() && channel.read(into) >= 0) {
        // Continues the partial read.
      }
      return into.hasRemaining() ? Arrays.copyOf(into.array(), into.position()) : into.array();
    }
  }

  private static void requireIfThere(Path file) throws IOException {
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      require(file);
    }
  }

  private static void require(Path file) throws IOException {
    BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (found.isDirectory()) {
      throw new FileSystemException(file.toString(), null, "this is a directory, not a file");
    } else if (!found.isRegularFile()) {
      throw new WrongKindException(file, found.isSymbolicLink() ? "this is a link, which is not followed"
          : "this is a FIFO, a socket or a device, not a file");
    }
  }
}

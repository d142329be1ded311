package io.vertxscr.storage;

import io.vertxscr.model.FileMeta;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.zip.CRC32;

/** Compares files with their registered metadata. Blocking: transfer threads only. */
public final class FileChecks {
  private FileChecks() {}

  /**
   * CRC-32 of a whole file as it is now.
   *
   * @throws ScrException IO
   */
  public static int crc(Path path) {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      var crc = new CRC32();
      ByteBuffer buffer = PieceBuffers.first();
      while (channel.read(buffer) >= 0) {
        crc.update(buffer.flip());
        buffer.clear();
      }
      return (int) crc.getValue();
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }

  /**
   * CRC-32 of a part of a file; of what there is, where the file ends before that.
   *
   * @throws ScrException IO
   */
  public static int crc(Path path, long from, long bytes) {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      var crc = new CRC32();
      long end = from + bytes;
      for (long at = from; at < end; ) {
        ByteBuffer buffer = PieceBuffers.first(end - at);
        int count = channel.read(buffer, at);
        if (count < 0) {
          break;
        }
        at += count;
        crc.update(buffer.flip());
      }
      return (int) crc.getValue();
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }

  /** As {@link #problem}, by the size alone, and what an unread file is known by: no file is read. */
  public static Optional<String> sizeProblem(Path datasetDirectory, FileMeta meta) {
    return problem(datasetDirectory, meta.withoutCrc());
  }

  /**
   * Returns the mismatch of a file in a sentence; empty if it is correct. Reads the file only if its size is right and
   * its checksum known; an unread one must be untouched ({@link UnreadFiles}). A file that cannot be read is as bad as
   * one with other bytes; an operation of the file system that fails is tried once more.
   */
  public static Optional<String> problem(Path datasetDirectory, FileMeta meta) {
    Path path = NodeDirectories.resolve(datasetDirectory, meta.name());
    try {
      return twice(() -> deviation(path, meta));
    } catch (ScrException e) {
      return Optional.of(e.getMessage());
    }
  }

  /**
   * Looks once more where a look fails: it may have been a fault of the moment.
   *
   * @throws ScrException of the second one
   */
  public static <T> T twice(Supplier<T> look) {
    try {
      return look.get();
    } catch (ScrException _) {
      return look.get();
    }
  }

  /**
   * As {@link #problem}, by one look; a file that cannot be read now is not a bad one.
   *
   * @throws ScrException IO
   */
  public static Optional<String> problemUnlessUnreadable(Path directory, FileMeta meta) {
    return deviation(NodeDirectories.resolve(directory, meta.name()), meta);
  }

  private static Optional<String> deviation(Path path, FileMeta meta) {
    Optional<BasicFileAttributes> file = Presence.look(path).filter(BasicFileAttributes::isRegularFile);
    if (file.isEmpty()) {
      return Optional.of(path + " is missing");
    }
    if (file.get().size() != meta.bytes()) {
      return Optional.of(path + " has " + file.get().size() + " bytes instead of " + meta.bytes());
    }
    return meta.crc().isPresent() ? wrongCrc(path, crc(path), meta.crc().getAsInt())
        : meta.unread().isPresent() ? UnreadFiles.problem(path, meta) : Optional.empty();
  }

  /** Returns the message of {@link #problem} for a computed checksum; empty if it matches. */
  public static Optional<String> wrongCrc(Path path, int found, int expected) {
    return found == expected ? Optional.empty() : Optional.of(mismatch(path, found, expected));
  }

  static String mismatch(Path path, int found, int expected) {
    return "%s has checksum 0x%08x instead of 0x%08x".formatted(path, found, expected);
  }
}

package io.vertxscr.storage;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.zip.CRC32;

/**
 * All files of a rank in memory, one after the other, as its logical file has them. Immutable as long as nobody changes
 * the bytes.
 *
 * @param files with their checksums
 * @param bytes of all of them
 */
public record RankInMemory(RankFiles files, byte[] bytes) {
  /**
   * Reads a rank's files, which are few and small. Blocking.
   *
   * @param measured with the lengths that they have, each a regular file
   * @return empty where one cannot be read, or is not as long any more
   */
  public static Optional<RankInMemory> read(Path datasetDirectory, RankFiles measured) {
    ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(measured.bytes()) + 1);
    Set<Path> levels = new HashSet<>();
    List<FileMeta> checked = new ArrayList<>(measured.files().size());
    for (FileMeta file : measured.files()) {
      int begin = all.position();
      if (file.bytes() > 0 && !isRead(datasetDirectory, file, levels, all)) {
        return Optional.empty();
      }
      checked.add(file.withCrc(crc(all.array(), begin, all.position() - begin)));
    }
    byte[] bytes = new byte[all.position()];
    all.flip().get(bytes);
    return Optional.of(new RankInMemory(new RankFiles(measured.rank(), checked), bytes));
  }

  /** One byte more than the file has is asked for, so that a longer one shows. */
  private static boolean isRead(Path directory, FileMeta file, Set<Path> levels, ByteBuffer into) {
    int end = into.position() + Math.toIntExact(file.bytes());
    Path path = NodeDirectories.resolve(directory, file.name());
    try {
      OwnFile.requireBelow(directory, path, levels);
      try (FileChannel channel = OwnFile.read(path)) {
        into.limit(end + 1);
        int count = 0;
        while (count >= 0 && into.position() < end) {
          count = channel.read(into);
        }
      }
    } catch (IOException _) {
      return false;
    }
    into.limit(into.capacity());
    return into.position() == end;
  }

  /**
   * Files that another node has sent.
   *
   * @throws ScrException BAD_REQUEST if the bytes are not those that the checksums are of
   */
  public static RankInMemory received(RankFiles files, byte[] bytes) {
    RankInMemory received = new RankInMemory(files, bytes);
    if (!received.isWhole()) {
      throw new ScrException(Fault.BAD_REQUEST, "the small files of rank " + files.rank() + " came with other bytes");
    }
    return received;
  }

  private boolean isWhole() {
    int begin = 0;
    for (FileMeta file : files.files()) {
      if (file.bytes() < 0 || file.bytes() > bytes.length - begin || file.crc().isEmpty()
          || file.crc().getAsInt() != crc(bytes, begin, (int) file.bytes())) {
        return false;
      }
      begin += (int) file.bytes();
    }
    return begin == bytes.length;
  }

  private static int crc(byte[] bytes, int begin, int count) {
    CRC32 crc = new CRC32();
    crc.update(bytes, begin, count);
    return (int) crc.getValue();
  }
}

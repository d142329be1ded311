package io.vertxscr.redundancy;

import io.vertxscr.storage.Faults;
import io.vertxscr.storage.OwnFile;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;

/**
 * Writes parity rows of other members contiguously to a file that exists until they have pulled them. It is not synced:
 * it is useless after a crash. Not thread-safe.
 */
final class SharedParityFile implements AutoCloseable {
  private final Path path;
  private final long rowBytes;
  private final FileChannel channel;
  private final List<CRC32> crcs = new ArrayList<>();

  /** @param path a recycled file may stand there, to be written over */
  SharedParityFile(Path path, int rows, long rowBytes) throws IOException {
    this.path = path;
    this.rowBytes = rowBytes;
    for (int row = 0; row < rows; row++) {
      crcs.add(new CRC32());
    }
    Trees.make(path.getParent());
    channel = OwnFile.write(path);
    try {
      channel.truncate(rows * rowBytes);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /** Writes the next bytes of every row. */
  void write(List<ByteBuffer> rows, long at) throws IOException {
    for (int row = 0; row < rows.size(); row++) {
      ByteBuffer bytes = rows.get(row);
      crcs.get(row).update(bytes.duplicate());
      for (long offset = row * rowBytes + at; bytes.hasRemaining(); ) {
        offset += channel.write(bytes, offset);
      }
    }
  }

  /** Returns the announcement for the other members after all is written. */
  FinishedParity finished(int rank) {
    return new FinishedParity(rank, name(path), crcs.stream().map(crc -> (int) crc.getValue()).toList());
  }

  /** Path of the shared rows, beside a redundancy file {@code .scr/g<n>/<name>}: {@code .scr/lent/g<n>.<name>}. */
  static Path beside(Path redundancyFile) {
    Path generation = redundancyFile.getParent();
    return generation.resolveSibling("lent").resolve(generation.getFileName() + "." + redundancyFile.getFileName());
  }

  private static String name(Path path) {
    int components = path.getNameCount();
    return String.join("/", Arrays.asList(path.getName(components - 3).toString(),
        path.getName(components - 2).toString(), path.getName(components - 1).toString()));
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }
}

package io.vertxscr.redundancy.range;

import io.vertxscr.storage.LogicalFile;
import java.nio.ByteBuffer;

/** A range of a rank's files, read from a disk of this host. */
final class FilesStream implements RangeStream {
  private final LogicalFile file;
  private long offset;

  FilesStream(LogicalFile file, long offset) {
    this.file = file;
    this.offset = offset;
  }

  @Override
  public void read(ByteBuffer into) {
    int bytes = into.remaining();
    file.read(into, offset);
    offset += bytes;
  }

  @Override
  public void close() {
    file.close();
  }
}

package io.vertxscr.prefix.copy.extent;

import io.vertxscr.storage.PieceBuffers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32;

/**
 * Copies a stretch of a file to the same place of another one, a piece at a time, with its checksum. Its creator owns
 * the channels. For threads that move bulk bytes, one at a time.
 */
final class StretchCopy {
  private final SourceFile source;
  private final FileChannel in;
  private final FileChannel out;
  private final Meter meter;
  private final CRC32 sum = new CRC32();
  private long at;
  private long left;

  StretchCopy(SourceFile source, FileChannel in, FileChannel out, long begin, long bytes, Meter meter) {
    this.source = source;
    this.in = in;
    this.out = out;
    this.meter = meter;
    this.at = begin;
    this.left = bytes;
  }

  /**
   * Copies while the meter admits it.
   *
   * @return whether all is copied
   * @throws io.vertxscr.model.ScrException CORRUPT where the source ends before that
   * @throws IOException of the other file
   */
  boolean resume() throws IOException {
    while (left > 0) {
      ByteBuffer buffer = PieceBuffers.first(left);
      if (!meter.admits(buffer.remaining())) {
        return false;
      }
      source.read(in, buffer, at);
      buffer.flip();
      sum.update(buffer);
      buffer.rewind();
      meter.passing(buffer.remaining());
      left -= buffer.remaining();
      while (buffer.hasRemaining()) {
        at += out.write(buffer, at);
      }
    }
    return true;
  }

  /** The checksum of what was read so far. */
  int crc() {
    return (int) sum.getValue();
  }
}

package io.vertxscr.redundancy.range;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.OwnFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** A range of one file on this host: of a redundancy file's payload, or of finished parity. */
final class PayloadStream implements RangeStream {
  private final Path path;
  private final FileChannel channel;
  private long at;

  private PayloadStream(Path directory, Path path, long offset, boolean behindHeader) {
    this.path = path;
    try {
      channel = OwnFile.readBelow(directory, path);
      boolean ready = false;
      try {
        at = offset + (behindHeader ? RedundancyFiles.payloadOffset(path, channel) : 0);
        ready = true;
      } finally {
        if (!ready) {
          channel.close();
        }
      }
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }

  /** From so many bytes behind the header on. @param directory that of the dataset */
  static PayloadStream behindHeader(Path directory, Path path, long offset) {
    return new PayloadStream(directory, path, offset, true);
  }

  /** From so many bytes behind the begin on. */
  static PayloadStream of(Path directory, Path path, long offset) {
    return new PayloadStream(directory, path, offset, false);
  }

  @Override
  public void read(ByteBuffer into) {
    try {
      while (into.hasRemaining()) {
        int count = channel.read(into, at);
        if (count < 0) {
          throw new ScrException(Fault.CORRUPT, path + " ends at byte " + at + ", before the range that is asked for");
        }
        at += count;
      }
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
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

package io.vertxscr.redundancy.range;

import io.vertxscr.format.HashFile;
import io.vertxscr.format.RedundancyHeaderFile;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.OwnFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/** Redundancy files on this node's disk: what they are called, and what stands in front of them. */
public final class RedundancyFiles {
  private RedundancyFiles() {}

  /**
   * Name of the redundancy file that a rank writes, relative to the dataset's directory.
   *
   * @param generation counts up with every new protection of the dataset on this node, from 1
   */
  public static String name(int generation, Scheme scheme, RedundancySet set, int rank) {
    return ".scr/g" + generation + "/" + set.fileName(rank, scheme);
  }

  /**
   * Reads and checks the header.
   *
   * @throws ScrException CORRUPT where there is no sealed redundancy file, also if there is none at all; IO
   */
  public static RedundancyHeader readHeader(Path path) {
    ByteBuffer header;
    try (FileChannel channel = OwnFile.read(path)) {
      header = ByteBuffer.allocate(Math.toIntExact(payloadOffset(path, channel)));
      readFully(channel, header);
    } catch (NoSuchFileException _) {
      throw new ScrException(Fault.CORRUPT, path + " is missing");
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
    try {
      return RedundancyHeaderFile.decode(header.flip());
    } catch (ScrException e) {
      throw new ScrException(e.fault(), path + ": " + e.getMessage(), e);
    }
  }

  /**
   * Position of the redundancy bytes in a file.
   *
   * @param offset of the first, behind the header
   */
  public record Payload(long offset, long bytes) {}

  /** Finds them; of the header only its length is looked at. @throws ScrException CORRUPT, IO */
  public static Payload payload(Path path) {
    try (FileChannel channel = OwnFile.read(path)) {
      long offset = payloadOffset(path, channel);
      return new Payload(offset, channel.size() - offset);
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }

  /** Returns the offset of the redundancy bytes, without verifying the header's checksum. */
  static long payloadOffset(Path path, FileChannel channel) throws IOException {
    ByteBuffer start = ByteBuffer.allocate(HashFile.HEADER_BYTES);
    readFully(channel, start);
    long bytes;
    try {
      bytes = RedundancyHeaderFile.sizeOf(Arrays.copyOf(start.array(), start.position()));
    } catch (ScrException e) {
      throw new ScrException(e.fault(), path + ": " + e.getMessage(), e);
    }
    if (bytes > channel.size()) {
      throw new ScrException(Fault.CORRUPT, path + " has " + channel.size() + " bytes, its header alone says " + bytes);
    }
    return bytes;
  }

  /** Reads from the front until the buffer is full or the file ends. */
  private static void readFully(FileChannel channel, ByteBuffer into) throws IOException {
    while (into.hasRemaining() && channel.read(into, into.position()) >= 0) {
      // Continues the partial read.
    }
  }
}

package io.vertxscr.redundancy;

import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.HeldPart;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.redundancy.range.RedundancyFiles;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.OwnFile;
import io.vertxscr.storage.PieceBuffers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.zip.CRC32;

/**
 * Reads all that a node holds of a dataset, piece by piece, and compares it with its checksums. What differs, or cannot
 * be read, is read once more before it is told. Files may be replaced meanwhile: who uses the deviations looks whether
 * the filemap still names the same. Blocking, on one thread at a time.
 */
public final class DatasetCheck {
  private final Path directory;
  private final Scheme scheme;
  private final Queue<PartCheck> parts = new ArrayDeque<>();
  private final List<Deviation> deviations = new ArrayList<>();
  private PartCheck part;

  /**
   * Something that is not as it should be.
   *
   * @param problem in a sentence
   * @param unread whether it could not be read, so that nobody knows whether its bytes are right
   * @param learned the checksum of parity that had none so far: nothing is wrong with it as far as anybody knows
   */
  public record Deviation(RankRecord rank, HeldPart part, String problem, boolean unread, OptionalInt learned) {}

  /** A range of a file, and the checksum that it should have; empty where nobody knows. */
  private record Checked(Path file, long offset, long bytes, OptionalInt crc) {}

  /** What is checked of one rank: files or redundancy, up to the first that is wrong. */
  private static final class PartCheck {
    final RankRecord rank;
    final HeldPart part;
    final Queue<Checked> ranges = new ArrayDeque<>();
    final CRC32 crc = new CRC32();
    final boolean isSecondTry;
    boolean begun;
    long done;

    PartCheck(RankRecord rank, HeldPart part, boolean isSecondTry) {
      this.rank = rank;
      this.part = part;
      this.isSecondTry = isSecondTry;
    }
  }

  /** Nothing is read yet. @param directory of the dataset */
  public DatasetCheck(DatasetRecord record, Path directory) {
    this.directory = directory;
    this.scheme = record.scheme();
    for (RankRecord rank : record.ranks()) {
      parts.add(new PartCheck(rank, HeldPart.FILES, false));
      rank.redundancy().ifPresent(_ -> parts.add(new PartCheck(rank, HeldPart.REDUNDANCY, false)));
    }
    part = parts.poll();
  }

  /** Whether all is read. */
  public boolean isDone() {
    return part == null;
  }

  /** What was found since the last call. */
  public List<Deviation> takeDeviations() {
    List<Deviation> taken = List.copyOf(deviations);
    deviations.clear();
    return taken;
  }

  /** Reads the next piece, within one file, and what costs nothing before it. @return its bytes; 0: all is read */
  public int read() {
    int count = 0;
    while (part != null && count == 0) {
      try {
        count = step();
      } catch (IOException e) {
        failed(Faults.io(directory, e));
      } catch (ScrException e) {
        failed(e);
      }
    }
    return count;
  }

  private int step() throws IOException {
    if (!part.begun) {
      part.begun = true;
      begin();
      return 0;
    }
    Checked range = part.ranges.peek();
    if (range == null) {
      part = parts.poll();
      return 0;
    }
    int count = 0;
    if (range.bytes > 0) {
      try (FileChannel channel = OwnFile.readBelow(directory, range.file)) {
        count = piece(channel, range, part.done, part.crc);
      }
    }
    part.done += count;
    if (part.done == range.bytes) {
      compare(range);
    }
    return count;
  }

  private void begin() {
    if (part.part == HeldPart.FILES) {
      for (FileMeta meta : part.rank.files().files()) {
        Optional<String> wrong = FileChecks.problemUnlessUnreadable(directory, meta.withoutCrc());
        if (wrong.isPresent()) {
          bad(wrong.get());
          return;
        }
        if (meta.crc().isPresent()) {
          part.ranges.add(new Checked(NodeDirectories.resolve(directory, meta.name()), 0, meta.bytes(), meta.crc()));
        }
      }
    } else {
      redundancy(NodeDirectories.resolve(directory, part.rank.redundancy().orElseThrow()));
    }
  }

  /** The header is small, and read here; behind it is parity, or copies of which it has the checksums. */
  private void redundancy(Path file) {
    RedundancyHeader header = RedundancyFiles.readHeader(file);
    RedundancyFiles.Payload payload = RedundancyFiles.payload(file);
    if (scheme != Scheme.PARTNER) {
      part.ranges.add(new Checked(file, payload.offset(), payload.bytes(), part.rank.redundancyCrc()));
      return;
    }
    long at = payload.offset();
    for (RankFiles copied : header.partners()) {
      for (FileMeta meta : copied.files()) {
        part.ranges.add(new Checked(file, at, meta.bytes(), meta.crc()));
        at += meta.bytes();
      }
    }
    if (at != payload.offset() + payload.bytes()) {
      bad(file + " has " + payload.bytes() + " bytes behind its header, which speaks of " + (at - payload.offset()));
    }
  }

  private void compare(Checked range) throws IOException {
    int found = (int) part.crc.getValue();
    part.crc.reset();
    part.done = 0;
    if (range.crc.isEmpty()) {
      deviations.add(new Deviation(part.rank, part.part, "", false, OptionalInt.of(found)));
    } else if (found != range.crc.getAsInt()) {
      int again = crc(range);
      if (again != range.crc.getAsInt()) {
        bad(FileChecks.wrongCrc(range.file, again, range.crc.getAsInt()).orElseThrow()
            + (range.offset == 0 ? "" : ", from byte " + range.offset + " on"));
        return;
      }
    }
    part.ranges.remove();
  }

  private int crc(Checked range) throws IOException {
    CRC32 crc = new CRC32();
    try (FileChannel channel = OwnFile.readBelow(directory, range.file)) {
      for (long at = 0; at < range.bytes; ) {
        at += piece(channel, range, at, crc);
      }
    }
    return (int) crc.getValue();
  }

  private static int piece(FileChannel channel, Checked range, long from, CRC32 into) throws IOException {
    ByteBuffer buffer = PieceBuffers.first(range.bytes - from);
    int count = channel.read(buffer, range.offset + from);
    if (count < 0) {
      throw new ScrException(
          Fault.CORRUPT, range.file + " ends at byte " + (range.offset + from) + ", before it should");
    }
    into.update(buffer.flip());
    return count;
  }

  /** It may have been the only operation that fails. */
  private void failed(ScrException problem) {
    if (part.isSecondTry) {
      bad(problem.getMessage(), problem.fault() == Fault.IO);
    } else {
      part = new PartCheck(part.rank, part.part, true);
    }
  }

  private void bad(String problem) {
    bad(problem, false);
  }

  private void bad(String problem, boolean unread) {
    deviations.add(new Deviation(part.rank, part.part, problem, unread, OptionalInt.empty()));
    part = parts.poll();
  }
}

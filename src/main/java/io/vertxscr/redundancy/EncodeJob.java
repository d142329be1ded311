package io.vertxscr.redundancy;

import io.vertxscr.format.HashFile;
import io.vertxscr.format.RedundancyHeaderFile;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.redundancy.range.RangeSource;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.PieceBuffers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Protects a dataset for one rank: pulls what its redundancy file is made of, and takes the checksums of all bytes that
 * pass. Blocking, on one thread at a time.
 *
 * <p>The header can only be written when all readers have told their checksums, so it comes last ({@link #seal}), in
 * the space that was left for it; a file without its header is no redundancy file. With that order on disk, a crash can
 * leave a file that lacks its header but none that lacks its bytes.
 */
public final class EncodeJob implements AutoCloseable {
  private final EncodePlan plan;
  private final RangeSource source;
  private final Path target;
  private FileChannel channel;
  private long headerBytes;
  private boolean sealed;

  /**
   * @param target the redundancy file; a recycled one may stand there, to be written over. Not used where the plan
   *     writes no redundancy
   */
  public EncodeJob(EncodePlan plan, RangeSource source, Path target) {
    this.plan = plan;
    this.source = source;
    this.target = target;
  }

  /**
   * Reads everything and writes the redundancy bytes.
   *
   * @return checksums of all file pieces that were read, those of other ranks among them
   * @throws ScrException what the source throws (FILE_CHANGED, NODE_LOST, ...), NO_SPACE, IO
   */
  public List<PieceChecksum> run() {
    List<PieceMeter> meters = new ArrayList<>();
    try (Fold fold = new Fold(source)) {
      if (plan.writesRedundancy()) {
        open();
      }
      List<RangeRequest> requests = plan.requests();
      for (RangeRequest request : requests) {
        var meter = new PieceMeter(plan.layoutOf(request.rank()), request.offset(), request.bytes());
        fold.add(request, Optional.of(meter));
        meters.add(meter);
      }
      long end = Math.max(plan.payloadBytes(), requests.stream().mapToLong(RangeRequest::bytes).max().orElse(0));
      for (long at = 0; at < end; ) {
        ByteBuffer sum = PieceBuffers.first(end - at);
        fold.next(sum);
        at += sum.limit();
        if (channel != null) {
          write(sum, headerBytes + at - sum.limit());
        }
      }
    } catch (IOException e) {
      throw Faults.io(target, e);
    }
    return meters.stream().flatMap(meter -> meter.done().stream()).toList();
  }

  /**
   * Writes the header and makes the file durable. Does nothing where the plan writes no redundancy.
   *
   * @param checked files of this rank and of its left neighbours, with their checksums, in any order
   */
  public void seal(List<RankFiles> checked) {
    if (!plan.writesRedundancy()) {
      return;
    }
    byte[] header = RedundancyHeaderFile.encode(plan.header(find(checked, plan.rank()),
        plan.partners().stream().map(partner -> find(checked, partner)).toList()));
    if (channel == null || header.length != headerBytes) {
      throw new ScrException(Fault.INTERNAL,
          target + ": header of " + header.length + " bytes, expected " + headerBytes);
    }
    try {
      channel.force(true);
      write(ByteBuffer.wrap(header), 0);
      channel.force(true);
      forceDirectories();
      sealed = true;
    } catch (IOException e) {
      throw Faults.io(target, e);
    }
  }

  /**
   * Ends the job. What was not sealed is emptied; its name goes with the next eviction, or the next start of the node.
   */
  @Override
  public void close() {
    if (channel == null) {
      return;
    }
    try (FileChannel open = channel) {
      if (!sealed) {
        open.truncate(0);                 // not deleted by name: the path may be a later attempt's by now
      }
    } catch (IOException e) {
      throw Faults.io(target, e);
    } finally {
      channel = null;
    }
  }

  private void open() throws IOException {
    headerBytes = RedundancyHeaderFile.encodedBytes(plan.header(plan.layoutOf(plan.rank()),
        plan.partners().stream().map(plan::layoutOf).toList()));
    Files.createDirectories(target.getParent());
    channel = FileChannel.open(target, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    write(ByteBuffer.allocate(HashFile.HEADER_BYTES), 0);
    channel.truncate(headerBytes + plan.payloadBytes());
  }

  private void write(ByteBuffer from, long offset) throws IOException {
    for (long at = offset; from.hasRemaining(); ) {
      at += channel.write(from, at);
    }
  }

  /**
   * The file's name and those of the directories that were made for it: {@code scr.dataset.<id>/.scr/g<generation>}.
   */
  private void forceDirectories() throws IOException {
    Path directory = target.toAbsolutePath().getParent();
    for (int i = 0; i < 3 && directory != null; i++, directory = directory.getParent()) {
      try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
        names.force(true);
      }
    }
  }

  private RankFiles find(List<RankFiles> checked, int rank) {
    RankFiles found = checked.stream().filter(files -> files.rank() == rank).findFirst()
        .orElseThrow(() -> new ScrException(Fault.INTERNAL, "no checksums of rank " + rank));
    List<FileMeta> expected = plan.layoutOf(rank).files();
    boolean same = found.files().size() == expected.size();
    for (int i = 0; same && i < expected.size(); i++) {
      FileMeta file = found.files().get(i);
      same = file.crc().isPresent() && file.equals(expected.get(i).withCrc(file.crc().getAsInt()));
    }
    if (!same) {
      throw new ScrException(Fault.INTERNAL, "checksums of rank " + rank
          + " are not those of the files that were encoded");
    }
    return found;
  }
}

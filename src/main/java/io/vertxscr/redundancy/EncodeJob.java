package io.vertxscr.redundancy;

import io.vertxscr.coding.Crc32s;
import io.vertxscr.format.HashFile;
import io.vertxscr.format.RedundancyHeaderFile;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.redundancy.range.RangeSource;
import io.vertxscr.redundancy.range.RangeStream;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.PieceBuffers;
import io.vertxscr.storage.OwnFile;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.zip.CRC32;

/**
 * Protects a dataset for one rank. Pulls the inputs of its redundancy file and computes checksums in the same pass.
 * Blocking, on one thread at a time.
 *
 * <p>The header can only be written when all readers have told their checksums, so it comes last ({@link #seal}), in
 * the space that was left for it; a file without its header is no redundancy file. With that order on disk, a crash can
 * leave a file that lacks its header but none that lacks its bytes.
 */
public final class EncodeJob implements AutoCloseable {
  private final EncodePlan plan;
  private final RangeSource source;
  private final Path target;
  private final boolean syncs;
  private final List<RangeChecksums> copied = new ArrayList<>();
  private FileChannel channel;
  private long headerBytes;
  private Optional<FinishedParity> finished = Optional.empty();
  private final CRC32 computed = new CRC32();
  /** Of the parity, as far as it is written. */
  private int parityCrc;
  private boolean pulled;
  private boolean sealed;

  /**
   * @param target the redundancy file; a recycled one may stand there, to be written over. Not used where the plan
   *     writes no redundancy
   */
  public EncodeJob(EncodePlan plan, RangeSource source, Path target) {
    this(plan, source, target, true);
  }

  /** The same. @param syncs whether the file is synced: not in memory, where a loss of power takes it anyway */
  public EncodeJob(EncodePlan plan, RangeSource source, Path target, boolean syncs) {
    this.plan = plan;
    this.source = source;
    this.target = target;
    this.syncs = syncs;
    this.pulled = plan.parityFrom().isEmpty();
  }

  /**
   * Reads everything and writes the redundancy bytes, but for those that {@link #pull} gets.
   *
   * @return checksums of all ranges that this rank tells of, those of other ranks' files among them
   * @throws ScrException what the source throws (FILE_CHANGED, NODE_LOST, ...), NO_SPACE, IO
   */
  public List<RangeChecksums> run() {
    List<PieceMeter> told = new ArrayList<>();
    List<PieceMeter> others = new ArrayList<>();
    try {
      if (plan.writesRedundancy() && plan.payloadBytes() > 0) {
        open();
      }
      if (plan.rows() > 1 && plan.chunkBytes() > 0) {
        try (var lent = new SharedParityFile(lent(), plan.rows() - 1, plan.chunkBytes())) {
          encode(plan.stretches().getFirst(), Optional.of(lent), told, others);
          finished = Optional.of(lent.finished(plan.rank()));
        }
      } else {
        for (Stretch stretch : plan.stretches()) {
          encode(stretch, Optional.empty(), told, others);
        }
      }
    } catch (IOException e) {
      throw Faults.io(target, e);
    }
    parityCrc = (int) computed.getValue();
    others.forEach(meter -> copied.add(meter.done()));
    return told.stream().map(PieceMeter::done).toList();
  }

  private void encode(Stretch stretch, Optional<SharedParityFile> lent, List<PieceMeter> told, List<PieceMeter> others)
      throws IOException {
    try (Fold fold = new Fold(source, plan.rows())) {
      for (Term term : stretch.terms()) {
        RangeRequest request = term.request();
        if (request.bytes() > 0) {
          var meter = new PieceMeter(plan.layoutOf(request.rank()), request.offset(), request.bytes());
          fold.add(term, Optional.of(meter));
          (plan.tellsOf(request.rank()) ? told : others).add(meter);
        }
      }
      for (long at = 0; at < stretch.bytes(); ) {
        List<ByteBuffer> sums = fold.next(stretch.bytes() - at);
        int bytes = sums.getFirst().remaining();
        if (channel != null) {
          if (plan.scheme() != Scheme.PARTNER) {
            computed.update(sums.getFirst().duplicate());
          }
          write(sums.getFirst(), headerBytes + stretch.offset() + at);
        }
        if (lent.isPresent()) {
          lent.get().write(sums.subList(1, sums.size()), at);
        }
        at += bytes;
      }
    }
  }

  /** The parity that {@link #run} has computed for other members, where there is such. */
  public Optional<FinishedParity> finished() {
    return finished;
  }

  /** CRC-32 of the parity when all is written; empty for copies, whose checksums are in the header. */
  public OptionalInt parityCrc() {
    return plan.writesRedundancy() && plan.scheme() != Scheme.PARTNER ? OptionalInt.of(parityCrc)
        : OptionalInt.empty();
  }

  /** Path of the shared parity until all members have pulled theirs. */
  public Path lent() {
    return SharedParityFile.beside(target);
  }

  /** The ranks whose finished parity this job needs. */
  public List<Integer> parityFrom() {
    return plan.parityFrom();
  }

  /**
   * Reads the rows that other members have computed for this one, behind {@link #run}. Does nothing where there are
   * none.
   *
   * @param parities of all ranks in {@link #parityFrom}, in any order
   * @throws ScrException CORRUPT if the bytes differ from the computed ones; what the source throws; NO_SPACE, IO
   */
  public void pull(List<FinishedParity> parities, RangeSource from) {
    List<Integer> ranks = plan.parityFrom();
    for (int row = 1; row <= ranks.size(); row++) {
      int rank = ranks.get(row - 1);
      FinishedParity parity = parities.stream().filter(p -> p.rank() == rank).findFirst()
          .orElseThrow(() -> new ScrException(Fault.INTERNAL, "no parity of rank " + rank));
      RangeRequest request = plan.finishedParity(row);
      var crc = new CRC32();
      try (RangeStream stream = from.open(request)) {
        for (long at = 0; at < request.bytes(); ) {
          ByteBuffer piece = PieceBuffers.first(request.bytes() - at);
          stream.read(piece);
          piece.flip();
          crc.update(piece.duplicate());
          int bytes = piece.remaining();
          write(piece, headerBytes + row * plan.chunkBytes() + at);
          at += bytes;
        }
      } catch (IOException e) {
        throw Faults.io(target, e);
      }
      if ((int) crc.getValue() != parity.crcs().get(row - 1)) {
        throw new ScrException(Fault.CORRUPT, "parity that rank " + rank + " has computed for rank " + plan.rank()
            + " came with other bytes than it had");
      }
      parityCrc = Crc32s.combine(parityCrc, (int) crc.getValue(), request.bytes());
    }
    pulled = true;
  }

  /**
   * Writes the header and syncs the file, where that is wanted. Its name becomes durable with the filemap that refers
   * to it ({@link io.vertxscr.storage.DatasetStore#save}). Does nothing where the plan writes no redundancy.
   *
   * @param checked files of this rank and of its left neighbours, with their checksums, in any order
   */
  public void seal(List<RankFiles> checked) {
    if (!plan.writesRedundancy()) {
      return;
    }
    checkCopies(checked);
    byte[] header = RedundancyHeaderFile.encode(plan.header(find(checked, plan.rank()),
        plan.partners().stream().map(partner -> find(checked, partner)).toList()));
    if (!pulled) {
      throw new ScrException(Fault.INTERNAL, target + ": the parity of other members is missing");
    }
    try {
      if (plan.payloadBytes() == 0) {
        open();                           // not in run: of a thousand ranks without files each would have one open
      }
      if (channel == null || header.length != headerBytes) {
        throw new ScrException(Fault.INTERNAL,
            target + ": header of " + header.length + " bytes, expected " + headerBytes);
      }
      if (syncs && plan.payloadBytes() > 0) {
        channel.force(true);
      }
      write(ByteBuffer.wrap(header), 0);
      if (syncs) {
        channel.force(true);
      }
      sealed = true;
    } catch (IOException e) {
      throw Faults.io(target, e);
    }
  }

  /** Copies beside the first must be of the same bytes as that one, of which the owner's checksums are. */
  private void checkCopies(List<RankFiles> checked) {
    for (int owner : plan.partners()) {
      List<RangeChecksums> ranges = copied.stream().filter(range -> range.ownerRank() == owner).toList();
      if (!ranges.isEmpty()
          && !PieceChecksums.combine(plan.layoutOf(owner), ranges).equals(find(checked, owner))) {
        throw new ScrException(Fault.FILE_CHANGED,
            "files of rank " + owner + " changed while they were copied for rank " + plan.rank());
      }
    }
  }

  /**
   * Closes the job. What was not sealed is emptied, where the disk lets it, and is no redundancy file in any case; its
   * name goes with the next eviction, or the next start of the node.
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
      if (sealed) {
        throw Faults.io(target, e);
      }
    } finally {
      channel = null;
    }
  }

  private void open() throws IOException {
    headerBytes = RedundancyHeaderFile.encodedBytes(plan.header(plan.layoutOf(plan.rank()),
        plan.partners().stream().map(plan::layoutOf).toList()));
    Trees.make(target.getParent());
    channel = OwnFile.write(target);
    write(ByteBuffer.allocate(HashFile.HEADER_BYTES), 0);
    channel.truncate(headerBytes + plan.payloadBytes());
  }

  private void write(ByteBuffer from, long offset) throws IOException {
    for (long at = offset; from.hasRemaining(); ) {
      at += channel.write(from, at);
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

package io.vertxscr.prefix.copy.zstd;

import io.vertxscr.coding.Crc32s;
import io.vertxscr.format.prefix.SeekTable.Frame;
import io.vertxscr.format.prefix.SeekTable;
import io.vertxscr.model.FileMeta;
import io.vertxscr.prefix.copy.extent.ExtentJournal;
import io.vertxscr.prefix.copy.extent.LargeDraft.Places;
import io.vertxscr.prefix.copy.extent.Meter;
import io.vertxscr.prefix.copy.extent.OpenFiles;
import io.vertxscr.prefix.copy.extent.ResumableCopy;
import io.vertxscr.prefix.copy.extent.SourceFile;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.FileStamps;
import io.vertxscr.storage.OwnFile;
import io.vertxscr.storage.Presence;
import io.vertxscr.storage.WholeFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32;

/**
 * Draft of one compressed file, written by one thread frame by frame, with the seek table at its end.
 *
 * <p>Where a frame begins is known when the one before it is compressed, so a file is not divided among threads;
 * several files are compressed at once. After each {@code extentBytes} of a file that is larger, what is there is
 * synced and marked ({@link ExtentJournal}): three marks for each frame, its length in the file, the checksum that
 * stands in the table, and the CRC-32 of its bytes. A later attempt of the same owner resumes after the last
 * frame that has all three; any other owner starts a new draft.
 *
 * <p>One object for each file and attempt, used by one thread at a time.
 */
public final class CompressedDraft {
  private static final int MARKS = 3;

  private final Places places;
  private final FileMeta file;
  private final SourceFile source;
  private final Manner manner;
  private final SeekTable table = new SeekTable();
  private final SortedMap<Integer, Integer> unmarked = new TreeMap<>();
  private int crc;
  private long readBytes;
  private long storedBytes;

  /**
   * Parameters of the compression.
   *
   * @param frameBytes of every frame but the last one of a file
   * @param extentBytes bytes of the source between two records of the journal
   * @param owner who copies which dataset: another text if a byte may be another one; empty if it is not resumed
   */
  public record Manner(int level, int frameBytes, long extentBytes, Optional<String> owner) {
    public Manner {
      if (frameBytes < 1 || frameBytes > FrameCoder.FRAME_BYTES) {
        throw new IllegalArgumentException("frames of " + frameBytes + " bytes");
      }
    }

    /** In frames of the usual length. */
    public static Manner of(int level, long extentBytes, Optional<String> owner) {
      return new Manner(level, FrameCoder.FRAME_BYTES, extentBytes, owner);
    }
  }

  /** @param what names the cached file in messages */
  public CompressedDraft(Places places, FileMeta file, String what, Manner manner) {
    this.places = places;
    this.file = file;
    this.source = SourceFile.cached(places.source(), file, what);
    this.manner = manner;
  }

  /** The checksum of the file's bytes, when all are compressed. */
  public int crc() {
    return crc;
  }

  private boolean isMarked() {
    return manner.owner.isPresent() && file.bytes() > manner.extentBytes;
  }

  private String owner() {
    return "%s %d zstd %d %d".formatted(manner.owner.orElseThrow(), file.bytes(), manner.level, manner.frameBytes);
  }

  /**
   * Returns what writes the draft durably, or resumes it, once for each object.
   *
   * <p>It fails with CORRUPT or NO_SUCH_FILE if the cached copy is bad or gone; with NO_SPACE or IO if the prefix
   * directory cannot take it now, or this node cannot compress.
   *
   * @param meter admits every piece
   */
  public ResumableCopy copy(Meter meter) {
    return new FrameCopy(meter);
  }

  private void begin() throws IOException {
    if (isMarked() && !(places.draft().getFileSystem() instanceof WholeFiles)) {   // whose end cannot be cut off
      goOn(ExtentJournal.read(places.marks(), owner()));
    }
    if (table.count() > 0) {
      return;
    }
    if (isMarked()) {                                     // the marks go first, durably: they speak of the old draft
      Files.deleteIfExists(places.marks());
      PrefixDirectories.force(List.of(places.draft().getParent()));
    }
    Files.deleteIfExists(places.draft());
    OwnFile.create(places.draft()).close();
    if (isMarked()) {
      ExtentJournal.create(places.marks(), owner());
      PrefixDirectories.force(List.of(places.draft().getParent()));
    }
  }

  /** Reuses the durable frames of an earlier attempt, if the draft fits to them. */
  private void goOn(Map<Integer, Integer> marks) {
    Optional<BasicFileAttributes> draft = Presence.look(places.draft()).filter(BasicFileAttributes::isRegularFile);
    if (draft.isEmpty()) {
      return;
    }
    long length = draft.get().size();
    for (int at = 0; marks.containsKey(at) && marks.containsKey(at + 1) && marks.containsKey(at + 2); at += MARKS) {
      int bytes = (int) Math.min(manner.frameBytes, file.bytes() - readBytes);
      if (storedBytes + marks.get(at) > length) {
        return;
      }
      took(new Frame(marks.get(at), bytes, marks.get(at + 1)), marks.get(at + 2));
    }
  }

  private void took(Frame frame, int frameCrc) {
    table.add(frame);
    crc = readBytes == 0 ? frameCrc : Crc32s.combine(crc, frameCrc, frame.bytes());
    readBytes += frame.bytes();
    storedBytes += frame.storedBytes();
  }

  private void add(FrameCoder coder, FileChannel in, FileChannel out, Meter meter) throws IOException {
    int bytes = (int) Math.min(manner.frameBytes, file.bytes() - readBytes);
    ByteBuffer plain = read(in, coder.plain(bytes));
    CRC32 sum = new CRC32();
    sum.update(plain.duplicate().flip());
    ByteBuffer stored = coder.compress();
    Frame frame = new Frame(stored.remaining(), bytes, FrameCoder.checksum(stored));
    meter.passing(frame.storedBytes());
    write(out, stored);
    meter.saved(bytes - frame.storedBytes());
    if (isMarked()) {
      int at = table.count() * MARKS;
      unmarked.putAll(Map.of(at, frame.storedBytes(), at + 1, frame.checksum(), at + 2, (int) sum.getValue()));
    }
    took(frame, (int) sum.getValue());
  }

  private void mark() {
    try (ExtentJournal marks = ExtentJournal.open(places.marks(), owner(), table.count() * MARKS - unmarked.size())) {
      marks.addAll(unmarked);
    }
    unmarked.clear();
  }

  private static void write(FileChannel out, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      out.write(bytes);
    }
  }

  private ByteBuffer read(FileChannel in, ByteBuffer plain) {
    while (plain.hasRemaining()) {
      source.read(in, plain, readBytes + plain.position());
    }
    return plain;
  }

  /** The draft as it is being written. */
  private final class FrameCopy implements ResumableCopy {
    private final Meter meter;
    private final OpenFiles files = new OpenFiles();
    private FrameCoder coder;
    private FileChannel in;
    private FileChannel out;
    private long markedBytes;

    FrameCopy(Meter meter) {
      this.meter = meter;
    }

    @Override
    public boolean resume() {
      try {
        if (out == null) {
          open();
        }
        while (readBytes < file.bytes()) {
          if (!meter.admits(Math.min(manner.frameBytes, file.bytes() - readBytes))) {
            return false;
          }
          add(coder, in, out, meter);
          if (isMarked() && readBytes - markedBytes >= manner.extentBytes) {
            out.force(true);
            mark();
            markedBytes = readBytes;
          }
        }
        finish();
        return true;
      } catch (IOException e) {
        throw Faults.io(places.draft(), e);
      }
    }

    private void open() throws IOException {
      in = files.add(source.open(file));
      coder = FrameCoder.compressing(manner.level);
      begin();
      out = files.add(FileStamps.reopen(places.draft()));
      out.truncate(storedBytes).position(storedBytes);
      markedBytes = readBytes;
    }

    private void finish() throws IOException {
      source.requireCrc(crc, file.crc());
      ByteBuffer end = table.encode();
      meter.passing(end.remaining());
      meter.saved(-end.remaining());
      CompressedDraft.write(out, end);
      FileStamps.apply(source.stamp(), places.draft());
      out.force(true);
      files.closeAll();
      close();
    }

    @Override
    public void close() {
      files.abandon();
      if (coder != null) {
        coder.close();
        coder = null;
      }
    }
  }
}

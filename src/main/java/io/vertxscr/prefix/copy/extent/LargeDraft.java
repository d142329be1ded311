package io.vertxscr.prefix.copy.extent;

import io.vertxscr.model.FileMeta;
import io.vertxscr.storage.AtomicFile;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.FileStamps;
import io.vertxscr.storage.OwnFile;
import io.vertxscr.storage.Presence;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The draft of one large file, copied extent by extent, by several threads. What is durable is marked
 * ({@link ExtentJournal}), and not copied again by the same owner: the same node, with the same dataset, after a crash
 * of its daemon or a failover. Any other owner has a draft of its own name ({@code DraftOwner}); marks of another
 * dataset or length are not believed. The checksums of the extents, combined, are compared with that of the file when
 * all are there.
 *
 * <p>Thread-safe; one object for each file and attempt.
 */
public final class LargeDraft {
  private final SourceFile source;
  private final Path draft;
  private final Path marksPath;
  private final FileMeta file;
  private final String owner;
  private final long extentBytes;
  private final Map<Integer, Integer> sums = new HashMap<>();
  private boolean begun;
  private boolean ended;
  private int crc;

  /** Paths of the source, the draft, and its journal {@code marks}. */
  public record Places(Path source, Path draft, Path marks) {}

  /**
   * A draft that is not begun yet.
   *
   * @param owner who copies which dataset: another text if a byte may be another one
   * @param what names the cached file in messages
   */
  public LargeDraft(Places places, FileMeta file, String owner, String what, long extentBytes) {
    this.source = SourceFile.cached(places.source(), file, what);
    this.draft = places.draft();
    this.marksPath = places.marks();
    this.file = file;
    this.owner = owner + " " + file.bytes() + " " + extentBytes;
    this.extentBytes = extentBytes;
  }

  /** Returns the number of extents. */
  public int count() {
    return Math.toIntExact(Math.ceilDiv(file.bytes(), extentBytes));
  }

  /** Returns the bytes of an extent. */
  public long bytes(int extent) {
    return Math.min(extentBytes, file.bytes() - extent * extentBytes);
  }

  /**
   * Copies one extent, durably; does nothing if that is done.
   *
   * <p>Fails with CORRUPT or NO_SUCH_FILE where the cached copy is bad or gone; with NO_SPACE or IO where the prefix
   * directory cannot take it now.
   *
   * @param whole called when the whole file is there, compared with its checksum
   */
  public ResumableCopy copy(int extent, Meter meter, Runnable whole) {
    return new OneExtent(extent, meter, whole);
  }

  /** The checksum of the whole file, when that is there. */
  public synchronized int crc() {
    return crc;
  }

  private synchronized boolean isDone(int extent) {
    return sums.containsKey(extent);
  }

  /**
   * Resumes the draft, or starts a new one. A new draft removes the journal first, durably, because it describes the
   * old draft.
   */
  private synchronized void begin() {
    if (begun) {
      return;
    }
    try {
      source.open(file).close();
      if (Presence.isFile(draft)) {
        sums.putAll(ExtentJournal.read(marksPath, owner));
      }
      if (sums.isEmpty()) {
        Files.deleteIfExists(marksPath);
        AtomicFile.force(draft.getParent());
        Files.deleteIfExists(draft);
        OwnFile.create(draft).close();
        ExtentJournal.create(marksPath, owner);
        AtomicFile.force(draft.getParent());
      }
      begun = true;
    } catch (IOException e) {
      throw Faults.io(draft, e);
    }
  }

  private synchronized void done(int extent, int sum) {
    try (ExtentJournal marks = ExtentJournal.open(marksPath, owner, sums.size())) {
      marks.add(extent, sum);
    }
    sums.put(extent, sum);
  }

  /**
   * Completes the draft, called by the thread that finishes last. Compares checksums, and sets mode and time, durably.
   */
  private synchronized boolean end() {
    if (ended || sums.size() < count()) {
      return ended;
    }
    crc = LargeFetch.crc(sums, this::bytes);
    source.requireCrc(crc, file.crc());
    try (FileChannel out = FileStamps.reopen(draft)) {
      FileStamps.apply(source.stamp(), draft);
      out.force(true);
      ended = true;
      return true;
    } catch (IOException e) {
      throw Faults.io(draft, e);
    }
  }

  /** The copy of one extent. */
  private final class OneExtent implements ResumableCopy {
    private final int extent;
    private final Meter meter;
    private final Runnable whole;
    private final OpenFiles files = new OpenFiles();
    private StretchCopy stretch;
    private FileChannel opened;

    OneExtent(int extent, Meter meter, Runnable whole) {
      this.extent = extent;
      this.meter = meter;
      this.whole = whole;
    }

    @Override
    public boolean resume() {
      if (stretch == null) {
        begin();
      }
      if (!isDone(extent)) {
        OptionalInt sum = copyBytes();
        if (sum.isEmpty()) {
          return false;
        }
        done(extent, sum.getAsInt());
      }
      if (end()) {
        whole.run();
      }
      return true;
    }

    private OptionalInt copyBytes() {
      try {
        if (stretch == null) {
          FileChannel in = files.add(source.open());
          FileChannel out =
              files.add(FileChannel.open(draft, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
          stretch = new StretchCopy(source, in, out, extent * extentBytes, bytes(extent), meter);
          opened = out;
        }
        if (!stretch.resume()) {
          return OptionalInt.empty();
        }
        opened.force(true);
        files.closeAll();
        return OptionalInt.of(stretch.crc());
      } catch (IOException e) {
        throw Faults.io(draft, e);
      }
    }

    @Override
    public void close() {
      files.abandon();
    }
  }
}

package io.vertxscr.prefix.copy.extent;

import io.vertxscr.coding.Crc32s;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.FileStamps;
import io.vertxscr.storage.OwnFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;

/**
 * One large file on its way into a cache, copied extent by extent, by several threads. Nothing is synced or gone on
 * with: after a failure another object copies everything again. The checksums of the extents, combined, are compared
 * with that of the file when all are there.
 *
 * <p>Thread-safe.
 */
public final class LargeFetch {
  private final Supplier<SourceFile> opened;
  private final Path to;
  private final long fileBytes;
  private final int crc;
  private final long extentBytes;
  private final Map<Integer, Integer> sums = new HashMap<>();
  private SourceFile source;

  /**
   * A copy that is not begun yet.
   *
   * @param source asked once, when the copy begins
   * @param to new file; gets mode and time of the source after its bytes
   * @param fileBytes expected size, above 0
   * @param crc expected checksum
   */
  public LargeFetch(Supplier<SourceFile> source, Path to, long fileBytes, int crc, long extentBytes) {
    this.opened = source;
    this.to = to;
    this.fileBytes = fileBytes;
    this.crc = crc;
    this.extentBytes = extentBytes;
  }

  /** Returns the number of extents. */
  public int count() {
    return Math.toIntExact(Math.ceilDiv(fileBytes, extentBytes));
  }

  private long bytes(int extent) {
    return Math.min(extentBytes, fileBytes - extent * extentBytes);
  }

  /**
   * Copies one extent; the last one to end verifies the file.
   *
   * @throws io.vertxscr.model.ScrException CORRUPT: the file is missing, or differs; NO_SPACE, IO
   */
  public void copy(int extent, Meter meter) {
    begin();
    try (FileChannel in = source.open();
        FileChannel out = FileChannel.open(to, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
      StretchCopy copy = new StretchCopy(source, in, out, extent * extentBytes, bytes(extent), meter);
      if (!copy.resume()) {
        throw new IllegalStateException("a fetch is not limited");
      }
      end(extent, copy.crc());
    } catch (IOException e) {
      throw Faults.io(to, e);
    }
  }

  private synchronized void begin() {
    if (source != null) {
      return;
    }
    SourceFile found = opened.get();
    try (FileChannel in = found.open()) {
      found.requireBytes(in.size(), fileBytes);
      Files.deleteIfExists(to);
      OwnFile.create(to).close();
      source = found;
    } catch (IOException e) {
      throw Faults.io(to, e);
    }
  }

  private synchronized void end(int extent, int sum) throws IOException {
    sums.put(extent, sum);
    if (sums.size() == count()) {
      source.requireCrc(crc(sums, this::bytes), OptionalInt.of(crc));
      FileStamps.apply(source.stamp(), to);
    }
  }

  /** That of a file, from those of its extents. */
  static int crc(Map<Integer, Integer> sums, IntToLongFunction bytes) {
    int all = sums.get(0);
    for (int extent = 1; extent < sums.size(); extent++) {
      all = Crc32s.combine(all, sums.get(extent), bytes.applyAsLong(extent));
    }
    return all;
  }
}

package io.vertxscr.prefix;

import io.vertxscr.format.prefix.RankFileMap.Entry;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.extent.Parts;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Files of a dataset that ranks write to, or read from, their places in the prefix directory, past the cache. In their
 * metadata the name is the path. Blocking; safe for many threads.
 *
 * <p>Such a file has its final name while it is being written: what tells readers that it is whole is the summary,
 * which is written when all files of the dataset have been read back and synced. Files of a dataset that fails stay
 * where the application put them, and no index lists them.
 */
public final class DirectFiles {
  private final PrefixPaths paths;
  private final int dataset;

  /** Those of one dataset. */
  public DirectFiles(PrefixPaths paths, int dataset) {
    this.paths = paths;
    this.dataset = dataset;
  }

  /**
   * Makes the directory of a file that is about to be written.
   *
   * @param relative to the prefix
   * @return whether there is a file already, which will be written over
   */
  public boolean prepare(String relative) {
    Path place = paths.file(relative);
    PrefixDirectories.create(paths.prefix(), place.getParent());
    return Files.exists(place, LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * Reads a rank's files back and makes them durable, with all names above them.
   *
   * @param measured sizes that they had when the rank called them complete
   * @return the same with checksums
   * @throws ScrException FILE_CHANGED where a file has another size now; NO_SPACE, IO
   */
  public RankFiles readBack(RankFiles measured) {
    List<FileMeta> files = new ArrayList<>();
    Set<Path> directories = new LinkedHashSet<>();
    for (FileMeta file : measured.files()) {
      Path place = paths.file(file.path());
      try (FileChannel channel = FileChannel.open(place, StandardOpenOption.READ)) {
        channel.force(true);
        int crc = FileChecks.crc(place);
        if (channel.size() != file.bytes()) {
          throw new ScrException(Fault.FILE_CHANGED, "dataset " + dataset + ", rank " + measured.rank() + ": " + place
              + " had " + file.bytes() + " bytes when it was called complete, and has " + channel.size() + " now");
        }
        files.add(file.withCrc(crc));
      } catch (IOException e) {
        throw Faults.io(place, e);
      }
      directories.add(place.getParent());
    }
    PrefixDirectories.force(Trees.upTo(paths.prefix(), directories));
    return new RankFiles(measured.rank(), files);
  }

  /** A rank's files for several threads, each of which {@link #check}s some of them; at least one. */
  public static List<Entry> parts(Entry entry) {
    return entry.files().isEmpty() ? List.of(entry)
        : Parts.of(entry.files(), file -> file.bytes().orElse(FetchCopy.PART_BYTES), FetchCopy.PART_BYTES).stream()
            .map(files -> new Entry(entry.rank(), files)).toList();
  }

  /**
   * A rank's files where they are, each compared with what the map says of it.
   *
   * @throws ScrException CORRUPT naming the file that is missing or has other bytes; BAD_REQUEST for what is packed or
   *     compressed
   */
  public RankFiles check(Entry entry) {
    List<FileMeta> files = new ArrayList<>();
    for (FlushedFile file : entry.files()) {
      if (!file.isInPlace()) {
        throw new ScrException(Fault.BAD_REQUEST, "dataset " + dataset + " keeps " + file.path() + " of rank "
            + entry.rank() + (file.isCompressed() ? " compressed" : " in containers")
            + "; it cannot be read in place");
      }
      Path place = paths.file(file.path());
      FileMeta meta = new FileMeta(file.path(), file.path(), file.bytes().orElseGet(() -> bytes(place)), file.crc());
      FileChecks.problem(paths.prefix(), meta).ifPresent(problem -> {
        throw new ScrException(Fault.CORRUPT, "dataset " + dataset + ", rank " + entry.rank() + ": " + problem);
      });
      files.add(meta);
    }
    return new RankFiles(entry.rank(), files);
  }

  private long bytes(Path place) {
    try {
      return Files.size(place);
    } catch (IOException e) {
      throw new ScrException(Fault.CORRUPT,
          "dataset " + dataset + ": " + place + " cannot be read: " + ScrException.reason(e), e);
    }
  }

  /** Metadata of a file that is routed to its place; its size is not known yet. */
  public static FileMeta meta(String relative) {
    return new FileMeta(relative, relative, 0, OptionalInt.empty());
  }
}

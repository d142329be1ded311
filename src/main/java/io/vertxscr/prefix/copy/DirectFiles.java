package io.vertxscr.prefix.copy;

import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.extent.Parts;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.Presence;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Files of a dataset that ranks write or read in place in the prefix directory (bypass). In their metadata the name is
 * the path. Blocking; safe for many threads.
 *
 * <p>Such a file has its final name while it is being written: what tells readers that it is whole is the summary,
 * which is written when all files of the dataset have been read back and synced. Files of a dataset that fails stay
 * where the application put them, and no index lists them.
 */
public final class DirectFiles {
  private final PrefixPaths paths;
  private final int dataset;
  /** Checked files that several ranks share. */
  private final Map<FlushedFile, FileMeta> ofSeveral = new ConcurrentHashMap<>();

  /** Creates the access to the files of one dataset. */
  public DirectFiles(PrefixPaths paths, int dataset) {
    this.paths = paths;
    this.dataset = dataset;
  }

  /**
   * Creates the directory of a file that is about to be written.
   *
   * @param relative to the prefix
   * @return whether there is a file already, which will be written over
   */
  public boolean prepare(String relative) {
    Path place = paths.file(relative);
    PrefixDirectories.create(paths.prefix(), place.getParent());
    return Presence.exists(place);
  }

  /**
   * Reads a rank's files back and makes them durable, with all names above them. All ranks have called them complete.
   *
   * @return the same with sizes and checksums
   * @throws ScrException NOT_VALID where the rank wrote no such file; FILE_CHANGED where it changes now; NO_SPACE, IO
   */
  public RankFiles readBack(RankFiles routed) {
    List<FileMeta> files = new ArrayList<>();
    Set<Path> directories = new LinkedHashSet<>();
    for (FileMeta file : routed.files()) {
      Path place = paths.file(file.path());
      if (Presence.follow(place).filter(BasicFileAttributes::isRegularFile).isEmpty()) {
        throw new ScrException(Fault.NOT_VALID,
            "rank " + routed.rank() + " routed " + file.path() + " but wrote no file at " + place);
      }
      try (FileChannel channel = FileChannel.open(place, StandardOpenOption.READ)) {
        channel.force(true);
        long bytes = channel.size();
        int crc = FileChecks.crc(place);
        if (channel.size() != bytes) {
          throw new ScrException(Fault.FILE_CHANGED, "dataset " + dataset + ", rank " + routed.rank() + ": " + place
              + " had " + bytes + " bytes when all ranks had called it complete, and has " + channel.size() + " now");
        }
        files.add(new FileMeta(file.name(), file.path(), bytes, OptionalInt.of(crc)));
      } catch (IOException e) {
        throw Faults.io(place, e);
      }
      directories.add(place.getParent());
    }
    PrefixDirectories.force(Trees.upTo(paths.prefix(), directories));
    return new RankFiles(routed.rank(), files);
  }

  /** A rank's files for several threads, each of which {@link #check}s some of them; at least one. */
  public static List<RankEntry> parts(RankEntry entry) {
    return entry.files().isEmpty() ? List.of(entry)
        : Parts.of(entry.files(), file -> file.bytes().orElse(FetchCopy.PART_BYTES), FetchCopy.PART_BYTES).stream()
            .map(files -> new RankEntry(entry.rank(), files)).toList();
  }

  /**
   * Returns a rank's files in place, each verified against the map.
   *
   * @throws ScrException CORRUPT naming the file that is missing or has other bytes; IO for one that cannot be read
   *     now; BAD_REQUEST for what is packed or compressed
   */
  public RankFiles check(RankEntry entry) {
    return new RankFiles(entry.rank(), entry.files().stream().map(file -> file.shared()
        ? ofSeveral.computeIfAbsent(file, _ -> check(entry.rank(), file)) : check(entry.rank(), file)).toList());
  }

  private FileMeta check(int rank, FlushedFile file) {
    if (!file.isInPlace()) {
      throw new ScrException(Fault.BAD_REQUEST, "dataset " + dataset + " keeps " + file.path() + " of rank " + rank
          + (file.isCompressed() ? " compressed" : " in containers") + "; it cannot be read in place");
    }
    Path place = paths.file(file.path());
    FileMeta meta = new FileMeta(file.path(), file.path(), file.bytes().orElseGet(() -> bytes(place)), file.crc(),
        Optional.empty(), file.shared());
    FileChecks.problemUnlessUnreadable(paths.prefix(), meta).ifPresent(problem -> {
      throw new ScrException(Fault.CORRUPT, "dataset " + dataset + ", rank " + rank + ": " + problem);
    });
    return meta;
  }

  private long bytes(Path place) {
    try {
      return Files.size(place);
    } catch (NoSuchFileException e) {
      throw new ScrException(Fault.CORRUPT, "dataset " + dataset + ": " + place + " is missing", e);
    } catch (IOException e) {
      throw Faults.io(place, e);
    }
  }

  /** Metadata of a file that is routed to its place; its size is not known yet. */
  public static FileMeta meta(String relative) {
    return new FileMeta(relative, relative, 0, OptionalInt.empty());
  }
}

package io.vertxscr.scavenge;

import io.vertxscr.format.RedundancyHeaderFile;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFilemap.StoredRedundancy;
import io.vertxscr.format.prefix.RankFilemap;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.container.ContainerReader;
import io.vertxscr.redundancy.range.RedundancyFiles;
import io.vertxscr.scavenge.DatasetScanner.Depth;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.NodeDirectories;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Checks the existence of a rank filemap's files, by themselves or in containers. Changes nothing. One that cannot be
 * read now is not missing: its look fails with IO.
 *
 * @param directory the dataset's in the prefix directory
 */
record FilesThere(Path directory, RankFilemap map) {
  /** Bytes of a hash file from which its length is known. */
  private static final int HEADER_START_BYTES = 20;

  /** Whether all are, by their sizes. */
  boolean all() {
    return map.files().files().stream().allMatch(file -> problem(file, Depth.SIZES).isEmpty())
        && map.redundancy().stream().allMatch(file -> problem(file, Depth.SIZES).isEmpty());
  }

  /** Returns the copy of a cached file. It is of an earlier call, or of another node that had the file too. */
  Optional<FileMeta> copyOf(FileMeta cached) {
    return map.files().files().stream().filter(file -> file.name().equals(cached.name())
        && file.bytes() == cached.bytes() && (cached.crc().isEmpty() || cached.crc().equals(file.crc()))
        && problem(file, Depth.SIZES).isEmpty()).findFirst();
  }

  /** Returns the mismatch of an application file, in a sentence. */
  Optional<String> problem(FileMeta file, Depth depth) {
    return problem(map.flushed(file), file, depth);
  }

  /** Returns the mismatch of a redundancy file, in a sentence. */
  Optional<String> problem(StoredRedundancy file, Depth depth) {
    return problem(map.flushed(file), new FileMeta(file.name(), file.name(), file.bytes(), OptionalInt.of(file.crc())),
        depth);
  }

  private Optional<String> problem(FlushedFile place, FileMeta file, Depth depth) {
    if (place.segments().isEmpty()) {
      FileMeta wanted = depth == Depth.BYTES ? file : file.withoutCrc();
      return FileChecks.twice(() -> FileChecks.problemUnlessUnreadable(directory, wanted));
    }
    try (ContainerReader containers = new ContainerReader(directory)) {
      if (depth == Depth.BYTES) {
        containers.check(place, file.name());
      } else {
        containers.checkSize(place, file.name());
      }
      return Optional.empty();
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return Optional.of(e.getMessage());
    }
  }

  /** The header of a redundancy file. @throws ScrException CORRUPT, IO */
  RedundancyHeader header(StoredRedundancy file) {
    FlushedFile place = map.flushed(file);
    if (place.segments().isEmpty()) {
      return RedundancyFiles.readHeader(NodeDirectories.resolve(directory, file.name()));
    }
    try (ContainerReader containers = new ContainerReader(directory)) {
      byte[] start = containers.head(place, file.name(), HEADER_START_BYTES).array();
      long bytes = Math.min(RedundancyHeaderFile.sizeOf(start), file.bytes());
      return RedundancyHeaderFile.decode(containers.head(place, file.name(), Math.toIntExact(bytes)));
    }
  }
}

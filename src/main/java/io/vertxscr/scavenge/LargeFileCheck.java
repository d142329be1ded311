package io.vertxscr.scavenge;

import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.container.ContainerReader;
import io.vertxscr.prefix.copy.extent.CheckedPiece;
import io.vertxscr.prefix.copy.zstd.CompressedFile;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.storage.FileChecks;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads a large published file with all threads, each a piece, and compares it with its checksum. */
final class LargeFileCheck {
  private final PrefixPaths paths;
  private final int id;
  private final long pieceBytes;

  LargeFileCheck(PrefixPaths paths, int id, long pieceBytes) {
    this.paths = paths;
    this.id = id;
    this.pieceBytes = pieceBytes;
  }

  /** Whether a check in pieces is worthwhile; not without a known checksum. */
  boolean fits(FlushedFile file) {
    return file.crc().isPresent() && file.bytes().orElse(0) > pieceBytes;
  }

  /** Returns the mismatch of the file, in a sentence. @throws ScrException IO */
  Optional<String> problem(FlushedFile file) {
    if (!file.segments().isEmpty()) {
      Path dataset = paths.dataset(id);
      return corrupt(() -> ContainerReader.compare(file, file.path(),
          crc(ContainerReader.pieces(dataset, file, file.path(), pieceBytes))));
    }
    if (file.isCompressed()) {
      var compressed = new CompressedFile(paths.file(file.place()), file, file.path());
      return corrupt(() -> compressed.compare(crc(compressed.pieces(pieceBytes))));
    }
    return plain(file);
  }

  private static Optional<String> corrupt(Runnable check) {
    try {
      check.run();
      return Optional.empty();
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return Optional.of(e.getMessage());
    }
  }

  private Optional<String> plain(FlushedFile file) {
    Path path = paths.file(file.path());
    long bytes = file.bytes().orElseThrow();
    Optional<String> size = FileChecks.problemUnlessUnreadable(paths.prefix(),
        new FileMeta(paths.prefix().relativize(path).toString(), file.path(), bytes, OptionalInt.empty()));
    return size.isPresent() ? size : FileChecks.wrongCrc(path,
        crc(CheckedPiece.of(bytes, pieceBytes, (from, length) -> FileChecks.crc(path, from, length))),
        file.crc().orElseThrow());
  }

  private static int crc(List<CheckedPiece> pieces) {
    return CheckedPiece.combine(pieces, Workers.map(pieces, piece -> piece.crc().getAsInt()));
  }
}

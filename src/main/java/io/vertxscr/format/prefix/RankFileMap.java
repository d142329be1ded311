package io.vertxscr.format.prefix;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta.Stamp;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Names;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Which files of a flushed dataset each rank owns: one file of the tree that says so. A part covers the ranks from its
 * first one to the first one of the next part.
 */
public sealed interface RankFileMap {
  /** Ranks of the run that wrote the dataset. (Other writers: of a leaf, the ranks in it.) */
  int ranks();

  /**
   * Names the parts.
   *
   * @param level 1 if they are leaves, more if they are branches again
   * @param parts ascending by their first rank, at least one, the first one from rank 0
   */
  record Branch(int ranks, int level, List<MapPart> parts) implements RankFileMap {
    public Branch {
      parts = parts.stream().sorted(Comparator.comparingInt(MapPart::firstRank)).toList();
      if (level < 1 || parts.isEmpty() || parts.getFirst().firstRank() != 0 || parts.getLast().firstRank() >= ranks) {
        throw new ScrException(Fault.BAD_REQUEST, "parts " + parts + " do not divide ranks 0 to " + (ranks - 1));
      }
    }

    /** The root over leaves with these first ranks. */
    public static Branch root(int ranks, List<Integer> firstRanks) {
      return new Branch(ranks, 1, firstRanks.stream().map(MapPart::leaf).toList());
    }

    /** The part that this rank is in. @throws ScrException UNKNOWN_RANK */
    public MapPart partOf(int rank) {
      if (rank < 0 || rank >= ranks) {
        throw new ScrException(Fault.UNKNOWN_RANK, "rank " + rank + " is not in a dataset of " + ranks + " ranks");
      }
      return parts.reversed().stream().filter(part -> part.firstRank() <= rank).findFirst().orElseThrow();
    }
  }

  /** @param suffix what its file's name has behind the name of the root's file: {@code rank2file} + {@code .0.512} */
  record MapPart(int firstRank, String suffix) {
    /** A leaf. */
    public static MapPart leaf(int firstRank) {
      return new MapPart(firstRank, ".0." + firstRank);
    }
  }

  /** @param entries ascending by rank */
  record Leaf(int ranks, List<RankEntry> entries) implements RankFileMap {
    public Leaf {
      entries = entries.stream().sorted(Comparator.comparingInt(RankEntry::rank)).toList();
    }

    /** The leaf of these ranks. */
    public static Leaf of(int ranks, List<RankFiles> entries) {
      return new Leaf(ranks, entries.stream().map(RankEntry::of).toList());
    }
  }

  /** The files of one rank, ascending by path. */
  record RankEntry(int rank, List<FlushedFile> files) {
    public RankEntry {
      files = files.stream().sorted(Comparator.comparing(FlushedFile::path)).toList();
    }

    public static RankEntry of(RankFiles files) {
      return new RankEntry(files.rank(), files.files().stream().map(FlushedFile::of).toList());
    }
  }

  /**
   * One file.
   *
   * @param path relative to the prefix, so that this can be moved
   * @param bytes empty if the writer did not say: then its length cannot be verified
   * @param crc CRC-32; empty if the writer did not say: then its bytes cannot be verified
   * @param segments where its bytes are, in order, if they are in containers; empty if they are in a file of its own
   * @param storedBytes length of its file if that is compressed; empty if it is the file itself
   * @param stamp mode and time of a file in containers, where the writer said; a file of its own has them itself
   * @param shared whether another rank's entry has the same file, and counts it for the dataset
   */
  record FlushedFile(String path, OptionalLong bytes, OptionalInt crc, List<Segment> segments,
      OptionalLong storedBytes, Optional<Stamp> stamp, boolean shared) {
    private static final String COMPRESSED = ".zst";

    public FlushedFile {
      segments = List.copyOf(segments);
    }

    /** A file that is not compressed. */
    public FlushedFile(String path, OptionalLong bytes, OptionalInt crc, List<Segment> segments) {
      this(path, bytes, crc, segments, OptionalLong.empty(), Optional.empty(), false);
    }

    /** A file in containers. */
    public static FlushedFile packed(FileMeta file, List<Segment> segments) {
      return new FlushedFile(file.path(), OptionalLong.of(file.bytes()), file.crc(), segments, OptionalLong.empty(),
          segments.isEmpty() ? Optional.empty() : file.stamp(), file.shared());
    }

    /** Returns the path of a file's compressed form. Another name, so that it is not mistaken for the file. */
    public static String compressedPlace(String path) {
      int base = path.lastIndexOf('/') + 1;
      String name = path.substring(base);
      boolean fits = (name + COMPRESSED).getBytes(StandardCharsets.UTF_8).length <= Names.MAX_COMPONENT_BYTES;
      return path.substring(0, base) + (fits ? name : Names.digest(name)) + COMPRESSED;
    }

    /** Returns the file as compressed. */
    public FlushedFile compressed(long stored) {
      return new FlushedFile(path, bytes, crc, segments, OptionalLong.of(stored), stamp, shared);
    }

    public boolean isCompressed() {
      return storedBytes.isPresent();
    }

    /** Whether an application can read it at its path. */
    public boolean isInPlace() {
      return segments.isEmpty() && !isCompressed();
    }

    /** Path of its own file, relative to the prefix; meaningless if it is in containers. */
    public String place() {
      return isCompressed() ? compressedPlace(path) : path;
    }

    /** Size of its own file; empty if the writer did not record it. */
    public OptionalLong placeBytes() {
      return isCompressed() ? storedBytes : bytes;
    }

    /** The file by itself, where it belongs. */
    public static FlushedFile of(FileMeta file) {
      return new FlushedFile(file.path(), OptionalLong.of(file.bytes()), file.crc(), List.of(), OptionalLong.empty(),
          Optional.empty(), file.shared());
    }

    /** Whether a fetch can tell that every byte is right. If not, it must say so. */
    public boolean verifiable() {
      return bytes.isPresent() && crc.isPresent();
    }
  }

  /** Part of a file inside a container. @param container path of the container, relative to the dataset's directory */
  record Segment(String container, long offset, long bytes) {}
}

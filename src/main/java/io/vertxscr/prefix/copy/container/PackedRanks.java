package io.vertxscr.prefix.copy.container;

import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.format.prefix.RankFileMap.Segment;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.ContainerLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Files of a node's ranks, one behind the other, from some offset of the dataset's stream on. Immutable and pure. */
public final class PackedRanks {
  private final ContainerLayout layout;
  private final List<PackedFile> files = new ArrayList<>();
  private final Map<Integer, RankFiles> ranks = new TreeMap<>();
  private final Map<Integer, Long> starts = new TreeMap<>();

  /** @param offset of its first byte in the dataset's stream */
  public record PackedFile(int rank, FileMeta file, long offset) {}

  /**
   * @param offset where the first rank's files begin in the dataset's stream
   * @param ordered in this order
   */
  public PackedRanks(ContainerLayout layout, long offset, List<RankFiles> ordered) {
    this.layout = layout;
    long at = offset;
    for (RankFiles rank : ordered) {
      ranks.put(rank.rank(), rank);
      starts.put(rank.rank(), at);
      for (FileMeta file : rank.files()) {
        files.add(new PackedFile(rank.rank(), file, at));
        at += file.bytes();
      }
    }
  }

  public ContainerLayout layout() {
    return layout;
  }

  /** All, in the order of the stream. */
  public List<PackedFile> files() {
    return files;
  }

  /** Returns the stream offset of a rank's first file. @throws ScrException UNKNOWN_RANK */
  public long start(int rank) {
    return known(starts, rank);
  }

  /** Returns the files of one rank. @throws ScrException UNKNOWN_RANK */
  public RankFiles files(int rank) {
    return known(ranks, rank);
  }

  /** Returns the map entry of a rank. @throws ScrException UNKNOWN_RANK */
  public RankEntry entry(int rank) {
    return entry(layout, start(rank), files(rank));
  }

  /** Returns the map entry of a rank whose files start at this stream offset. */
  public static RankEntry entry(ContainerLayout layout, long start, RankFiles rank) {
    List<FlushedFile> packed = new ArrayList<>();
    long at = start;
    for (FileMeta file : rank.files()) {
      List<Segment> segments = layout.pieces(at, file.bytes()).stream()
          .map(piece -> new Segment(ContainerPaths.name(piece.container()), piece.offset(), piece.bytes())).toList();
      packed.add(FlushedFile.packed(file, segments));
      at += file.bytes();
    }
    return new RankEntry(rank.rank(), packed);
  }

  private static <T> T known(Map<Integer, T> byRank, int rank) {
    T found = byRank.get(rank);
    if (found == null) {
      throw new ScrException(Fault.UNKNOWN_RANK, "rank " + rank + " is not among those that were packed here");
    }
    return found;
  }
}

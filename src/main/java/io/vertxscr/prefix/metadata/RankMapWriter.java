package io.vertxscr.prefix.metadata;

import io.vertxscr.format.prefix.RankFileMap.Branch;
import io.vertxscr.format.prefix.RankFileMap.Leaf;
import io.vertxscr.format.prefix.RankFileMap.MapPart;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.format.prefix.RankFileMapFile;
import io.vertxscr.model.Fault;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.AtomicFile;
import io.vertxscr.storage.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Writes the rank2file map of one dataset. The holder of a part's first rank writes the part, in any order, then the
 * leader the root. Each file is durable when its call returns, and may be written again.
 *
 * <p>For a leader, nodes write drafts, which bear its token in their names; the leader renames them under the lock. So
 * the part of a node that still works for an earlier leader never replaces another one.
 *
 * @param dataset id of the dataset
 * @param ranks of the run that wrote it
 * @param ranksPerPart the same on every node; see {@link #ranksPerPart(int, long)}
 * @param token of the leader that it is written for; empty where parts get their names at once
 */
public record RankMapWriter(
    PrefixPaths paths, int dataset, int ranks, int ranksPerPart, Optional<PrefixToken> token) {
  /** Gives parts their names at once: for commands, which do everything in one process. */
  public RankMapWriter(PrefixPaths paths, int dataset, int ranks, int ranksPerPart) {
    this(paths, dataset, ranks, ranksPerPart, Optional.empty());
  }

  public RankMapWriter {
    if (ranks < 1 || ranksPerPart < 1) {
      throw new ScrException(Fault.BAD_REQUEST,
          "dataset " + dataset + ": " + ranks + " ranks, " + ranksPerPart + " in a part of its map: both count from 1");
    }
  }

  /**
   * Returns the number of ranks of a part of about 1 MiB.
   *
   * @param averageEntryBytes {@link RankFileMapFile#entryBytes} over all ranks, divided by their number
   */
  public static int ranksPerPart(int totalRanks, long averageEntryBytes) {
    long fitting = RankFileMapFile.PART_BYTES / Math.max(1, averageEntryBytes);
    return Math.clamp(fitting, 1, Math.max(1, totalRanks));
  }

  /** First ranks of all parts, ascending. */
  public List<Integer> firstRanks() {
    return IntStream.iterate(0, first -> first < ranks, first -> first + ranksPerPart).boxed().toList();
  }

  /** The ranks of the part that begins with this one. */
  public List<Integer> ranksFrom(int firstRank) {
    if (firstRank < 0 || firstRank >= ranks || firstRank % ranksPerPart != 0) {
      throw new ScrException(Fault.BAD_REQUEST,
          "dataset " + dataset + ": no part of its map begins with rank " + firstRank);
    }
    return IntStream.range(firstRank, Math.min(ranks, firstRank + ranksPerPart)).boxed().toList();
  }

  /**
   * Writes one part of a map of files that have places of their own.
   *
   * @param entries of exactly the ranks of the part, every file with its checksum
   * @throws ScrException BAD_REQUEST if they are not, NO_SPACE, IO
   */
  public void writePart(int firstRank, List<RankFiles> entries) {
    writeEntries(firstRank, entries.stream().map(RankEntry::of).toList());
  }

  /** Writes the entries of a part, for files at any place. */
  public void writeEntries(int firstRank, List<RankEntry> entries) {
    List<RankEntry> sorted = entries.stream().sorted(Comparator.comparingInt(RankEntry::rank)).toList();
    List<Integer> given = sorted.stream().map(RankEntry::rank).toList();
    List<Integer> expected = ranksFrom(firstRank);
    if (!given.equals(expected)) {
      throw new ScrException(Fault.BAD_REQUEST, "dataset " + dataset + ": the part of its map for ranks "
          + expected.getFirst() + " to " + expected.getLast() + " was given ranks " + given);
    }
    for (RankEntry entry : sorted) {
      entry.files().stream().filter(file -> file.crc().isEmpty()).findFirst().ifPresent(file -> {
        throw new ScrException(Fault.BAD_REQUEST,
            "dataset " + dataset + ": " + file.path() + " of rank " + entry.rank() + " has no checksum");
      });
    }
    PrefixDirectories.createDurably(paths.prefix(), paths.dataset(dataset));
    MapPart part = MapPart.leaf(firstRank);
    AtomicFile.replace(token.map(leader -> paths.rankMapDraft(dataset, part, leader))
        .orElseGet(() -> paths.rankMapPart(dataset, part)), RankFileMapFile.encode(new Leaf(ranks, sorted)));
  }

  /**
   * Gives parts that are drafts their names, and writes the root, when all parts are there. For a leader: under the
   * lock, by the token that the parts were written for.
   *
   * @throws ScrException NO_SUCH_FILE naming a part that nobody has written; NO_SPACE, IO
   */
  public void writeRoot() {
    PrefixDirectories.createDurably(paths.prefix(), paths.dataset(dataset));
    token.ifPresent(leader -> firstRanks().forEach(first -> {
      MapPart part = MapPart.leaf(first);
      Path draft = paths.rankMapDraft(dataset, part, leader);
      try {
        Files.move(draft, paths.rankMapPart(dataset, part), StandardCopyOption.ATOMIC_MOVE);
      } catch (NoSuchFileException e) {
        throw new ScrException(Fault.NO_SUCH_FILE, "dataset " + dataset + ": the part of its map that begins with rank "
            + first + " was not written: " + draft + " is not there", e);
      } catch (IOException e) {
        throw Faults.io(draft, e);
      }
    }));
    AtomicFile.replace(paths.rankMap(dataset), RankFileMapFile.encode(Branch.root(ranks, firstRanks())));
  }
}

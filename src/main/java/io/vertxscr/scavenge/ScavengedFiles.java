package io.vertxscr.scavenge;

import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.format.prefix.RankFileMap.Segment;
import io.vertxscr.format.prefix.RankFileMapFile;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.KeptFiles;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.prefix.metadata.RankMapWriter;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.Presence;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/** Moves the files of a whole scavenged dataset to the paths given by the application. */
final class ScavengedFiles {
  private final PrefixPaths paths;
  private final DatasetDescriptor descriptor;
  private final Path directory;
  private final List<RankFiles> ranks;
  private final IntFunction<Map<String, List<Segment>>> segments;
  private final KeptFiles kept;
  /** Later datasets, looked at once, that have none of these paths. */
  private final Set<DatasetKey> apart = new HashSet<>();

  /**
   * @param ranks all of the run, in any order
   * @param segments of the files of a rank that are in containers, by name: they stay there
   */
  ScavengedFiles(PrefixPaths paths, DatasetDescriptor descriptor, List<RankFiles> ranks,
      IntFunction<Map<String, List<Segment>>> segments) {
    this.segments = segments;
    this.paths = paths;
    this.descriptor = descriptor;
    this.directory = paths.dataset(descriptor.id());
    this.kept = new KeptFiles(paths, descriptor.id());
    this.ranks = Workers.map(
        ranks.stream().sorted(Comparator.comparingInt(RankFiles::rank)).toList(), this::withChecksums);
  }

  /**
   * Before the first file is moved. Sees that none is missing, and that no place belongs to a later dataset, which
   * would be damaged.
   *
   * @throws ScrException CORRUPT where these are not all files of the dataset; WRONG_STATE naming the later one
   */
  void check(Publication publication) {
    Totals there = RankFiles.totals(ranks);
    if (!there.equals(descriptor.totals())) {
      throw new ScrException(Fault.CORRUPT, "dataset " + descriptor.id() + " has " + descriptor.totals().files()
          + " files with " + descriptor.totals().bytes() + " bytes, but the filemaps of its ranks in " + directory
          + " have " + there.files() + " with " + there.bytes());
    }
    requireFree(publication);
  }

  /** @return whether any of the places has a file, of an earlier dataset or one that is not published yet */
  private boolean requireFree(Publication publication) {
    Set<String> places = ranks.stream().flatMap(rank -> rank.files().stream()).filter(this::isStaged)
        .map(FileMeta::path).collect(Collectors.toSet());
    Set<String> taken = places.stream().filter(place -> Presence.exists(paths.file(place))).collect(Collectors.toSet());
    if (taken.isEmpty()) {
      return false;
    }
    List<DatasetDescriptor> later = publication.laterThan(descriptor).stream()
        .filter(other -> !apart.contains(other.key())).toList();
    for (DatasetDescriptor other : later) {
      if (requireFree(other, taken, places)) {
        apart.add(other.key());
      }
    }
    return true;
  }

  /** @return whether the later one has none of the places */
  private boolean requireFree(DatasetDescriptor later, Set<String> taken, Set<String> places) {
    boolean[] isApart = {true};
    new RankMapReader(paths, later.id()).forEach(entry -> entry.files().stream()
        .filter(file -> file.segments().isEmpty() && places.contains(file.place())).forEach(file -> {
          isApart[0] = false;
          if (taken.contains(file.place())) {
            throw new ScrException(Fault.WRONG_STATE, "dataset " + descriptor.id() + " '" + descriptor.name()
                + "' cannot be published: " + file.path() + " belongs to the later dataset " + later.id() + " '"
                + later.name() + "'");
          }
        }));
    return isApart[0];
  }

  /**
   * Renames every file to its final path, durably. What had the path is kept beside it: an older dataset may be listed
   * with it until this one is complete, which may take another call. If it is of a flush that is under way, that will
   * have to give it its name again.
   *
   * @param index whose lock is held: a later dataset may have come since {@link #check}
   * @throws ScrException WRONG_STATE naming a later dataset that owns a place; NO_SUCH_FILE naming a file that has gone
   *     since; NO_SPACE, IO
   */
  void place(PrefixIndex index) {
    index.withoutNaming(() -> {
      if (requireFree(new Publication(paths, index))) {
        index.revokeLeaders();
      }
      move();
      return index;
    });
  }

  private void move() {
    Set<Path> directories = new LinkedHashSet<>();
    for (RankFiles rank : ranks) {
      for (FileMeta file : rank.files()) {
        Path place = paths.file(file.path());
        if (segments.apply(rank.rank()).containsKey(file.name())) {
          continue;
        }
        if (directories.add(place.getParent())) {
          PrefixDirectories.create(paths.prefix(), place.getParent());
        }
        if (isStaged(file)) {
          move(file, place);
        } else if (!Presence.isFile(place)) {
          throw new ScrException(Fault.NO_SUCH_FILE,
              "dataset " + descriptor.id() + ": neither " + staged(file) + " nor " + place + " is there any more");
        }
      }
    }
    PrefixDirectories.force(Trees.upTo(paths.prefix(), directories));
  }

  /** Writes the rank2file map, durably. */
  void writeMap() {
    List<RankEntry> entries = ranks.stream().map(this::entry).toList();
    long bytes = entries.stream().mapToLong(RankFileMapFile::entryBytes).sum();
    int perPart = RankMapWriter.ranksPerPart(ranks.size(), bytes / ranks.size());
    var writer = new RankMapWriter(paths, descriptor.id(), ranks.size(), perPart);
    for (int first : writer.firstRanks()) {
      writer.writeEntries(first, entries.subList(first, first + writer.ranksFrom(first).size()));
    }
    writer.writeRoot();
  }

  private RankEntry entry(RankFiles rank) {
    Map<String, List<Segment>> packed = segments.apply(rank.rank());
    return new RankEntry(rank.rank(), rank.files().stream()
        .map(file -> FlushedFile.packed(file, packed.getOrDefault(file.name(), List.of()))).toList());
  }

  /** Other tools leave checksums out; the map has them always. */
  private RankFiles withChecksums(RankFiles rank) {
    List<FileMeta> files = new ArrayList<>();
    for (FileMeta file : rank.files()) {
      files.add(file.crc().isPresent() ? file
          : file.withCrc(FileChecks.crc(isStaged(file) ? staged(file) : paths.file(file.path()))));
    }
    return new RankFiles(rank.rank(), files);
  }

  private boolean isStaged(FileMeta file) {
    return Presence.isFile(staged(file));
  }

  private Path staged(FileMeta file) {
    return NodeDirectories.resolve(directory, file.name());
  }

  private void move(FileMeta file, Path place) {
    try {
      kept.keep(file.path(), () -> file.crc().equals(OptionalInt.of(FileChecks.crc(place))));
      Files.move(staged(file), place, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw Faults.io(place, e);
    }
  }
}

package io.vertxscr.scavenge;

import io.vertxscr.format.prefix.RankFilemap.StoredRedundancy;
import io.vertxscr.format.prefix.RankFilemap;
import io.vertxscr.format.prefix.RankFilemapFile;
import io.vertxscr.format.prefix.Summary;
import io.vertxscr.format.prefix.SummaryFile;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.extent.CheckedCopy;
import io.vertxscr.prefix.copy.extent.SourceFile;
import io.vertxscr.prefix.metadata.MetadataFiles;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.storage.AtomicFile;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.Presence;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Copies one node's part of a dataset to its directory in the prefix directory. Files and redundancy are checked in the
 * same pass; each rank gets a filemap. Files that are there already from an earlier call are not copied again. The
 * node's daemon must not be running.
 *
 * <p>Where two nodes have the same rank, of a crash during a restart, their copies must be made one after the other.
 *
 * <p>Everything is copied to drafts first and gets its name when it is durable; a rank's filemap comes after its files.
 * No file of a dataset that a reader could use is touched.
 */
public final class ScavengeCopy {
  private final NodeCache cache;
  private final DatasetRecord record;
  private final Path source;
  private final Path target;
  private final PrefixPaths paths;

  /**
   * A file that could not be had.
   *
   * @param unread whether it is there and cannot be read now, so that it may be good
   */
  public record CopyProblem(String sentence, boolean unread) {
    static CopyProblem of(ScrException failure) {
      return new CopyProblem(failure.getMessage(), SourceFile.isUnread(failure));
    }

    /** Of a rank's redundancy file at which the look has failed. */
    static CopyProblem of(int rank, Path cached, IOException failure) {
      return new CopyProblem("rank " + rank + ": " + Faults.io(cached, failure).getMessage(),
          !(failure instanceof NoSuchFileException));
    }
  }

  /** Result of the copy. @param lacks files that could not be had */
  public record NodeCopy(List<Integer> ranks, long files, long bytes, List<CopyProblem> lacks) {
    /** Files that could not be had, in sentences. */
    public List<String> problems() {
      return lacks.stream().map(CopyProblem::sentence).toList();
    }
  }

  private record CopiedRank(int rank, long files, long bytes, List<CopyProblem> problems) {}

  /** @throws ScrException NO_SUCH_DATASET if the node has nothing of it that was written for this prefix directory */
  public ScavengeCopy(NodeCache cache, int id, PrefixPaths paths) {
    this.cache = cache;
    this.record = cache.find(id, paths).orElseThrow(() -> new ScrException(Fault.NO_SUCH_DATASET,
        "node " + cache.node() + " has nothing of dataset " + id + " of " + paths.prefix() + ", as its filemaps in "
            + cache.control() + " say"));
    this.source = NodeCache.directory(record, cache.control());
    this.target = paths.dataset(id);
    this.paths = paths;
  }

  /** Why a dataset stays: readers may take another one of its id, in a sentence. Empty if there is none. */
  static Optional<String> ofAnother(PrefixPaths paths, DatasetDescriptor dataset) {
    try {
      return MetadataFiles.read(paths.summary(dataset.id()), SummaryFile::decode).filter(Summary::complete)
          .map(Summary::descriptor).filter(there -> !there.sameAs(dataset)).map(there -> "dataset " + dataset.id()
              + " \"" + dataset.name() + "\" stays in the caches: " + paths.prefix() + " has a complete dataset of that"
              + " id, \"" + there.name() + "\", which an earlier run wrote. Where that is not wanted any more, drop it"
              + " (scr index --drop " + there.name() + ") and start the daemons again, which flush");
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return Optional.empty();                            // nobody may take it
    }
  }

  /** @throws ScrException WRONG_STATE if another dataset has its id; NO_SPACE, IO: the call may be repeated */
  public NodeCopy run() {
    ofAnother(paths, record.descriptor()).ifPresent(problem -> {
      throw new ScrException(Fault.WRONG_STATE, problem);
    });
    PrefixDirectories.createDurably(paths.prefix(), target.resolve(".scr"));
    String drafts = "draft." + cache.node() + ".";
    try {
      for (Path left : MetadataFiles.list(target.resolve(".scr"), drafts + "*")) {
        Trees.delete(left);                               // of a call that was killed
      }
      Path directory = Files.createTempDirectory(target.resolve(".scr"), drafts);
      try {
        if (record.origin().flush().containers().isPresent()) {
          return runPacked(directory);
        }
        List<CopiedRank> ranks = Workers.map(record.ranks(), rank -> copy(rank, directory));
        return new NodeCopy(ranks.stream().map(CopiedRank::rank).sorted().toList(),
            ranks.stream().mapToLong(CopiedRank::files).sum(), ranks.stream().mapToLong(CopiedRank::bytes).sum(),
            ranks.stream().flatMap(rank -> rank.problems().stream()).toList());
      } finally {
        Trees.delete(directory);
      }
    } catch (IOException e) {
      throw Faults.io(target, e);
    }
  }

  private NodeCopy runPacked(Path drafts) throws IOException {
    Map<Integer, RankFilemap> before = new HashMap<>();
    for (RankRecord rank : record.ranks()) {
      before(rank.files().rank()).ifPresent(map -> before.put(rank.files().rank(), map));
    }
    return new PackedScavengeCopy(cache.node(), record, source, target).run(drafts, before);
  }

  private CopiedRank copy(RankRecord rank, Path drafts) {
    int number = rank.files().rank();
    Optional<RankFilemap> before = before(number);
    List<CopyProblem> problems = new ArrayList<>();
    List<FileMeta> files = new ArrayList<>();
    Set<Path> directories = new LinkedHashSet<>();
    for (FileMeta file : rank.files().files()) {
      Optional<FileMeta> there = before.flatMap(map -> new FilesThere(target, map).copyOf(file));
      if (there.isPresent()) {
        files.add(there.get());
        continue;
      }
      Path draft = drafts.resolve(number + "." + files.size());
      copyOne(number, file, draft, problems).ifPresent(copied -> {
        files.add(copied);
        directories.add(name(draft, copied.name()));
      });
    }
    List<StoredRedundancy> redundancy = new ArrayList<>(before.map(RankFilemap::redundancy).orElse(List.of()));
    if (rank.redundancy().isPresent()) {
      redundancy(rank, drafts, redundancy, problems);
    }
    directories.add(target);
    PrefixDirectories.force(Trees.upTo(paths.prefix(), directories));
    AtomicFile.replace(target.resolve(number + ".scrfilemap"), RankFilemapFile.encode(new RankFilemap(
        record.descriptor(), record.origin().ranks(),
        RankFilemap.expectedFiles(rank.files(), rank.redundancy().isPresent(), redundancy),
        new RankFiles(number, files), redundancy)));
    long bytes = files.stream().mapToLong(FileMeta::bytes).sum()
        + redundancy.stream().mapToLong(StoredRedundancy::bytes).sum();
    return new CopiedRank(number, files.size() + redundancy.size(), bytes, problems);
  }

  /** Returns the copy of a rank by an earlier call, or by another node that had this rank too. */
  private Optional<RankFilemap> before(int rank) {
    try {
      return MetadataFiles.read(target.resolve(rank + ".scrfilemap"), RankFilemapFile::decode)
          .filter(map -> map.descriptor().equals(record.descriptor()));
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return Optional.empty();
    }
  }

  private Optional<FileMeta> copyOne(int rank, FileMeta file, Path draft, List<CopyProblem> problems) {
    try {
      var from = SourceFile.scavenged(NodeDirectories.resolve(source, file.name()), file,
          "rank " + rank + ": cached copy of " + file.path());
      var copy = new CheckedCopy(from, draft, OptionalLong.of(file.bytes()), file.crc());
      CheckedCopy.Copied copied = FileChecks.twice(() -> copy.run(CheckedCopy.Sync.FORCE));
      return Optional.of(file.withCrc(copied.crc()));
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      problems.add(CopyProblem.of(e));
      return Optional.empty();
    }
  }

  /**
   * After a crash during a new protection two nodes may have redundancy of different sets. Both are kept, in numbered
   * directories.
   */
  private void redundancy(RankRecord rank, Path drafts, List<StoredRedundancy> known,
      List<CopyProblem> problems) {
    int number = rank.files().rank();
    String base = rank.set().fileName(number, record.scheme());
    Path cached = NodeDirectories.resolve(source, rank.redundancy().orElseThrow());
    long bytes;
    try {
      bytes = Files.size(cached);
    } catch (IOException e) {
      problems.add(CopyProblem.of(number, cached, e));
      return;
    }
    Path draft = drafts.resolve(number + ".redundancy");
    copyOne(number, new FileMeta(rank.redundancy().get(), base, bytes, OptionalInt.empty()), draft, problems)
        .ifPresent(copied -> {
          int crc = copied.crc().orElseThrow();
          if (known.stream().noneMatch(other -> other.crc() == crc && other.bytes() == bytes)) {
            String name = base;
            for (int k = 1; Presence.exists(NodeDirectories.resolve(target, name)) && isKnown(known, name); k++) {
              name = k + "/" + base;
            }
            name(draft, name);
            known.add(new StoredRedundancy(name, record.scheme(), bytes, crc));
          }
        });
  }

  private static boolean isKnown(List<StoredRedundancy> known, String name) {
    return known.stream().anyMatch(file -> file.name().equals(name));
  }

  /** @return the directory in which the name is */
  private Path name(Path draft, String name) {
    Path place = NodeDirectories.resolve(target, name);
    PrefixDirectories.create(paths.prefix(), place.getParent());
    try {
      Files.move(draft, place, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw Faults.io(place, e);
    }
    return place.getParent();
  }
}

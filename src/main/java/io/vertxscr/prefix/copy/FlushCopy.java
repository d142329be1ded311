package io.vertxscr.prefix.copy;

import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.model.Compression;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.extent.CheckedCopy.RunningCopy;
import io.vertxscr.prefix.copy.extent.CheckedCopy.Sync;
import io.vertxscr.prefix.copy.extent.CheckedCopy;
import io.vertxscr.prefix.copy.extent.Extent;
import io.vertxscr.prefix.copy.extent.FlushTarget;
import io.vertxscr.prefix.copy.extent.LargeDraft.Places;
import io.vertxscr.prefix.copy.extent.LargeDraft;
import io.vertxscr.prefix.copy.extent.Meter;
import io.vertxscr.prefix.copy.extent.ResumableCopy;
import io.vertxscr.prefix.copy.extent.SourceFile;
import io.vertxscr.prefix.copy.zstd.CompressedDraft;
import io.vertxscr.prefix.copy.zstd.CompressedFile;
import io.vertxscr.prefix.metadata.DraftOwner;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.LearnedChecksums;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.Presence;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Copies one dataset's files from this node's cache to paths of their own in the prefix directory. All are written as
 * drafts first, and renamed when the leader knows that every node has all its drafts.
 *
 * <p>Nothing that had one of the names before is touched until {@link #publish}. Every step can be repeated: a
 * copy starts over (comparing an old draft would read as many bytes from the parallel file system as writing it),
 * but for the extents of a large file that are marked as durable ({@link LargeDraft}); a file that is published
 * already is recognised by size and checksum. An object serves one attempt; safe for many
 * threads.
 */
public final class FlushCopy implements FlushTarget {
  private final PrefixPaths paths;
  private final DraftOwner owner;
  private final int dataset;
  private final KeptFiles kept;
  private final Path cacheDirectory;
  private final OwnDrafts drafts;
  private final Manner manner;
  private final LearnedChecksums learned;
  private final Set<Path> checkedDirectories = ConcurrentHashMap.newKeySet();

  /** Owner of resumable drafts, as journals name it, piece size, compression. */
  private record Manner(Optional<String> owner, long extentBytes, Optional<Compression> compression) {
    private static final Manner PLAIN = new Manner(Optional.empty(), Extent.MOST_BYTES, Optional.empty());
  }

  /**
   * @param owner of the drafts: nobody else writes them
   * @param cacheDirectory the dataset's directory in this node's cache
   * @param drafts of the owner, in this and earlier attempts
   */
  public FlushCopy(PrefixPaths paths, DraftOwner owner, Path cacheDirectory, OwnDrafts drafts) {
    this(paths, owner, cacheDirectory, drafts, Manner.PLAIN, new LearnedChecksums());
  }

  private FlushCopy(
      PrefixPaths paths, DraftOwner owner, Path cacheDirectory, OwnDrafts drafts, Manner manner,
      LearnedChecksums learned) {
    this.paths = paths;
    this.owner = owner;
    this.dataset = owner.dataset().id();
    this.kept = new KeptFiles(paths, dataset);
    this.cacheDirectory = cacheDirectory;
    this.drafts = drafts;
    this.manner = manner;
    this.learned = learned;
  }

  /**
   * Returns a copy that resumes large files from earlier attempts of the same owner.
   *
   * @param extentBytes those that have more are large, and cut into extents of this size
   */
  public FlushCopy resuming(long extentBytes) {
    String name = owner.node() + " dataset " + dataset + " of " + owner.dataset().createdUs();
    return with(new Manner(Optional.of(name), extentBytes, manner.compression));
  }

  /** Returns a copy that compresses each file if the descriptor says so; its path then has another name. */
  public FlushCopy compressing(Optional<Compression> compression) {
    return with(new Manner(manner.owner, manner.extentBytes, compression));
  }

  private FlushCopy with(Manner other) {
    return new FlushCopy(paths, owner, cacheDirectory, drafts, other, learned);
  }

  @Override
  public LearnedChecksums learned() {
    return learned;
  }

  /** Returns the path of a file, relative to the prefix. */
  private String place(FileMeta file) {
    return manner.compression.isPresent() ? FlushedFile.compressedPlace(file.path()) : file.path();
  }

  /** Returns one extent for each file; several for a large one that can be resumed. */
  @Override
  public List<Extent> extents(List<RankFiles> ranks) {
    return ranks.stream().flatMap(rank -> rank.files().stream()).flatMap(file -> isDivided(file) ? large(file)
        : Stream.of(new Extent("flush " + file.path(), file.bytes(), meter -> copy(file, meter)))).toList();
  }

  private boolean isLarge(FileMeta file) {
    return manner.owner.isPresent() && file.bytes() > manner.extentBytes;
  }

  /** A compressed file is one piece of work: where its parts begin is not known before. */
  private boolean isDivided(FileMeta file) {
    return isLarge(file) && manner.compression.isEmpty();
  }

  private Stream<Extent> large(FileMeta file) {
    Path draft = draft(file);
    LargeDraft large = new LargeDraft(
        places(file), file, manner.owner.orElseThrow(), cachedCopy(file), manner.extentBytes);
    return IntStream.range(0, large.count()).mapToObj(extent -> new Extent(
        "flush " + file.path() + ", part " + (extent + 1) + " of " + large.count(), large.bytes(extent),
        meter -> new InDirectory(draft.getParent(), () -> {
          drafts.begins(owner.dataset(), draft);
          return large.copy(extent, meter, () -> isWritten(file, draft, large.crc()));
        })));
  }

  private Places places(FileMeta file) {
    return new Places(NodeDirectories.resolve(cacheDirectory, file.name()), draft(file), marks(file));
  }

  private Path draft(FileMeta file) {
    return paths.draft(place(file), owner);
  }

  private Path marks(FileMeta file) {
    return paths.marks(place(file), owner);
  }

  private String cachedCopy(FileMeta file) {
    return "dataset " + dataset + ": cached copy of " + file.path();
  }

  /**
   * Copies one file to its draft, durably.
   *
   * @throws ScrException {@link Fault#CORRUPT} or {@link Fault#NO_SUCH_FILE}: the cached copy is bad or gone and
   *     counts as lost; {@link Fault#OUTSIDE_PREFIX}: a link leads out of the prefix by now; {@link
   *     Fault#NO_SPACE}, {@link Fault#IO}: the prefix directory cannot take it now. Its draft is gone then; the
   *     caller discards the others.
   */
  public void copy(FileMeta file) {
    ResumableCopy.run(copy(file, Meter.NONE));
  }

  private ResumableCopy copy(FileMeta file, Meter meter) {
    return new InDirectory(draft(file).getParent(), () -> toDraft(file, meter));
  }

  private ResumableCopy toDraft(FileMeta file, Meter meter) {
    Path draft = draft(file);
    drafts.begins(owner.dataset(), draft);
    if (manner.compression.isPresent()) {
      CompressedDraft compressed = compressed(file);
      return compressed.copy(meter).then(() -> isWritten(file, draft, compressed.crc()));
    }
    RunningCopy plain = plain(file, draft).begin(Sync.FORCE, meter);
    return plain.then(() -> isWritten(file, draft, plain.copied().crc()));
  }

  private void isWritten(FileMeta file, Path draft, int crc) {
    drafts.finished(owner.dataset(), draft);
    learned.add(file, crc);
  }

  private CompressedDraft compressed(FileMeta file) {
    int level = manner.compression.orElseThrow().level();
    return new CompressedDraft(places(file), file, cachedCopy(file),
        CompressedDraft.Manner.of(level, manner.extentBytes, manner.owner));
  }

  private CheckedCopy plain(FileMeta file, Path draft) {
    SourceFile cached = SourceFile.cached(
        NodeDirectories.resolve(cacheDirectory, file.name()), file, cachedCopy(file));
    return new CheckedCopy(cached, draft, OptionalLong.of(file.bytes()), file.crc());
  }

  /**
   * Renames the drafts of these files to their final names, durably, directories included. The caller knows that all
   * drafts of the dataset, on all nodes, are there, and that its leader is the newest. What had the names before stays
   * beside them until {@link #removeKept}.
   *
   * <p>What is renamed is what this process has written, compared with its checksum and synced: the same inode, of the
   * same size and time ({@link OwnDrafts}). Of any other draft, as after a restart of the daemon, every byte is
   * read and compared first.
   *
   * @param files as they were copied; without a checksum, one that has no draft is not recognised
   * @return whether any of the names was in use before
   * @throws ScrException NO_SUCH_FILE if a file has neither a draft nor, from an earlier call, its place; IO
   */
  @Override
  public boolean publish(Collection<FileMeta> files) {
    Set<Path> directories = new LinkedHashSet<>();
    boolean replaced = false;
    for (FileMeta file : files) {
      Path place = paths.file(place(file));
      replaced |= publish(file, draft(file), place);
      removeMarks(file);
      directories.add(place.getParent());
    }
    // all parents: an earlier attempt may have created them and died before it synced them
    PrefixDirectories.force(Trees.upTo(paths.prefix(), directories));
    return replaced;
  }

  /** Removes the drafts of these files, best effort: the next attempt replaces the rest. */
  @Override
  public void discard(Collection<FileMeta> files) {
    for (FileMeta file : files) {
      try {
        removeMarks(file);
        Files.deleteIfExists(draft(file));
        drafts.gone(owner.dataset(), draft(file));
      } catch (IOException | ScrException _) {
        // a remaining draft only takes space; report the failure that led here
      }
    }
  }

  private void removeMarks(FileMeta file) {
    if (isLarge(file)) {
      Path marks = marks(file);
      try {
        Files.deleteIfExists(marks);
      } catch (IOException e) {
        throw Faults.io(marks, e);
      }
    }
  }

  private void makeDirectory(Path directory) {
    if (!checkedDirectories.contains(directory)) {
      PrefixDirectories.create(paths.prefix(), directory);
      checkedDirectories.add(directory);
    }
  }

  private boolean publish(FileMeta file, Path draft, Path place) {
    try {
      if (Presence.isFile(draft)) {
        return rename(file, draft, place);
      }
      if (!isWhole(file, place)) {
        throw new ScrException(Fault.NO_SUCH_FILE, "dataset " + dataset + ": " + file.path()
            + " has no draft in the prefix directory " + paths.prefix() + "; it must be copied again");
      }
      return true;                                        // by this one; nobody knows what was there before it
    } catch (IOException e) {
      throw Faults.io(place, e);
    }
  }

  private boolean rename(FileMeta file, Path draft, Path place) throws IOException {
    if (!drafts.hasWhole(owner.dataset(), draft)) {
      drafts.finished(owner.dataset(), draft);            // the inode that is read now is the one that is renamed
      if (!isWhole(file, draft) || !drafts.hasWhole(owner.dataset(), draft)) {
        drafts.begins(owner.dataset(), draft);            // again
        throw new ScrException(Fault.NO_SUCH_FILE, "dataset " + dataset + ": the draft of " + file.path()
            + " in the prefix directory " + paths.prefix() + " is not whole; it must be copied again");
      }
    }
    boolean taken = kept.keep(place(file), () -> isWhole(file, place));
    Files.move(draft, place, StandardCopyOption.ATOMIC_MOVE);
    drafts.gone(owner.dataset(), draft);
    return taken;
  }

  /** The dataset is complete: removes what these files' places held before. */
  @Override
  public void removeKept(Collection<FileMeta> files) {
    files.forEach(file -> kept.remove(place(file)));
  }

  /** Reads all of it. */
  private boolean isWhole(FileMeta file, Path place) {
    if (manner.compression.isPresent()) {
      return file.crc().isPresent() && isWhole(new CompressedFile(
          place, FlushedFile.of(file), "dataset " + dataset + " in the prefix directory: " + file.path()));
    }
    return Presence.look(place).filter(found -> found.isRegularFile() && found.size() == file.bytes()).isPresent()
        && file.crc().isPresent() && FileChecks.crc(place) == file.crc().getAsInt();
  }

  private static boolean isWhole(CompressedFile file) {
    try {
      file.check();
      return true;
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return false;
    }
  }

  /**
   * Returns the sizes of these files in the prefix directory, after their publication.
   *
   * @throws ScrException NO_SUCH_FILE naming one that is not there; IO
   */
  public List<Long> storedBytes(RankFiles rank) {
    return rank.files().stream().map(file -> {
      Path place = paths.file(place(file));
      try {
        return Files.size(place);
      } catch (NoSuchFileException e) {
        throw new ScrException(Fault.NO_SUCH_FILE, "dataset " + dataset + ": " + place + " is gone", e);
      } catch (IOException e) {
        throw Faults.io(place, e);
      }
    }).toList();
  }

  /**
   * A copy into a directory that may be deleted before a draft is in it. It goes with the last file of a dataset that
   * is deleted.
   */
  private final class InDirectory implements ResumableCopy {
    private final Path directory;
    private final Supplier<ResumableCopy> copying;
    private ResumableCopy copy;

    InDirectory(Path directory, Supplier<ResumableCopy> copying) {
      this.directory = directory;
      this.copying = copying;
    }

    @Override
    public boolean resume() {
      if (copy != null) {
        return copy.resume();
      }
      try {
        return begin();
      } catch (ScrException e) {
        if (Files.isDirectory(directory)) {
          throw e;
        }
        checkedDirectories.remove(directory);
        close();
        return begin();
      }
    }

    private boolean begin() {
      makeDirectory(directory);
      copy = copying.get();
      return copy.resume();
    }

    @Override
    public void close() {
      if (copy != null) {
        copy.close();
      }
    }
  }
}

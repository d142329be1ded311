package io.vertxscr.storage;

import io.vertxscr.model.CacheDirectory;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.CacheNames;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Datasets of one node: filemaps of its control directory, and one cache directory in each store. One per node, under
 * its {@link NodeLock}. Thread-safe; every method but {@link #place}, {@link #register}, {@link #forget} and the pure
 * questions {@link #find}, {@link #list}, {@link #files}, {@link #directory} and {@link #redundancy} blocks on the file
 * system, or waits for one that does.
 *
 * <p>The filemap is the truth: it is written after the files and deleted before them, so a directory without one is
 * garbage. Deleting costs a rename; {@link #emptyTrash} does the long part, whenever the owner likes. A store is opened
 * and tidied up when it is first used; those that filemaps name, when the node starts.
 *
 * <p>Only redundancy files that a filemap names are recycled: those have no writers any more. They stay within
 * their store.
 */
public final class DatasetStore {
  private static final Logger LOG = LoggerFactory.getLogger(DatasetStore.class);
  private static final Pattern GENERATION = Pattern.compile("g[0-9]{1,9}");

  private final NodeDirectories directories;
  private final Filemaps filemaps;
  /** Empty where nobody tells which boot of the machine this is. */
  private final Optional<MountIdentity> mounts;
  /** Bases of the stores that this node uses: its own, those of its datasets, those of its runs. */
  private final Set<String> stores = ConcurrentHashMap.newKeySet();
  private final Map<Path, Bins> bins = new ConcurrentHashMap<>();
  private final Map<Integer, CacheDirectory> placed = new ConcurrentHashMap<>();
  private final Map<Integer, Map<Integer, RankFiles>> writing = new ConcurrentHashMap<>();
  private final Map<Integer, Map<Integer, Path>> lent = new ConcurrentHashMap<>();
  /** Datasets that are forgotten while their directories are there. For a moment, or until an error has passed. */
  private final Map<Integer, Leaving> leaving = new ConcurrentHashMap<>();
  private final DamagedParts damaged = new DamagedParts();
  private final List<Consumer<DatasetKey>> evicted = new CopyOnWriteArrayList<>();
  private volatile Optional<String> remark = Optional.empty();

  /**
   * A rank's files of a dataset on this node.
   *
   * @param complete false while the dataset is still being protected
   */
  public record Holding(RankFiles files, boolean complete) {}

  /** A dataset whose directory is to go. @param record empty where it had no filemap */
  private record Leaving(Path cache, Optional<DatasetRecord> record) {}

  private DatasetStore(NodeDirectories directories, Filemaps filemaps) {
    this.directories = directories;
    this.filemaps = filemaps;
    this.mounts = mounts(directories.control().getFileSystem());
    stores.add(directories.base().toString());
    filemaps.list().forEach(record -> stores.add(record.cache().base()));
  }

  /**
   * Reads all filemaps, and moves what no filemap names to the trash. A filemap that cannot be understood is moved
   * aside as {@code *.unreadable}, and its dataset counts as not held here.
   *
   * @throws ScrException IO: nothing was moved on account of a file that could not be read
   */
  public static DatasetStore open(NodeDirectories directories) {
    directories.create();
    try {
      var store = new DatasetStore(directories, Filemaps.read(directories));
      store.bins(directories.cache());
      for (DatasetRecord record : store.list()) {
        store.bins(directories.path(record.cache().path()));
      }
      return store;
    } catch (IOException e) {
      throw Faults.io(directories.control(), e);
    }
  }

  /** From now on tells of datasets that are forgotten. @param observer must not block, nor come back; on any thread */
  public void whenEvicted(Consumer<DatasetKey> observer) {
    evicted.add(observer);
  }

  /** Parts of datasets here that have failed their check. In memory. */
  public DamagedParts damaged() {
    return damaged;
  }

  public NodeDirectories directories() {
    return directories;
  }

  /** What an operator should know of where datasets are. */
  public Optional<String> remark() {
    return remark;
  }

  /**
   * A run uses this store. Until then only the node's own one and those of its datasets are used.
   *
   * @param storeBase absolute
   */
  public void use(String storeBase) {
    stores.add(directories.cache(storeBase).base());
  }

  /**
   * This node's cache directory in a store that it uses.
   *
   * @throws ScrException OUTSIDE_PREFIX if it does not use that store, BAD_CONFIGURATION if the path is not absolute
   */
  public CacheDirectory cacheIn(String storeBase) {
    CacheDirectory cache = directories.cache(storeBase);
    if (!stores.contains(cache.base())) {
      throw new ScrException(Fault.OUTSIDE_PREFIX, "'" + storeBase + "' is no store of this node or its run");
    }
    return cache;
  }

  /**
   * The directory of a dataset on another node of this host, whose files this node may read by path. Below a store that
   * this node uses too, in directories of that node of this job that belong to this user alone. Blocking.
   *
   * @param node as it calls itself
   * @param storeBase as it says; not believed
   */
  public Optional<Path> neighbour(String node, String storeBase, int datasetId) {
    return stores.contains(storeBase)
        ? directories.neighbour(node, storeBase).map(cache -> NodeDirectories.dataset(cache, datasetId))
        : Optional.empty();
  }

  /**
   * Sets the store of a future dataset; the default is the store of the node's own settings.
   *
   * @param storeBase absolute
   * @throws ScrException OUTSIDE_PREFIX if it is no store that this node uses
   */
  public void place(int datasetId, String storeBase) {
    CacheDirectory cache = cacheIn(storeBase);
    if (!filemaps.has(datasetId)) {
      placed.put(datasetId, cache);
    }
  }

  /** Whether what protects a dataset is to be synced: not where a loss of power takes the whole store. Blocking. */
  public boolean syncs(int datasetId) {
    return !bins(directories.path(cache(datasetId).path())).isInMemory();
  }

  /** The cache directory that a dataset is in, or will be. */
  public CacheDirectory cache(int datasetId) {
    return filemaps.find(datasetId).map(DatasetRecord::cache).orElseGet(() ->
        placed.getOrDefault(datasetId, directories.cache(directories.base().toString())));
  }

  /** The directory of a dataset. */
  public Path directory(int datasetId) {
    return NodeDirectories.dataset(directories.path(cache(datasetId).path()), datasetId);
  }

  /** The directory of a rank's files. */
  public Path directory(int datasetId, int rank) {
    return directory(datasetId).resolve(CacheNames.directory(rank));
  }

  /** Returns this node's record of a dataset. */
  public Optional<DatasetRecord> find(int datasetId) {
    return filemaps.find(datasetId);
  }

  /** All datasets that this node holds anything of, ascending by id. */
  public List<DatasetRecord> list() {
    return filemaps.list();
  }

  /** Highest id of all datasets that this node has held since it started; 0 for none. */
  public int newestId() {
    return filemaps.newestId();
  }

  /** Returns the bytes of a dataset on this node, redundancy included; 0 if there is none. */
  public long bytes(int datasetId) {
    return filemaps.bytes(datasetId);
  }

  /** Returns the bytes of all datasets in a store. */
  public long bytes(String storeBase) {
    return list().stream().filter(record -> record.cache().base().equals(storeBase))
        .mapToLong(record -> bytes(record.descriptor().id())).sum();
  }

  /** Returns the free bytes of a store's file system. */
  public long freeBytes(String storeBase) {
    Path cache = directories.path(cacheIn(storeBase).path());
    bins(cache);
    return LocalFiles.usableBytes(cache);
  }

  /** Directories of the user's other jobs in a store, which may be what fills it. Blocking. */
  public List<Path> otherJobs(String storeBase) {
    return directories.otherJobs(directories.path(storeBase));
  }

  /** Returns the bytes of a store's file system, free or not. */
  public long wholeBytes(String storeBase) {
    Path cache = directories.path(cacheIn(storeBase).path());
    bins(cache);
    long bytes = LocalFiles.wholeBytes(cache);            // a FileStore would read the table of mounts in each phase
    if (bytes == 0) {
      throw new ScrException(Fault.IO, "the size of the file system of " + cache + " cannot be found out");
    }
    return bytes;
  }

  /** Returns how much of its file system is free, of the fullest store: 0 to 1, NaN if none is there. Blocking. */
  public double freeRatio() {
    return stores.stream().map(directories::path).mapToDouble(LocalFiles::freeRatio)
        .filter(ratio -> !Double.isNaN(ratio)).min().orElse(Double.NaN);
  }

  /** Frees the space of a store's trash and recycled files. May take long. */
  public void reclaim(String storeBase) {
    Bins store = bins(directories.path(cacheIn(storeBase).path()));
    synchronized (this) {
      store.discardRecycled();
    }
    store.emptyTrash();
  }

  /**
   * Writes the dataset's filemap, durably; its files must be complete. Redundancy files that the filemap named before
   * and does not name any more are recycled, files of ranks that it does not name any more go to the trash. The
   * registrations of the dataset end.
   */
  public synchronized void save(DatasetRecord record) {
    int id = record.descriptor().id();
    Path cache = directories.path(record.cache().path());
    forceDirectories(record);                   // before the filemap that speaks of what is in them
    Optional<DatasetRecord> before = filemaps.save(record);
    placed.remove(id);
    writing.remove(id);
    Set<String> kept = Filemaps.redundancyOf(record);
    before.ifPresent(old -> {
      bins(cache).recycle(
          id, Filemaps.redundancyOf(old).stream().filter(name -> !kept.contains(name)).toList());
      old.ranks().stream().map(rank -> rank.files().rank()).filter(rank -> record.rank(rank).isEmpty())
          .forEach(rank -> bins(cache).trash(directory(id, rank)));
    });
  }

  /**
   * Changes what the filemap of a dataset says, durably. Does nothing if this node does not hold that very dataset any
   * more. Changes by different threads are made one after the other.
   */
  public synchronized void update(DatasetKey dataset, UnaryOperator<DatasetRecord> change) {
    find(dataset.id()).filter(record -> record.descriptor().key().equals(dataset))
        .ifPresent(record -> save(change.apply(record)));
  }

  /**
   * Adds files that were brought here to what the filemap of their dataset says by now, durably.
   *
   * @param nothing of the dataset, where this node held none of it before
   * @throws ScrException NO_SUCH_DATASET if it was evicted since it was {@link #place placed}: they went with it
   */
  public synchronized void bring(DatasetRecord nothing, UnaryOperator<DatasetRecord> change) {
    int id = nothing.descriptor().id();
    DatasetRecord held = find(id).or(() -> Optional.of(nothing).filter(_ -> placed.containsKey(id)))
        .filter(record -> record.key().equals(nothing.key())).orElseThrow(() -> new ScrException(
            Fault.NO_SUCH_DATASET, "dataset " + id + " was evicted while files of it were brought here"));
    save(change.apply(held));
  }

  /**
   * Notes by what a rank's files are known again, instead of reading them ({@link UnreadFiles}). What is known of them
   * stays.
   *
   * @param measured with sizes and times
   * @return empty where their store, or the machine, does not tell enough: they have to be read
   * @throws ScrException FILE_CHANGED if a file is not as it was measured
   */
  public Optional<RankFiles> unread(int datasetId, RankFiles measured) {
    boolean isKnown = measured.files().stream().allMatch(file -> file.crc().isPresent() || file.unread().isPresent());
    return isKnown ? Optional.of(measured) : bins(directories.path(cache(datasetId).path())).isExact()
        ? UnreadFiles.note(directory(datasetId), measured) : Optional.empty();
  }

  /**
   * Seals files of a dataset that are looked at after this.
   *
   * @param now by the clock of the file system
   */
  public Sealing sealing(int datasetId, Instant now) {
    return sealing(directories.path(cache(datasetId).path()), now);
  }

  /** The same for files of a store. */
  public Sealing sealing(String storeBase, Instant now) {
    return sealing(directories.path(cacheIn(storeBase).path()), now);
  }

  private static Optional<MountIdentity> mounts(FileSystem of) {
    try {
      return MountIdentity.on(of);
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private Sealing sealing(Path cache, Instant now) {
    Bins store = bins(cache);
    try {
      return mounts.isPresent() && store.isExact()
          ? new Sealing(mounts.get().of(cache), store.hasExactTimes(), now) : Sealing.NONE;
    } catch (IOException _) {
      return Sealing.NONE;
    }
  }

  /** Notes seals of files that are still held here, durably. Nothing waits for it; without them files are read. */
  public void sealed(DatasetKey dataset, List<RankRecord> sealed) {
    update(dataset, held -> held.with(held.ranks().stream().map(rank -> sealed.stream().filter(rank::isLike).findFirst()
        .map(same -> rank.with(same.seals())).orElse(rank)).toList()));
  }

  /** Records checksums of files that are still held here, durably. */
  public synchronized void learned(int datasetId, LearnedChecksums known) {
    find(datasetId).ifPresent(record -> save(known.into(record)));
  }

  /**
   * Writes the filemap of a dataset again where it does not say what this node knows.
   *
   * @return what was wrong with it, in a sentence; empty where nothing was, or the dataset is not here
   */
  public synchronized Optional<String> mendFilemap(DatasetKey dataset) {
    Optional<DatasetRecord> record = find(dataset.id()).filter(held -> held.descriptor().key().equals(dataset));
    Optional<String> problem = record.flatMap(filemaps::problem);
    problem.ifPresent(_ -> save(record.orElseThrow()));
    return problem;
  }

  /**
   * Brings files, and all names that lead to them from the cache, to stable storage. What is there already costs
   * little. Once a sync has failed it fails until the dataset is evicted ({@link #hasLostWrites}); where something
   * could only not be opened, nothing is lost by that.
   *
   * @throws ScrException NO_SUCH_FILE, IO: nobody knows what is there then
   */
  public void sync(int datasetId, List<RankFiles> ranks) {
    Path cache = directories.path(cache(datasetId).path());
    Path dataset = directory(datasetId);
    List<Path> files = ranks.stream().flatMap(rank -> rank.files().stream())
        .map(file -> NodeDirectories.resolve(dataset, file.name())).toList();
    if (hasLostWrites(datasetId)) {
      throw new ScrException(Fault.IO, dataset + ": an earlier sync has failed, so what it was to write may be lost");
    }
    Set<Path> above = Trees.upTo(cache,
        Stream.concat(Stream.of(dataset), files.stream().map(Path::getParent)).distinct().toList());
    try {
      for (Path path : Stream.concat(files.stream(), above.stream()).toList()) {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
          sync(datasetId, channel);
        }
      }
    } catch (IOException e) {
      throw Faults.io(dataset, e);
    }
  }

  private void sync(int datasetId, FileChannel channel) {
    try {
      channel.force(true);
    } catch (IOException e) {
      ScrException failure = Faults.io(directory(datasetId), e);
      markLostWrites(datasetId, failure);
      throw failure;
    }
  }

  private synchronized void markLostWrites(int datasetId, ScrException failure) {
    try {
      filemaps.markLostWrites(datasetId, String.valueOf(failure.getMessage()));
    } catch (ScrException e) {
      failure.addSuppressed(e);                           // this life of the daemon remembers it
    }
  }

  /**
   * Whether a sync of a dataset has failed, in this life of the node or an earlier one. The kernel may have dropped
   * what it could not write, without a trace in the times of files, and calls the next sync a success.
   */
  public boolean hasLostWrites(int datasetId) {
    return filemaps.hasLostWrites(datasetId);
  }

  /**
   * Registers a rank's files for reads by other nodes during protection, before there is a filemap. Ends with
   * {@link #save} or {@link #evict}. In memory: waits for no sync of another dataset.
   *
   * @throws ScrException WRONG_STATE if this node holds a dataset of that id already
   */
  public void register(int datasetId, RankFiles files) {
    writing.compute(datasetId, (id, before) -> {          // atomic with the removal after a filemap is there
      if (filemaps.has(id)) {
        throw new ScrException(Fault.WRONG_STATE,
            "dataset " + id + " is in " + cache(id).path() + " already and cannot be written again");
      }
      Map<Integer, RankFiles> ranks = before == null ? new ConcurrentHashMap<>() : before;
      ranks.put(files.rank(), files);
      return ranks;
    });
  }

  /** Removes the registrations of a dataset without a filemap; its files are not in a cache. In memory. */
  public void forget(int datasetId) {
    if (!filemaps.has(datasetId)) {
      placed.remove(datasetId);
      writing.remove(datasetId);
    }
  }

  /** The files of a rank, held or registered. */
  public Optional<Holding> files(int datasetId, int rank) {
    Optional<Holding> complete = find(datasetId).flatMap(record -> record.rank(rank))
        .map(found -> new Holding(found.files(), true));
    return complete.or(() -> Optional.ofNullable(writing.getOrDefault(datasetId, Map.of()).get(rank))
        .map(files -> new Holding(files, false)));
  }

  /** The redundancy file that a rank wrote, where the filemap names one. */
  public Optional<Path> redundancy(int datasetId, int rank) {
    return find(datasetId).flatMap(record -> record.rank(rank)).flatMap(RankRecord::redundancy)
        .map(name -> NodeDirectories.resolve(directory(datasetId), name));
  }

  /** Shares computed parity with the other members until {@link #endLoans}. */
  public synchronized void lend(int datasetId, int rank, Path parity) {
    lent.computeIfAbsent(datasetId, _ -> new ConcurrentHashMap<>()).put(rank, parity);
  }

  /** The parity that a rank here has computed for others, while the dataset is being protected. */
  public Optional<Path> lent(int datasetId, int rank) {
    return Optional.ofNullable(lent.getOrDefault(datasetId, Map.of()).get(rank));
  }

  /** Whether any parity of a dataset is lent. */
  public boolean lends(int datasetId) {
    return lent.containsKey(datasetId);
  }

  /** All have pulled what this node had computed for them: the files are recycled. Does nothing if there are none. */
  public void endLoans(int datasetId) {
    Map<Integer, Path> files = lent.remove(datasetId);
    if (files != null) {
      synchronized (this) {                               // most have lent nothing, and wait for nobody
        bins(directories.path(cache(datasetId).path())).recycleLent(files.values());
      }
    }
  }

  /** The directory of a dataset's files while it is brought here again, beside what the store has of it. */
  public Path draft(int datasetId, String storeBase) {
    return NodeDirectories.draft(directories.path(cacheIn(storeBase).path()), datasetId);
  }

  /** Creates the empty {@link #draft} of a dataset; one of an earlier attempt goes to the trash. */
  public Path createDraft(int datasetId, String storeBase) {
    discardDraft(datasetId, storeBase);
    Path draft = draft(datasetId, storeBase);
    try {
      return Trees.make(draft);
    } catch (IOException e) {
      throw Faults.io(draft, e);
    }
  }

  /** Throws the {@link #draft} of a dataset away, if there is one. */
  public synchronized void discardDraft(int datasetId, String storeBase) {
    bins(directories.path(cacheIn(storeBase).path())).trash(draft(datasetId, storeBase));
  }

  /**
   * Replaces what is held under the id of a dataset by its {@link #draft}, durably. All its files are moved, then its
   * filemap is written. A crash in between leaves neither: what is brought here again is somewhere else, too.
   */
  public synchronized void adoptDraft(DatasetRecord record) {
    int id = record.descriptor().id();
    evict(id);
    Path cache = directories.path(record.cache().path());
    Path directory = NodeDirectories.dataset(cache, id);
    bins(cache).trash(directory);                         // without a filemap
    try {
      Files.move(NodeDirectories.draft(cache, id), directory, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw Faults.io(directory, e);
    }
    save(record);
  }

  /** Creates the dataset's directory if it is missing. */
  public Path createDirectory(int datasetId) {
    return create(datasetId, directory(datasetId));
  }

  /** Creates the directory of a rank's files if it is missing. */
  public Path createDirectory(int datasetId, int rank) {
    return create(datasetId, directory(datasetId, rank));
  }

  /**
   * Creates a directory for a new generation of redundancy files. No protection attempt writes into files of an earlier
   * one.
   *
   * @return its number, from 1
   */
  public synchronized int createGeneration(int datasetId) {
    Path directory = createDirectory(datasetId).resolve(".scr");
    try {
      int generation = 1 + Trees.list(directory).stream().map(path -> path.getFileName().toString())
          .filter(GENERATION.asMatchPredicate()).mapToInt(name -> Integer.parseInt(name.substring(1)))
          .max().orElse(0);
      Trees.make(directory.resolve("g" + generation));
      return generation;
    } catch (IOException e) {
      throw Faults.io(directory, e);
    }
  }

  /**
   * Recycles a redundancy file of an evicted dataset of the same store to a path of this dataset. Its header is
   * invalidated; overwriting is much cheaper than allocation.
   *
   * @return false if there is none, and nothing at this path
   */
  public synchronized boolean takeRecycled(int datasetId, Path target) {
    return bins(directories.path(cache(datasetId).path())).take(target);
  }

  /** Recycles shared parity of an earlier dataset. */
  public synchronized boolean takeRecycledLent(int datasetId, Path target) {
    return bins(directories.path(cache(datasetId).path())).takeLent(target);
  }

  /**
   * Forgets the dataset, durably, and throws its files away. Does nothing if there are none. What fails once it is
   * forgotten is done by the next call, by {@link #emptyTrash}, or before another dataset of its id is written.
   */
  public synchronized void evict(int datasetId) {
    finishEviction(datasetId);
    Path cache = directories.path(cache(datasetId).path());
    Optional<DatasetRecord> record = filemaps.delete(datasetId);
    damaged.forget(datasetId);
    placed.remove(datasetId);
    writing.remove(datasetId);
    lent.remove(datasetId);
    leaving.put(datasetId, new Leaving(cache, record));
    finishEviction(datasetId);
  }

  private synchronized void finishEviction(int datasetId) {
    Leaving gone = leaving.get(datasetId);
    if (gone != null) {
      Bins store = bins(gone.cache);
      gone.record.ifPresent(record -> store.recycle(datasetId, Filemaps.redundancyOf(record)));
      store.trash(NodeDirectories.dataset(gone.cache, datasetId));
      leaving.remove(datasetId);
      gone.record.ifPresent(record -> evicted.forEach(observer -> observer.accept(record.key())));
    }
  }

  /**
   * The same for a dataset that was chosen some time ago. One that is to be flushed since, or has made way for another
   * one of its id, stays.
   *
   * @return whether it has gone
   */
  public synchronized boolean evict(DatasetRecord chosen) {
    int id = chosen.descriptor().id();
    Leaving begun = leaving.get(id);
    if (begun != null && begun.record.filter(gone -> gone.key().equals(chosen.key())).isPresent()) {
      finishEviction(id);
      return true;
    }
    boolean same = find(id).filter(now -> now.key().equals(chosen.key()) && now.flush() == chosen.flush()).isPresent();
    if (same) {
      evict(id);
    }
    return same;
  }

  /** A directory, not made yet, for what nobody needs: what is in it goes with the trash, at the latest. */
  public Path scratch(String storeBase, String name) {
    Path cache = directories.path(cacheIn(storeBase).path());
    bins(cache);
    return Bins.trashBin(cache).resolve(name);
  }

  /** Throws away what is left of a dataset that this node neither holds nor is being given. */
  public synchronized void discardLeftovers(int datasetId) {
    if (!isHereOrPlaced(datasetId) && !writing.containsKey(datasetId)) {
      evict(datasetId);
    }
  }

  /**
   * Deletes what was thrown away. Takes long; blocks no other method.
   *
   * @throws ScrException IO, after all that can be deleted is
   */
  public void emptyTrash() {
    ScrException failed = null;
    for (int datasetId : leaving.keySet()) {
      try {
        finishEviction(datasetId);
      } catch (ScrException e) {
        failed = e;
      }
    }
    for (Bins store : bins.values()) {
      try {
        store.emptyTrash();
      } catch (ScrException e) {
        failed = e;
      }
    }
    if (failed != null) {
      throw failed;
    }
  }

  /**
   * Makes the names durable that lead from the cache to the redundancy files. Does so once for all files of a
   * directory. Where a loss of power takes them anyway, they only must be there.
   */
  private void forceDirectories(DatasetRecord record) {
    Path cache = directories.path(record.cache().path());
    Path dataset = NodeDirectories.dataset(cache, record.descriptor().id());
    List<Path> named = Filemaps.redundancyOf(record).stream()
        .map(name -> NodeDirectories.resolve(dataset, name).getParent()).distinct().toList();
    try {
      if (bins(cache).isInMemory()) {
        for (Path directory : named) {
          Files.readAttributes(directory, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        }
      } else {
        for (Path directory : Trees.upTo(cache, Stream.concat(Stream.of(cache), named.stream()).toList())) {
          AtomicFile.force(directory);
        }
      }
    } catch (NoSuchFileException e) {
      throw new ScrException(Fault.NO_SUCH_FILE, "dataset " + record.descriptor().id() + " has no directory "
          + e.getFile() + " any more", e);
    } catch (IOException e) {
      throw Faults.io(dataset, e);
    }
  }

  private Path create(int datasetId, Path directory) {
    if (leaving.containsKey(datasetId)) {
      finishEviction(datasetId);
    }
    bins(directories.path(cache(datasetId).path()));
    try {
      return Trees.make(directory);
    } catch (IOException e) {
      throw Faults.io(directory, e);
    }
  }

  private Bins bins(Path cache) {
    Bins known = bins.get(cache);
    return known != null ? known : open(cache);
  }

  private synchronized Bins open(Path cache) {
    return bins.computeIfAbsent(cache, _ -> {
      Bins opened = new Bins(directories.create(cache));
      tellIfMoreDurable(cache);
      try {
        dropUnfinished(cache, opened);
      } catch (IOException e) {
        throw Faults.io(cache, e);
      }
      return opened;
    });
  }

  private void tellIfMoreDurable(Path cache) {
    if (!filemaps.areDurable() && !LocalFiles.isInMemory(cache) && remark.isEmpty()) {
      remark = Optional.of("the control directory " + directories.control() + " is in memory, and the store " + cache
          + " is not: a restart of this machine takes the filemaps, without which all datasets there are lost;"
          + " SCR_CNTL_BASE can name a directory on a disk");
      LOG.warn(remark.get());
    }
  }

  /** Drops leftovers of a previous daemon process: anything without a filemap or a registration. */
  private void dropUnfinished(Path cache, Bins into) throws IOException {
    for (Path entry : Trees.list(cache)) {
      var id = NodeDirectories.datasetOf(entry);
      if (id.isPresent() && !(isHereOrPlaced(id.getAsInt()) && directory(id.getAsInt()).equals(entry))) {
        into.trash(entry);
      } else if (NodeDirectories.isDraft(entry)) {
        into.trash(entry);
      }
    }
    for (DatasetRecord record : list()) {
      Path directory = directory(record.descriptor().id());
      if (directory.startsWith(cache)) {
        dropUnnamed(record, directory, into);
      }
    }
  }

  /** Drafts, unsealed redundancy, and ranks that are elsewhere, which a loss of power has brought back. */
  private static void dropUnnamed(DatasetRecord record, Path directory, Bins into) throws IOException {
    Set<String> ranks = record.ranks().stream().map(rank -> CacheNames.directory(rank.files().rank()))
        .collect(Collectors.toSet());
    for (Path entry : Trees.list(directory)) {
      if (CacheNames.isDirectory(entry.getFileName().toString()) && !ranks.contains(entry.getFileName().toString())) {
        into.trash(entry);
      }
    }
    Set<String> named = Filemaps.redundancyOf(record);
    for (Path entry : Trees.list(directory.resolve(".scr"))) {
      if (named.stream().noneMatch(name -> name.startsWith(".scr/" + entry.getFileName() + "/"))) {
        into.trash(entry);
      }
    }
  }

  private boolean isHereOrPlaced(int datasetId) {
    return filemaps.has(datasetId) || placed.containsKey(datasetId);
  }
}

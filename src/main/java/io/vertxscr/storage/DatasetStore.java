package io.vertxscr.storage;

import io.vertxscr.format.FilemapFile;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one node holds: the filemaps of its control directory, and the directories of its cache. One per node, under its
 * {@link NodeLock}. Thread-safe; every method but the pure questions {@link #find}, {@link #list}, {@link #files} and
 * {@link #redundancy} blocks on the file system.
 *
 * <p>The filemap is the truth: it is written after the files and deleted before them, so a directory without one is
 * garbage. Deleting costs a rename; {@link #emptyTrash} does the long part, whenever the owner likes.
 *
 * <p>Only redundancy files that a filemap names are recycled: nobody can be writing to those any more.
 */
public final class DatasetStore {
  private static final Logger LOG = LoggerFactory.getLogger(DatasetStore.class);

  private final NodeDirectories directories;
  private final Bins bins;
  private final Map<Integer, DatasetRecord> held = new ConcurrentSkipListMap<>();
  private final Map<Integer, Map<Integer, RankFiles>> writing = new ConcurrentHashMap<>();

  /**
   * A rank's files of a dataset on this node.
   *
   * @param complete false while the dataset is still being protected
   */
  public record Holding(RankFiles files, boolean complete) {}

  private DatasetStore(NodeDirectories directories) {
    this.directories = directories;
    this.bins = new Bins(directories);
  }

  /**
   * Reads all filemaps, and moves what no filemap names to the trash. A filemap that cannot be understood is moved
   * aside as {@code *.unreadable}, and its dataset counts as not held here.
   *
   * @throws ScrException IO: nothing was moved on account of a file that could not be read
   */
  public static DatasetStore open(NodeDirectories directories) {
    directories.create();
    var store = new DatasetStore(directories);
    try {
      store.load();
      store.dropUnfinished();
    } catch (IOException e) {
      throw Faults.io(directories.control(), e);
    }
    return store;
  }

  public NodeDirectories directories() {
    return directories;
  }

  /** What this node holds of a dataset. */
  public Optional<DatasetRecord> find(int datasetId) {
    return Optional.ofNullable(held.get(datasetId));
  }

  /** All datasets that this node holds anything of, ascending by id. */
  public List<DatasetRecord> list() {
    return List.copyOf(held.values());
  }

  /**
   * Writes the dataset's filemap, durably; its files must be complete. Redundancy files that the filemap named before
   * and does not name any more are recycled. The registrations of the dataset end.
   */
  public synchronized void save(DatasetRecord record) {
    int id = record.descriptor().id();
    try {
      AtomicFile.force(directories.cache());    // the dataset's directory before the filemap that speaks of it
    } catch (IOException e) {
      throw Faults.io(directories.cache(), e);
    }
    AtomicFile.replace(directories.filemap(id), FilemapFile.encode(record));
    DatasetRecord before = held.put(id, record);
    writing.remove(id);
    if (before != null) {
      Set<String> kept = redundancyOf(record);
      bins.recycle(id, redundancyOf(before).stream().filter(name -> !kept.contains(name)).toList());
    }
  }

  /**
   * Changes what the filemap of a dataset says, durably; does nothing if this node does not hold that very dataset any
   * more. Changes by different threads are made one after the other.
   *
   * @param createdUs tells datasets of two histories apart
   */
  public synchronized void update(int datasetId, long createdUs, UnaryOperator<DatasetRecord> change) {
    find(datasetId).filter(record -> record.descriptor().createdUs() == createdUs)
        .ifPresent(record -> save(change.apply(record)));
  }

  /**
   * Lets other nodes read a rank's files before there is a filemap: while they are being protected. Ends with
   * {@link #save} or {@link #evict}.
   *
   * @throws ScrException WRONG_STATE if this node holds a dataset of that id already
   */
  public synchronized void register(int datasetId, RankFiles files) {
    if (held.containsKey(datasetId)) {
      throw new ScrException(Fault.WRONG_STATE, "dataset " + datasetId + " is in " + directories.cache()
          + " already and cannot be written again");
    }
    writing.computeIfAbsent(datasetId, _ -> new ConcurrentHashMap<>()).put(files.rank(), files);
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
        .map(name -> NodeDirectories.resolve(directories.dataset(datasetId), name));
  }

  /** Makes the dataset's directory if it is not there. */
  public Path createDirectory(int datasetId) {
    return create(directories.dataset(datasetId));
  }

  /** Makes the directory of a rank's files if it is not there. */
  public Path createDirectory(int datasetId, int rank) {
    return create(directories.rank(datasetId, rank));
  }

  /**
   * Makes the directory of a new generation of redundancy files, so that no attempt to protect the dataset ever writes
   * into the files of an earlier one.
   *
   * @return its number, from 1
   */
  public synchronized int createGeneration(int datasetId) {
    Path directory = directories.dataset(datasetId).resolve(".scr");
    try {
      int generation = 1 + Trees.list(directory).stream().map(path -> path.getFileName().toString())
          .filter(name -> name.matches("g[0-9]{1,9}")).mapToInt(name -> Integer.parseInt(name.substring(1)))
          .max().orElse(0);
      Files.createDirectories(directory.resolve("g" + generation));
      return generation;
    } catch (IOException e) {
      throw Faults.io(directory, e);
    }
  }

  /**
   * Moves a redundancy file of an evicted dataset to this path, made invalid: writing over it is much cheaper than to
   * allocate a new one.
   *
   * @return false if there is none, and nothing at this path
   */
  public synchronized boolean takeRecycled(Path target) {
    return bins.take(target);
  }

  /** Forgets the dataset, durably, and throws its files away. Does nothing if there are none. */
  public synchronized void evict(int datasetId) {
    AtomicFile.delete(directories.filemap(datasetId));
    DatasetRecord record = held.remove(datasetId);
    writing.remove(datasetId);
    if (record != null) {
      bins.recycle(datasetId, redundancyOf(record));
    }
    bins.trash(directories.dataset(datasetId));
  }

  /**
   * Deletes what was thrown away. Takes long; blocks no other method.
   *
   * @throws ScrException IO, after all that can be deleted is
   */
  public void emptyTrash() {
    bins.emptyTrash();
  }

  private static Set<String> redundancyOf(DatasetRecord record) {
    return record.ranks().stream().flatMap(rank -> rank.redundancy().stream()).collect(Collectors.toSet());
  }

  private static Path create(Path directory) {
    try {
      return Files.createDirectories(directory);
    } catch (IOException e) {
      throw Faults.io(directory, e);
    }
  }

  private void load() throws IOException {
    for (Path file : Trees.list(directories.control())) {
      if (file.toString().endsWith(AtomicFile.DRAFT_SUFFIX)) {
        Files.deleteIfExists(file);
      } else if (NodeDirectories.filemapOf(file).isPresent()) {
        loadFilemap(file, NodeDirectories.filemapOf(file).getAsInt());
      }
    }
  }

  private void loadFilemap(Path file, int datasetId) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    try {
      DatasetRecord record = FilemapFile.decode(bytes);
      if (record.descriptor().id() != datasetId) {
        throw new ScrException(Fault.CORRUPT, "describes dataset " + record.descriptor().id());
      }
      held.put(datasetId, record);
    } catch (ScrException e) {
      LOG.warn("{} cannot be used, so dataset {} counts as not held here: {}", file, datasetId, e.getMessage());
      Files.move(file, file.resolveSibling(file.getFileName() + ".unreadable"), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private void dropUnfinished() throws IOException {
    for (Path entry : Trees.list(directories.cache())) {
      var id = NodeDirectories.datasetOf(entry);
      if (id.isPresent() && !held.containsKey(id.getAsInt())) {
        bins.trash(entry);
      }
    }
    for (DatasetRecord record : held.values()) {
      Set<String> named = redundancyOf(record);
      for (Path entry : Trees.list(directories.dataset(record.descriptor().id()).resolve(".scr"))) {
        if (named.stream().noneMatch(name -> name.startsWith(".scr/" + entry.getFileName() + "/"))) {
          bins.trash(entry);                              // drafts, and redundancy that was never sealed
        }
      }
    }
  }
}

package io.vertxscr.storage;

import io.vertxscr.format.FilemapFile;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Filemaps of a node's control directory, and marks of datasets of which a sync has failed. Queries are answered from a
 * copy in memory, on any thread. {@link #save}, {@link #markLostWrites} and {@link #delete} block, and are called by
 * one thread at a time.
 */
final class Filemaps {
  private static final Logger LOG = LoggerFactory.getLogger(Filemaps.class);

  /** Upper bound for a filemap, which has about 200 bytes a file. */
  private static final long MAX_BYTES = 1L << 30;

  private final NodeDirectories directories;
  /** Not where a loss of power takes them all anyway. */
  private final boolean syncs;
  private final Map<Integer, DatasetRecord> held = new ConcurrentSkipListMap<>();
  private final Map<Integer, Long> bytes = new ConcurrentHashMap<>();
  private final Set<Integer> lostWrites = ConcurrentHashMap.newKeySet();
  private volatile int newestId;

  private Filemaps(NodeDirectories directories) {
    this.directories = directories;
    this.syncs = !LocalFiles.isInMemory(directories.control());
  }

  /** Whether they outlive a loss of power. */
  boolean areDurable() {
    return syncs;
  }

  /**
   * Reads all. One that cannot be understood is moved aside as {@code *.unreadable}, and its dataset counts as not held
   * here; drafts are deleted, and marks without a filemap.
   */
  static Filemaps read(NodeDirectories directories) throws IOException {
    Filemaps all = new Filemaps(directories);
    for (Path file : Trees.list(directories.control())) {
      if (file.toString().endsWith(AtomicFile.DRAFT_SUFFIX)) {
        Files.deleteIfExists(file);
      } else if (NodeDirectories.filemapOf(file).isPresent()) {
        all.read(file, NodeDirectories.filemapOf(file).getAsInt());
      } else {
        NodeDirectories.lostWritesOf(file).ifPresent(all.lostWrites::add);
      }
    }
    for (int id : all.lostWrites) {
      all.find(id).ifPresentOrElse(all::hold, () -> all.clearLostWrites(id));
    }
    return all;
  }

  private void read(Path file, int datasetId) throws IOException {
    byte[] content = RegularFile.bytes(file, MAX_BYTES);
    try {
      DatasetRecord record = FilemapFile.decode(content);
      if (record.descriptor().id() != datasetId) {
        throw new ScrException(Fault.CORRUPT, "describes dataset " + record.descriptor().id());
      }
      hold(record);
    } catch (ScrException e) {
      LOG.warn("{} cannot be used, so dataset {} counts as not held here: {}", file, datasetId, e.getMessage());
      Files.move(file, file.resolveSibling(file.getFileName() + ".unreadable"), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  boolean has(int datasetId) {
    return held.containsKey(datasetId);
  }

  Optional<DatasetRecord> find(int datasetId) {
    return Optional.ofNullable(held.get(datasetId));
  }

  /** Ascending by id. */
  List<DatasetRecord> list() {
    return List.copyOf(held.values());
  }

  /** Highest id of all since the node started; 0 for none. */
  int newestId() {
    return newestId;
  }

  /** Returns the bytes of a dataset on this node, redundancy included; 0 if there is none. */
  long bytes(int datasetId) {
    return bytes.getOrDefault(datasetId, 0L);
  }

  /** Writes one, durably. @return its previous content */
  Optional<DatasetRecord> save(DatasetRecord record) {
    AtomicFile.replaceOwn(directories.filemap(record.descriptor().id()), FilemapFile.encode(known(record)), syncs);
    return hold(record);
  }

  private DatasetRecord known(DatasetRecord record) {
    return hasLostWrites(record.descriptor().id()) ? record.withLostWrites() : record;
  }

  /** What is wrong with one on the disk; empty where it says the same. */
  Optional<String> problem(DatasetRecord record) {
    Path file = directories.filemap(record.descriptor().id());
    try {
      return known(FilemapFile.decode(RegularFile.bytes(file, MAX_BYTES))).equals(record) ? Optional.empty()
          : Optional.of(file + " says something else than was written");
    } catch (IOException e) {
      return Optional.of(Faults.io(file, e).getMessage());
    } catch (ScrException e) {
      return Optional.of(file + ": " + e.getMessage());
    }
  }

  /** Whether a sync of a dataset has failed, in this life of the node or an earlier one. */
  boolean hasLostWrites(int datasetId) {
    return lostWrites.contains(datasetId);
  }

  /**
   * Marks a dataset of which a sync has failed until it is deleted. In memory at least. Its filemap says so of unread
   * files, for who reads it without the mark.
   *
   * @param why for people
   * @throws ScrException IO, NO_SPACE where it is not durable
   */
  void markLostWrites(int datasetId, String why) {
    lostWrites.add(datasetId);
    find(datasetId).ifPresent(this::hold);
    AtomicFile.replaceOwn(
        directories.lostWrites(datasetId), (why + "\n").getBytes(StandardCharsets.UTF_8), syncs);
    find(datasetId).filter(DatasetRecord::hasUnread).ifPresent(this::save);
  }

  /** Needs no sync: the next filemap of that id syncs the directory. */
  private void clearLostWrites(int datasetId) {
    if (hasLostWrites(datasetId)) {
      AtomicFile.delete(directories.lostWrites(datasetId), false);
      lostWrites.remove(datasetId);
    }
  }

  /** Deletes one, durably, if it exists, and then its mark. @return its content */
  Optional<DatasetRecord> delete(int datasetId) {
    AtomicFile.delete(directories.filemap(datasetId), syncs);
    clearLostWrites(datasetId);
    bytes.remove(datasetId);
    return Optional.ofNullable(held.remove(datasetId));
  }

  private Optional<DatasetRecord> hold(DatasetRecord record) {
    int id = record.descriptor().id();
    newestId = Math.max(newestId, id);
    DatasetRecord before = held.put(id, known(record));
    Path directory = NodeDirectories.dataset(directories.path(record.cache().path()), id);
    bytes.put(id, record.ranks().stream().mapToLong(rank -> rank.files().bytes()).sum() + redundancyOf(record).stream()
        .mapToLong(name -> LocalFiles.bytes(NodeDirectories.resolve(directory, name))).sum());
    return Optional.ofNullable(before);
  }

  /** Names of the redundancy files that a filemap speaks of, within the dataset's directory. */
  static Set<String> redundancyOf(DatasetRecord record) {
    return record.ranks().stream().flatMap(rank -> rank.redundancy().stream()).collect(Collectors.toSet());
  }
}

package io.vertxscr.simulation;

import io.vertxscr.storage.userspace.UserspacePath;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * A disk in memory: what is visible, and what outlives a loss of power.
 *
 * <p>The bytes of a file are durable as of its last sync; a name is durable once its directory is synced, or any later
 * change of names is (a journal is written in order). Which part of the rest survives is drawn at the loss.
 */
final class SimulatedDisk {
  private static final int SECTOR_BYTES = 512;
  private static final byte[] NOTHING = {};

  private final LongSupplier nowNs;
  private final Inode root;
  /** Directories with changes of names that nobody has synced. */
  private final Set<Inode> unsyncedDirectories = new LinkedHashSet<>();
  /** Files with bytes that nobody has synced, with who wrote them last. */
  private final Map<Inode, String> unsyncedFiles = new java.util.LinkedHashMap<>();
  private final Map<Inode, Lock> locks = new HashMap<>();
  private long lastInode;
  private long lastChange;
  private long syncedChange;
  private long bytes;
  private long capacityBytes = 1L << 40;

  /** A lock of a file. @param owners of a shared one, any number of them */
  private record Lock(boolean shared, Set<String> owners) {}

  /** What is unsynced at a loss of power. */
  enum Kept {
    /** Nothing survives. */
    NOTHING,
    /** Names survive, bytes do not. */
    NAMES,
    /** Some prefix of the changes of names survives, and random sectors. */
    SOME,
    /** Everything survives: only processes have died. */
    ALL
  }

  /** Bytes that somebody has written, and nobody has synced. */
  private record Stretch(String writer, int from, int to) {}

  /** A change of a name; null: it is gone. */
  private record Change(long number, String name, Inode file) {}

  /** A file or directory. */
  final class Inode {
    final long number = ++lastInode;
    final TreeMap<String, Inode> entries;
    private TreeMap<String, Inode> durableEntries;
    private final List<Change> unsynced = new ArrayList<>(0);
    private byte[] data = NOTHING;
    private int size;
    private byte[] durable = NOTHING;
    private final List<Stretch> dirty = new ArrayList<>(0);
    Set<PosixFilePermission> mode;
    long modifiedNs = nowNs.getAsLong();
    long changedNs = modifiedNs;
    int links;
    /** Grows with each change of what it holds. */
    private long version;

    private Inode(boolean directory) {
      entries = directory ? new TreeMap<>() : null;
      durableEntries = directory ? new TreeMap<>() : null;
      mode = directory ? PosixFilePermissions.fromString("rwxr-xr-x")
          : EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
    }

    boolean isDirectory() {
      return entries != null;
    }

    long version() {
      return version;
    }

    int size() {
      return size;
    }

    byte[] content() {
      return Arrays.copyOf(data, size);
    }

    void read(int at, byte[] to, int offset, int count) {
      System.arraycopy(data, at, to, offset, count);
    }

    byte[] raw() {
      return data;
    }

    /** Makes room for bytes, which are then the caller's to write. */
    byte[] reserve(int at, int count, String writer) {
      int end = at + count;
      dirty.add(new Stretch(writer, at, end));
      if (end > data.length) {
        data = Arrays.copyOf(data, Math.max(end, Math.min(2 * data.length, data.length + (1 << 20))));
      }
      if (end > size) {
        bytes += end - size;
        size = end;
      }
      touched(writer);
      return data;
    }

    void truncate(int to, String writer) {
      if (to < size) {
        Arrays.fill(data, to, size, (byte) 0);
        bytes -= size - to;
        size = to;
      }
      touched(writer);
    }

    private void touched(String writer) {
      modifiedNs = nowNs.getAsLong();
      changedNs = modifiedNs;
      version++;
      unsyncedFiles.put(this, writer);
    }

    /** Its attributes change, and not its bytes. */
    void changes() {
      changedNs = nowNs.getAsLong();
    }

    /** Changes one byte without anybody noticing. */
    void rot(int at) {
      data[at] ^= 0x10;
      version++;
      if (at < durable.length) {
        durable[at] ^= 0x10;
      }
    }
  }

  /** @param nowNs the time that files get, since the epoch */
  SimulatedDisk(LongSupplier nowNs) {
    this.nowNs = nowNs;
    this.root = new Inode(true);
    root.links = 1;
  }

  Inode root() {
    return root;
  }

  /** The bytes of all files, by their paths. @param name of the disk, with which the paths begin */
  void collect(String name, Map<String, byte[]> found) {
    collect(root, name, found);
  }

  private static void collect(Inode directory, String path, Map<String, byte[]> found) {
    directory.entries.forEach((name, entry) -> {
      if (entry.isDirectory()) {
        collect(entry, path + "/" + name, found);
      } else {
        found.put(path + "/" + name, entry.content());
      }
    });
  }

  Inode newFile() {
    return new Inode(false);
  }

  Inode newDirectory() {
    return new Inode(true);
  }

  long freeBytes() {
    return Math.max(0, capacityBytes - bytes);
  }

  /** From now on there is no room for more than this. */
  void fill(boolean full) {
    capacityBytes = full ? bytes : 1L << 40;
  }

  void put(Inode directory, String name, Inode file) {
    Inode before = directory.entries.put(name, file);
    file.links++;
    if (before != null) {
      unlinked(before);
    }
    changed(directory, name, file);
  }

  void remove(Inode directory, String name) {
    unlinked(directory.entries.remove(name));
    changed(directory, name, null);
  }

  private void unlinked(Inode file) {
    file.links--;
    file.changedNs = nowNs.getAsLong();
    if (file.links == 0) {
      bytes -= file.size;
    }
  }

  private void changed(Inode directory, String name, Inode file) {
    directory.modifiedNs = nowNs.getAsLong();
    directory.version++;
    directory.unsynced.add(new Change(++lastChange, name, file));
    unsyncedDirectories.add(directory);
  }

  void sync(Inode file) {
    if (file.isDirectory()) {
      for (Change change : file.unsynced) {
        apply(file, change);
        syncedChange = Math.max(syncedChange, change.number);
      }
      file.unsynced.clear();
      unsyncedDirectories.remove(file);
    } else if (unsyncedFiles.remove(file) != null) {
      file.durable = file.content();
      file.dirty.clear();
    }
  }

  /**
   * A sync has failed. Of every second file, what this writer has not synced is dropped from memory, as if it were
   * clean: another sync succeeds, although these bytes are on no disk.
   */
  void syncFails(Inode file, String writer) {
    if (file.number % 2 != 0) {
      return;
    }
    String[] last = new String[file.size];
    for (Stretch stretch : file.dirty) {
      Arrays.fill(last, Math.min(stretch.from, file.size), Math.min(stretch.to, file.size), stretch.writer);
    }
    for (int at = 0; at < last.length; at++) {
      if (writer.equals(last[at])) {
        file.data[at] = at < file.durable.length ? file.durable[at] : 0;
      }
    }
    file.dirty.removeIf(stretch -> stretch.writer.equals(writer));
    file.version++;
  }

  private static void apply(Inode directory, Change change) {
    if (change.file == null) {
      directory.durableEntries.remove(change.name);
    } else {
      directory.durableEntries.put(change.name, change.file);
    }
  }

  void syncAll() {
    List.copyOf(unsyncedDirectories).forEach(this::sync);
    List.copyOf(unsyncedFiles.keySet()).forEach(this::sync);
  }

  /** Whether a file would survive a loss of power under this path, with all of its bytes. @param names from the root */
  boolean isDurable(UserspacePath absolute) {
    Inode at = root;
    for (int i = 0; i < absolute.getNameCount(); i++) {
      at = at == null || !at.isDirectory() ? null : durable(at, absolute.name(i));
    }
    return at != null && !unsyncedFiles.containsKey(at);
  }

  private Inode durable(Inode directory, String name) {
    Inode found = directory.durableEntries.get(name);
    for (Change change : directory.unsynced) {
      if (change.number <= syncedChange && change.name.equals(name)) {
        found = change.file;                              // the journal is written in order
      }
    }
    return found;
  }

  /** Locks a file, as {@code fcntl} does between nodes. @return whether it is locked now */
  boolean lock(Inode file, String owner, boolean shared) {
    Lock lock = locks.computeIfAbsent(file, _ -> new Lock(shared, new HashSet<>()));
    return (lock.owners.isEmpty() || lock.shared && shared) && lock.owners.add(owner);
  }

  void unlock(Inode file, String owner) {
    locks.computeIfPresent(file, (_, lock) -> lock.owners.remove(owner) && lock.owners.isEmpty() ? null : lock);
  }

  boolean isLocked(Inode file, String owner) {
    Lock lock = locks.get(file);
    return lock != null && lock.owners.contains(owner);
  }

  /** How many locks it has. */
  int locks(String owner) {
    return (int) locks.values().stream().filter(lock -> lock.owners.contains(owner)).count();
  }

  /** A process is gone, and its locks with it. */
  void release(String owner) {
    List.copyOf(locks.keySet()).forEach(file -> unlock(file, owner));
  }

  /** A client of this disk has lost its power: bytes that it wrote and did not sync are as drawn. */
  void powerLossOf(String writer, Kept kept, RandomGenerator random) {
    for (Map.Entry<Inode, String> file : List.copyOf(unsyncedFiles.entrySet())) {
      if (file.getValue().equals(writer)) {
        keep(file.getKey(), kept, random);
      }
    }
  }

  /** The power goes; nothing is open any more. */
  void powerLoss(Kept kept, RandomGenerator random) {
    long journal = switch (kept) {
      case NOTHING -> 0;
      case NAMES, ALL -> lastChange;
      case SOME -> Math.max(syncedChange, random.nextLong(lastChange + 1));
    };
    for (Inode directory : unsyncedDirectories) {
      for (Change change : directory.unsynced) {
        if (change.number <= journal) {
          apply(directory, change);
        }
      }
      directory.unsynced.clear();
    }
    unsyncedDirectories.clear();
    for (Inode file : List.copyOf(unsyncedFiles.keySet())) {
      keep(file, kept, random);
    }
    locks.clear();
    bytes = 0;
    restore(root);
  }

  private void restore(Inode directory) {
    directory.version++;
    directory.entries.clear();
    directory.entries.putAll(directory.durableEntries);
    for (Inode entry : directory.entries.values()) {
      bytes += entry.size;
      if (entry.isDirectory()) {
        restore(entry);
      }
    }
  }

  private void keep(Inode file, Kept kept, RandomGenerator random) {
    if (kept == Kept.ALL) {
      sync(file);
      return;
    }
    byte[] left = file.durable;
    if (kept == Kept.SOME) {
      left = Arrays.copyOf(file.durable, random.nextBoolean() ? file.durable.length : file.size);
      for (int at = 0; at < left.length; at += SECTOR_BYTES) {
        int count = Math.min(SECTOR_BYTES, Math.min(left.length, file.size) - at);
        if (count > 0 && random.nextBoolean()) {
          System.arraycopy(file.data, at, left, at, count);
        }
      }
    }
    bytes += left.length - file.size;
    file.version++;
    file.data = left.clone();
    file.size = left.length;
    file.durable = left;
    file.dirty.clear();
    unsyncedFiles.remove(file);
  }
}

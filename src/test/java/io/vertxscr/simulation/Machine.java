package io.vertxscr.simulation;

import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.SimulatedFileSystem.Operation;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** A node's machine: its own disk, the way to the prefix file system, and what goes wrong with both. */
final class Machine implements SimulatedFileSystem.Interference {
  final String name;
  final SimulatedFileSystem files;
  SimulatedDisk disk;
  private final VirtualTime time;
  /** What the daemon's process knows of its files: a new one with each daemon. */
  private LocalFiles local;
  private final Watcher watcher;
  private Loop daemon;
  private Runnable strike;
  private int strikeIn;
  private int diskFailsIn;
  private int prefixFailsIn;
  private long prefixHangsUntilNs;
  private long prefixFailsUntilNs;
  private long prefixLagsUntilNs;
  private final NfsCache cache;
  private final SimulatedDisk shared;
  /** Under locks. */
  private int lockGoesIn;
  private Duration lockGoesFor = Duration.ZERO;
  private long failedNs;
  private int boots;

  /** Is told of a daemon's operations. */
  interface Watcher {
    Watcher NONE = new Watcher() {
      @Override
      public void counts(String node, boolean onShared) {
        // nobody wants to know
      }

      @Override
      public void sees(String node, Operation operation, Path path) {
        // nor that
      }
    };

    /** It is about to do something that may still fail. */
    void counts(String node, boolean onShared);

    /** It does this to its own files. */
    void sees(String node, Operation operation, Path path);
  }

  Machine(String name, VirtualTime time, SimulatedDisk disk, SimulatedDisk shared, Watcher watcher) {
    this.name = name;
    this.time = time;
    this.disk = disk;
    this.files = new SimulatedFileSystem(name, disk, shared, this);
    this.local = new LocalFiles(files);
    this.watcher = watcher;
    this.shared = shared;
    this.cache = new NfsCache(time::nowNs);
    boots();
  }

  /** The machine starts, and has another id of its boot from now on. */
  void boots() {
    SimulatedDisk.Inode directory = disk.root();
    for (String part : List.of("proc", "sys", "kernel", "random")) {
      if (directory.entries.get(part) == null) {
        disk.put(directory, part, disk.newDirectory());
      }
      directory = directory.entries.get(part);
    }
    byte[] id = (name + " " + time.nowNs() + " " + ++boots).getBytes(StandardCharsets.UTF_8);
    SimulatedDisk.Inode file = disk.newFile();
    System.arraycopy(id, 0, file.reserve(id.length, name), 0, id.length);
    disk.put(directory, "boot_id", file);
    disk.syncAll();
  }

  /** Its disk and the shared one, as a process sees them that is no daemon. */
  SimulatedFileSystem seenBy(SimulatedFileSystem.Interference process) {
    return new SimulatedFileSystem(name, disk, shared, process);
  }

  /** That process has ended; no daemon runs. */
  void processEnds() {
    disk.release(name);
    shared.release(name);
  }

  LocalFiles local() {
    return local;
  }

  /** A daemon lives here now; null: none. */
  void daemon(Loop loop) {
    daemon = loop;
    disarm();
    if (loop == null) {
      files.processEnds();
      local = new LocalFiles(files);
    }
  }

  /** Something happens in an operation; the daemon may be dead then. */
  void strikeAt(int operation, Runnable what) {
    strikeIn = operation;
    strike = what;
  }

  void failAt(int operation, boolean onShared) {
    if (onShared) {
      prefixFailsIn = operation;
    } else {
      diskFailsIn = operation;
    }
  }

  /** Whether some operation is still to fail or to be the last. */
  boolean isArmed() {
    return strikeIn > 0 || diskFailsIn > 0 || prefixFailsIn > 0 || lockGoesIn > 0;
  }

  /** No operation fails any more. */
  void disarm() {
    strikeIn = 0;
    diskFailsIn = 0;
    prefixFailsIn = 0;
    lockGoesIn = 0;
  }

  /** When the last operation failed. */
  long failedNs() {
    return failedNs;
  }

  /** The prefix file system does not answer here for so long. */
  void hangPrefix(Duration some) {
    prefixHangsUntilNs = time.nowNs() + some.toNanos();
  }

  /** Each operation on the prefix file system fails here for so long. */
  void failPrefix(Duration some) {
    prefixFailsUntilNs = time.nowNs() + some.toNanos();
  }

  /** For so long, names and attributes in the prefix file system may be those of some seconds ago. */
  void lagPrefix(Duration some) {
    cache.clear();
    prefixLagsUntilNs = time.nowNs() + some.toNanos();
  }

  /**
   * At one of its operations under a lock of the prefix file system the daemon loses its locks there, as at a restart
   * of the lock server, and the thread stands still.
   *
   * @param operation of those under a lock
   * @param some how long it stands
   */
  void loseLockAt(int operation, Duration some) {
    lockGoesIn = operation;
    lockGoesFor = some;
  }

  private boolean lags() {
    return time.nowNs() < prefixLagsUntilNs;
  }

  @Override
  public SimulatedDisk.Inode seen(SimulatedDisk.Inode directory, String entry) {
    return lags() ? cache.look(directory, entry) : directory.entries.get(entry);
  }

  @Override
  public Set<String> seen(SimulatedDisk.Inode directory) {
    return lags() ? cache.list(directory) : directory.entries.keySet();
  }

  @Override
  public SimulatedAttributes attributes(SimulatedDisk.Inode file) {
    return lags() ? cache.attributes(file) : SimulatedAttributes.of(file);
  }

  @Override
  public void touches(SimulatedDisk.Inode file) {
    cache.touches(file);
  }

  @Override
  public void changes(SimulatedDisk.Inode directory) {
    cache.changes(directory);
  }

  @Override
  public void before(Operation operation, boolean onShared, Path path) throws IOException {
    Loop here = time.current();
    if (here == null || here != daemon) {
      return;                                             // ranks and other nodes
    }
    watcher.counts(name, onShared);
    if (strikeIn > 0 && --strikeIn == 0) {
      strike.run();
      if (here != daemon) {
        throw new NodeDeath(name);
      }
    }
    boolean fails = onShared ? prefixFailsIn > 0 && --prefixFailsIn == 0 : diskFailsIn > 0 && --diskFailsIn == 0;
    if (fails || onShared && time.nowNs() < prefixFailsUntilNs) {
      failedNs = time.nowNs();
      throw new IOException("Input/output error");
    }
    if (onShared && lockGoesIn > 0 && time.isInJob() && shared.locks(name) > 0 && --lockGoesIn == 0) {
      shared.release(name);
      failedNs = time.nowNs() + lockGoesFor.toNanos();
      time.stand(lockGoesFor);
      if (here != daemon) {
        throw new NodeDeath(name);
      }
    }
    long leftNs = prefixHangsUntilNs - here.nanoTime();
    if (onShared && leftNs > 0) {
      time.pass(Duration.ofNanos(leftNs));
    }
    if (!onShared) {
      watcher.sees(name, operation, path);
    }
  }
}

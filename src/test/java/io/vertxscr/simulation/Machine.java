package io.vertxscr.simulation;

import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.SimulatedFileSystem.Operation;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

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
  private Runnable death;
  private int deathIn;
  private int diskFailsIn;
  private int prefixFailsIn;
  private long prefixHangsUntilNs;
  private long prefixFailsUntilNs;
  private long failedNs;

  /** Is told of operations that are about to succeed. */
  @FunctionalInterface
  interface Watcher {
    /** A daemon does this to its own files. */
    void sees(String node, Operation operation, Path path);
  }

  Machine(String name, VirtualTime time, SimulatedDisk disk, SimulatedDisk shared, Watcher watcher) {
    this.name = name;
    this.time = time;
    this.disk = disk;
    this.files = new SimulatedFileSystem(name, disk, shared, this);
    this.local = new LocalFiles(files);
    this.watcher = watcher;
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

  void dieAt(int operation, Runnable how) {
    deathIn = operation;
    death = how;
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
    return deathIn > 0 || diskFailsIn > 0 || prefixFailsIn > 0;
  }

  /** No operation fails any more. */
  void disarm() {
    deathIn = 0;
    diskFailsIn = 0;
    prefixFailsIn = 0;
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

  @Override
  public void before(Operation operation, boolean onShared, Path path) throws IOException {
    Loop here = time.current();
    if (here == null || here != daemon) {
      return;                                             // ranks and other nodes
    }
    if (deathIn > 0 && --deathIn == 0) {
      death.run();
      daemon = null;
      throw new NodeDeath(name);
    }
    boolean fails = onShared ? prefixFailsIn > 0 && --prefixFailsIn == 0 : diskFailsIn > 0 && --diskFailsIn == 0;
    if (fails || onShared && time.nowNs() < prefixFailsUntilNs) {
      failedNs = time.nowNs();
      throw new IOException("Input/output error");
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

package io.vertxscr.simulation;

import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.prefix.metadata.LockHeldException;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.DatasetPublisher;
import io.vertxscr.simulation.SimulatedFileSystem.Operation;
import io.vertxscr.storage.LocalFiles;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;

/** A process that uses a prefix directory on a simulated disk. Another one may overtake it before any operation. */
class PrefixProcess implements SimulatedFileSystem.Interference {
  static final Clock CLOCK = Clock.fixed(Instant.parse("2026-01-01T00:00:00Z"), ZoneOffset.UTC);

  final PrefixPaths paths;
  final LockUser user;
  final PrefixIndex index;
  final FlushFileStore flushFile;
  final DatasetPublisher publisher;
  final Path root;
  private int overtakenIn;
  private Runnable overtaking = () -> {};

  PrefixProcess(String name, SimulatedDisk shared) {
    SimulatedFileSystem files = new SimulatedFileSystem(name, new SimulatedDisk(() -> 0), shared, this);
    root = files.getPath("/pfs");
    paths = new PrefixPaths(root.resolve("prefix"));
    user = new LockUser(name, new LocalFiles(files), CLOCK);
    index = new PrefixIndex(paths, user);
    flushFile = new FlushFileStore(paths, user);
    publisher = new DatasetPublisher(paths, index, flushFile, CLOCK, _ -> {});
  }

  /** Somebody else does something before this process's operation of that number, from 1, counted from now on. */
  void overtake(int operation, Runnable what) {
    overtakenIn = operation;
    overtaking = what;
  }

  /** Otherwise there was no such operation. */
  boolean wasOvertaken() {
    return overtakenIn == 0;
  }

  @Override
  public void before(Operation operation, boolean onShared, Path path) {
    // it goes on
  }

  @Override
  public void enters() {
    if (overtakenIn > 0 && --overtakenIn == 0) {
      try {
        overtaking.run();
      } catch (LockHeldException _) {
        overtakenIn = 1;                                  // by this process: before its next operation then
      }
    }
  }
}

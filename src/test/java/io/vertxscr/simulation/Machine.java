package io.vertxscr.simulation;

import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.SimulatedFileSystem.Operation;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.object.ObjectFileSystem;
import io.vertxscr.storage.userspace.UserspacePath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A node's machine: its own disk, the way to the prefix file system, and what goes wrong with both. */
final class Machine implements SimulatedFileSystem.Interference {
  /** While an object store is slow, one of so many requests takes time, and how long. */
  private static final int LAG_KINDS = 7;
  private static final int LAG_STEP_MS = 131;
  private static final int MOST_LAG_MS = 500;
  /** How often a thread of a process that stands looks whether it goes on. */
  private static final Duration STOPPED = Duration.ofMillis(100);
  /** While an object store fails, one of so many requests has happened. */
  private static final int LOST_KINDS = 4;
  /** Requests in which a job may stand: not amid the bytes of a file. */
  private static final Set<String> BETWEEN_BYTES = Set.of("head", "list", "put", "copy", "delete", "complete");

  final String name;
  final SimulatedFileSystem files;
  SimulatedDisk disk;
  private final VirtualTime time;
  /** What the daemon's process knows of its files: a new one with each daemon. */
  private LocalFiles local;
  private final Watcher watcher;
  private Loop daemon;
  /** Loops of daemons that lived here before. */
  private final Set<Loop> ended = new HashSet<>();
  private Runnable strike;
  private int strikeIn;
  private int diskFailsIn;
  private boolean isStarting;
  /** Of what a daemon does to files, and looks at, while it starts. */
  private int startFailsIn;
  private OperationFailure diskFailure = OperationFailure.ANY;
  /** What the operation that is on is to fail with, although it is done. */
  private Optional<OperationFailure> errorBehind = Optional.empty();
  private int prefixFailsIn;
  private OperationFailure prefixFailure = OperationFailure.ANY;
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
  private Optional<SimulatedStore> store = Optional.empty();
  private Standstill standstill = Standstill.NONE;
  /** The daemon's way to the store, and its process; null where there is no store. */
  private Requests requests;
  private SimulatedStore.StoreProcess process;
  /** Whether a request is being made in which a job may stand. */
  private boolean mayStand;
  /** How often a thread is overtaken by others amid its job, if ever. */
  private Optional<Overtaking> overtaking = Optional.empty();
  private Duration standsNext = Duration.ZERO;

  /** Has the daemon's process stand still. */
  interface Standstill {
    Standstill NONE = new Standstill() {
      @Override
      public boolean runs(String node) {
        return true;
      }

      @Override
      public void begins(String node, boolean isMissed) {
        // there is nobody to notice
      }

      @Override
      public void ends(String node, boolean isMissed) {
        // nor that
      }
    };

    /** Whether it does not. */
    boolean runs(String node);

    /** It does from now on. @param isMissed whether the others hear nothing of it meanwhile */
    void begins(String node, boolean isMissed);

    /** It goes on. @param isMissed as when it began */
    void ends(String node, boolean isMissed);
  }

  /** Is told of a daemon's operations. */
  interface Watcher {
    Watcher NONE = new Watcher() {
      @Override
      public void counts(String node, boolean onShared) {
        // nobody wants to know
      }

      @Override
      public void looks(String node, boolean onShared) {
        // nor that
      }

      @Override
      public void sees(String node, Operation operation, Path path) {
        // nor that
      }
    };

    /** It is about to do something that may still fail. */
    void counts(String node, boolean onShared);

    /** It asks whether something is there, or for attributes. */
    void looks(String node, boolean onShared);

    /** It does this to its own files. */
    void sees(String node, Operation operation, Path path);

    /** It hears that one of its own files, or directories, cannot be synced. */
    default void failsToSync(String node, Path path) {
      // most do not mind
    }
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

  /** Its daemon is one of a cluster, which can have it stand still. */
  void isOf(Standstill cluster) {
    standstill = cluster;
  }

  /** Has an object store in the place of the prefix file system. */
  void mounts(SimulatedStore objects) {
    store = Optional.of(objects);
    local = newProcess();
  }

  /** From now on threads of its daemon are overtaken. */
  void overtakes(Overtaking how) {
    overtaking = Optional.of(how);
  }

  private LocalFiles newProcess() {
    if (store.isEmpty()) {
      return new LocalFiles(files);
    }
    if (requests != null) {
      requests.isOver = true;
    }
    requests = new Requests();
    process = store.get().process(name, files, requests);
    return process.files();
  }

  private void renewLater(Requests of, ObjectFileSystem mounted) {
    store.orElseThrow().after(ObjectFileSystem.renewal(), () -> {
      if (!of.isOver) {
        if (standstill.runs(name)) {
          mounted.renewLocks();
        }
        renewLater(of, mounted);
      }
    });
  }

  /** Leases in an object store that the daemon's process holds. */
  Set<String> leases() {
    return store.isEmpty() ? Set.of() : process.client().leases();
  }

  /** Uploads to an object store that it has begun and not ended. */
  Set<String> openUploads() {
    return store.isEmpty() ? Set.of() : process.client().openUploads();
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
    System.arraycopy(id, 0, file.reserve(0, id.length, name), 0, id.length);
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
    if (daemon != null) {
      ended.add(daemon);
    }
    daemon = loop;
    disarm();
    if (loop == null) {
      files.processEnds();
      local = newProcess();
    } else if (store.isPresent()) {
      renewLater(requests, process.mounted());
    }
  }

  /** Something happens in an operation; the daemon may be dead then. */
  void strikeAt(int operation, Runnable what) {
    strikeIn = operation;
    strike = what;
  }

  /** One of its operations fails, this one or a later one. */
  void failAt(int operation, boolean onShared, OperationFailure failure) {
    if (onShared) {
      prefixFailsIn = operation;
      prefixFailure = failure;
    } else {
      diskFailsIn = operation;
      diskFailure = failure;
    }
  }

  /** A daemon starts now, and nobody else does anything. One operation, or look, of it may fail. */
  void starts(int failsAt) {
    isStarting = true;
    startFailsIn = failsAt;
  }

  /** It has started, or could not. */
  void hasStarted() {
    isStarting = false;
  }

  private void whileStarting() throws IOException {
    if (isStarting && startFailsIn > 0 && --startFailsIn == 0) {
      throw new IOException("Input/output error");
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
    standsNext = Duration.ZERO;
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

  private boolean isPrefixAway() {
    return time.nowNs() < prefixFailsUntilNs;
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

  /** Whether it is the one that fails. One that is due waits for an operation that can fail so. */
  private boolean failsNow(boolean onShared, boolean canFail) {
    int left = onShared ? prefixFailsIn : diskFailsIn;
    if (left == 0) {
      return false;
    }
    boolean fails = left == 1 && canFail;
    int now = fails ? 0 : Math.max(1, left - 1);
    if (onShared) {
      prefixFailsIn = now;
    } else {
      diskFailsIn = now;
    }
    return fails;
  }

  @Override
  public void behind(Operation operation, Path path) throws IOException {
    if (time.current() == daemon && errorBehind.isPresent()) {
      OperationFailure failure = errorBehind.get();
      errorBehind = Optional.empty();
      throw failure.of(operation, path);
    }
  }

  @Override
  public void before(Operation operation, boolean onShared, Path path) throws IOException {
    Loop here = time.current();
    if (ended.contains(here)) {
      throw new NodeDeath(name);                          // nor does it clean up
    }
    if (here == null || here != daemon) {
      whileStarting();
      if (isStarting && !onShared) {
        watcher.sees(name, operation, path);
      }
      return;                                             // ranks and other nodes
    }
    counts(here, onShared);
    OperationFailure failure = onShared ? prefixFailure : diskFailure;
    boolean fails = failure != OperationFailure.OF_LOOK && failsNow(onShared, failure.strikes(operation));
    errorBehind = fails && failure.isBehind() ? Optional.of(failure) : Optional.empty();
    if (fails || onShared && isPrefixAway()) {
      failedNs = time.nowNs();
      if (errorBehind.isEmpty()) {
        if (operation == Operation.SYNC && !onShared) {
          watcher.failsToSync(name, path);
        }
        throw new IOException("Input/output error");
      }
    }
    if (onShared && lockGoesIn > 0 && time.isInJob() && shared.locks(name) > 0 && --lockGoesIn == 0) {
      shared.release(name);
      failedNs = time.nowNs() + lockGoesFor.toNanos();
      stands(here, lockGoesFor);
    }
    long leftNs = prefixHangsUntilNs - here.nanoTime();
    if (onShared && leftNs > 0) {
      time.pass(Duration.ofNanos(leftNs));
    }
    if (!onShared) {
      watcher.sees(name, operation, path);
    }
  }

  /** Where one fails, or the prefix directory for a while, nobody hears whether something is there. */
  @Override
  public void looks(Path path) throws IOException {
    Loop here = time.current();
    if (here == null || here != daemon) {
      whileStarting();
      return;
    }
    boolean onShared = files.isShared((UserspacePath) path.toAbsolutePath());
    watcher.looks(name, onShared);
    boolean fails = (onShared ? prefixFailure : diskFailure) == OperationFailure.OF_LOOK && failsNow(onShared, true);
    if (fails || onShared && isPrefixAway()) {
      failedNs = time.nowNs();
      throw new IOException("Input/output error");
    }
  }

  private void counts(Loop here, boolean onShared) {
    watcher.counts(name, onShared);
    if (strikeIn > 0 && --strikeIn == 0) {
      strike.run();
      requireLife(here);
    }
  }

  /** The next job of the daemon that uses files stands still before. */
  void standNext(Duration some) {
    standsNext = some;
  }

  /**
   * Amid a job of the daemon, its thread may stand still; its process, if the thread keeps others out. Meanwhile all
   * others go on.
   */
  @Override
  public void enters() {
    Loop here = time.current();
    if (here == null || here != daemon || !time.mayStand()) {
      return;
    }
    boolean isNext = !standsNext.isZero();
    if (!isNext && overtaking.isEmpty()) {
      return;
    }
    Duration some = isNext ? standsNext : overtaking.get().draw();
    standsNext = Duration.ZERO;
    if (some.isZero()) {
      return;
    }
    if (mayStand) {
      processStands(here, some, false);
    } else {
      stands(here, some);
    }
    while (!standstill.runs(name) && !time.isWithinStanding()) {   // as if paused behind the job: who stands would wait
      processStands(here, STOPPED, false);                // else others could wait for what it keeps, as it is late
    }
  }

  /**
   * Amid a job of the daemon, its process stands still for so long at least. Meanwhile the others go on.
   *
   * @param isMissed whether they hear nothing of it
   * @return false: not here, or too many do
   */
  boolean stands(Duration some, boolean isMissed) {
    Loop here = time.current();
    if (!mayStand || here == null || here != daemon || !time.mayStand()) {
      return false;
    }
    processStands(here, some, isMissed);
    return true;
  }

  /** A thread stands still; its process, if the thread keeps others out, which would wait for it in earnest. */
  private void stands(Loop here, Duration some) {
    if (Exclusion.isOn()) {
      processStands(here, some, false);
    } else {
      time.stand(some);
      requireLife(here);
    }
  }

  private void processStands(Loop here, Duration some, boolean isMissed) {
    boolean isRequest = mayStand;
    standstill.begins(name, isMissed);
    mayStand = false;
    time.stand(some);
    requireLife(here);
    mayStand = isRequest;
    standstill.ends(name, isMissed);
  }

  private void requireLife(Loop here) {
    if (here != daemon) {
      throw new NodeDeath(name);
    }
  }

  /**
   * Requests of one daemon to the object store. Each of them counts as two operations: that it is sent, and that it has
   * happened. Where one takes time, the whole process stands still, so that its threads exclude each other by
   * monitors, and know their locks, as they do in truth.
   */
  private final class Requests implements StoreClient.Way {
    private boolean isOver;
    private int sent;
    /** Of the request that is under way, while the store fails. */
    private boolean losesAnswer;

    @Override
    public Fate goes(String request, boolean isDone) throws IOException {
      if (isOver) {
        throw new NodeDeath(name);                        // nor does it clean up
      }
      Loop here = time.current();
      if (here == null || here != daemon) {
        if (time.nowNs() < Math.max(prefixFailsUntilNs, prefixHangsUntilNs)) {
          throw new IOException("503 Slow Down");         // a renewal, which is tried again
        }
        return Fate.ARRIVES;
      }
      mayStand = BETWEEN_BYTES.contains(request);
      try {
        return goes(here, isDone);
      } finally {
        mayStand = false;
      }
    }

    private Fate goes(Loop here, boolean isDone) throws IOException {
      if (mayStand) {
        enters();
      }
      counts(here, true);
      Fate fate = fails(isDone) ? failed(isDone) : Fate.ARRIVES;
      if (lockGoesIn > 0 && mayStand && time.isInJob() && process.client().isLocking() && --lockGoesIn == 0) {
        stands(lockGoesFor, sent % 2 == 0);
        failedNs = Math.max(failedNs, time.nowNs());
      }
      if (!isDone && mayStand && lags() && ++sent % LAG_KINDS == 0) {
        stands(Duration.ofMillis(1 + sent * LAG_STEP_MS % MOST_LAG_MS), false);
      }
      long leftNs = prefixHangsUntilNs - here.nanoTime();
      if (leftNs > 0) {
        time.pass(Duration.ofNanos(leftNs));
      }
      return fate;
    }

    private boolean fails(boolean isDone) {
      boolean once = prefixFailsIn > 0 && --prefixFailsIn == 0;
      boolean isAway = isPrefixAway();
      if (!isDone) {
        losesAnswer = isAway && ++sent % LOST_KINDS == 0;
      }
      return once || isAway && isDone == losesAnswer;
    }

    /** Half of the lost answers only the client of the store knows of, which asks again. */
    private Fate failed(boolean isDone) throws IOException {
      failedNs = Math.max(failedNs, time.nowNs());
      if (isDone && ++sent % 2 == 0) {
        return Fate.IS_REPEATED;
      }
      throw new IOException(isDone ? "no answer" : "503 Slow Down");
    }
  }
}

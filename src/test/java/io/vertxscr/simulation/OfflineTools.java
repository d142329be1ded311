package io.vertxscr.simulation;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.prefix.metadata.LockHeldException;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RestartFileStore;
import io.vertxscr.scavenge.DatasetPublisher;
import io.vertxscr.scavenge.IndexEditor;
import io.vertxscr.scavenge.IndexVerification;
import io.vertxscr.scavenge.LocalCopies;
import io.vertxscr.scavenge.NodeCache;
import io.vertxscr.scavenge.OfflineScavenge;
import io.vertxscr.scavenge.Workers;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.Scenario.CommandMishap;
import io.vertxscr.simulation.Scenario.Mishap;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** {@code scr index} and {@code scr scavenge} on a prefix directory: beside daemons, and after their end. */
final class OfflineTools {
  private static final OfflineScavenge.ScavengeLog NO_LOG = new OfflineScavenge.ScavengeLog() {
    @Override
    public void begun(int dataset) {
      // nobody reads it
    }

    @Override
    public void ended(int dataset, boolean whole) {
      // nobody reads it
    }
  };

  private static final String NAME = "scr";

  private final SimulatedFileSystem own;
  private final SimulatedDisk shared;
  private final Optional<SimulatedStore> store;
  private final String prefixDirectory;
  private final VirtualTime time;
  private final Process process;
  private final Clock clock;
  private PrefixPaths paths;
  private PrefixIndex index;
  private FlushFileStore flushFile;
  private IndexEditor editor;
  /** Whether a command is being carried out. */
  private boolean isBusy;

  /** The process of a command. One operation may fail, or be its last. */
  private static final class Process implements SimulatedFileSystem.Interference, StoreClient.Way {
    private static final Set<Mishap> AT_LOOK = Set.of(Mishap.LOOK_FAILS);
    private static final Set<Mishap> AT_OPERATION = Set.of(Mishap.KILLED, Mishap.OPERATION_FAILS);
    private static final Set<Mishap> AT_REQUEST_THAT_LOOKS =
        Set.of(Mishap.KILLED, Mishap.OPERATION_FAILS, Mishap.LOOK_FAILS);
    private static final Set<Mishap> AT_RENAME =
        Set.of(Mishap.KILLED, Mishap.OPERATION_FAILS, Mishap.KILLED_AT_RENAME);

    private final VirtualTime time;
    private final Optional<Overtaking> overtaking;
    private Optional<CommandMishap> awaits = Optional.empty();
    private int done;

    Process(VirtualTime time, Optional<Overtaking> overtaking) {
      this.time = time;
      this.overtaking = overtaking;
    }

    @Override
    public void enters() {
      Duration some = overtaking.filter(_ -> time.mayStand()).map(Overtaking::draw).orElse(Duration.ZERO);
      if (!some.isZero()) {
        time.stand(some);
      }
    }

    @Override
    public void before(SimulatedFileSystem.Operation operation, boolean onShared, Path path) throws IOException {
      does(operation == SimulatedFileSystem.Operation.MOVE ? AT_RENAME : AT_OPERATION);
    }

    @Override
    public void looks(Path path) throws IOException {
      does(AT_LOOK);
    }

    @Override
    public Fate goes(String request, boolean isDone) throws IOException {
      if (!isDone) {
        enters();
      }
      does(switch (request) {
        case "head" -> AT_REQUEST_THAT_LOOKS;
        case "copy" -> AT_RENAME;
        default -> AT_OPERATION;
      });
      return Fate.ARRIVES;
    }

    /** @param countedBy mishaps that come after so many of these */
    private void does(Set<Mishap> countedBy) throws IOException {
      if (awaits.isEmpty()) {
        return;
      }
      if (countedBy.contains(awaits.get().mishap())) {
        done++;
      }
      if (done < awaits.get().operation()) {
        return;
      }
      switch (awaits.get().mishap()) {
        case KILLED, KILLED_AT_RENAME -> throw new NodeDeath(NAME);   // nor does it clean up
        case OPERATION_FAILS, LOOK_FAILS -> {
          await(Optional.empty());
          throw new IOException("Input/output error");
        }
      }
    }

    private void await(Optional<CommandMishap> mishap) {
      awaits = mishap;
      done = 0;
    }
  }

  /**
   * Commands.
   *
   * @param overtaking how they are overtaken by others
   * @param own a disk of the machine on which they run
   * @param store in which the prefix directory is, if it is not in the shared files
   */
  OfflineTools(VirtualTime time, Optional<Overtaking> overtaking, SimulatedDisk own, SimulatedDisk shared,
      Optional<SimulatedStore> store, String prefixDirectory, Clock clock) {
    this.time = time;
    this.process = new Process(time, overtaking);
    this.own = new SimulatedFileSystem(NAME, own, shared, process);
    this.shared = shared;
    this.store = store;
    this.prefixDirectory = prefixDirectory;
    this.clock = clock;
    begin();
  }

  /** A process that has no other one's locks, nor files that it was writing. */
  private void begin() {
    LocalFiles files = store.map(one -> one.process(NAME, own, process).files()).orElse(new LocalFiles(own));
    LockUser user = new LockUser(NAME, files, clock);
    paths = new PrefixPaths(files.path(prefixDirectory));
    index = new PrefixIndex(paths, user);
    flushFile = new FlushFileStore(paths, user);
    editor = new IndexEditor(paths, index, new RestartFileStore(paths, user));
  }

  /** {@code scr index --build}. @return false: not now, somebody else is changing the directory */
  boolean build() {
    return unlessBusy(() -> new DatasetPublisher(paths, index, flushFile, clock, _ -> {}).build());
  }

  /** {@code scr index --verify} of all datasets. @return false: not now, somebody else is changing the directory */
  boolean verify() {
    return unlessBusy(() -> new IndexVerification(paths, index, clock, _ -> {}).verify(index.read().index().entries()));
  }

  /** Names of datasets that restarts skip, as they were found damaged, and not as a later one has their files. */
  List<String> marked() {
    return index.read().index().entries().stream()
        .filter(entry -> entry.failed().isPresent() && entry.replacedBy().isEmpty())
        .map(Index.Entry::name).toList();
  }

  /** {@code scr index --add}. @return false: not now, somebody else is changing the directory, or flushes it */
  boolean add(int id) {
    return unlessBusy(() -> new DatasetPublisher(paths, index, flushFile, clock, _ -> {}).add(id, false));
  }

  /** {@code scr index --current}. @return false: not now */
  boolean setCurrent(String name) {
    return unlessBusy(() -> editor.setCurrent(name));
  }

  /** {@code scr index --drop}. @return false: not now */
  boolean drop(String name) {
    return unlessBusy(() -> editor.drop(name));
  }

  /** {@code scr index --drop-after}. @return false: not now */
  boolean dropAfter(String name) {
    return unlessBusy(() -> editor.dropAfter(name));
  }

  /** The index as it is. */
  Index index() {
    return index.read().index();
  }

  /** Numbers of all datasets that have left anything in the prefix directory, newest first. */
  List<Integer> known() {
    return paths.datasets().stream().sorted(Comparator.reverseOrder()).toList();
  }

  /** Numbers of the datasets that caches hold for the prefix directory, newest first. */
  List<Integer> cached(Collection<Machine> machines, String job) {
    return caches(machines, job).flatMap(cache -> cache.of(paths).datasets().stream())
        .map(record -> record.descriptor().id()).distinct().sorted(Comparator.reverseOrder()).toList();
  }

  /** Whether a cache holds a dataset that is not known there to be flushed. */
  boolean mayBeFlushed(int id, Collection<Machine> machines, String job) {
    return caches(machines, job).flatMap(cache -> cache.find(id, paths).stream())
        .anyMatch(record -> record.flush() != FlushState.DONE);
  }

  private Stream<NodeCache> caches(Collection<Machine> machines, String job) {
    return machines.stream()
        .flatMap(machine -> NodeCache.ofJob(machine.seenBy(process).getPath(control(job))).stream());
  }

  private static String control(String job) {
    return "/local/cntl/user/scr." + job;
  }

  /**
   * {@code scr scavenge} of a job where no daemon is left; each machine copies what it has.
   *
   * @param chosen only this dataset
   */
  void scavenge(Collection<Machine> machines, String job, OptionalInt chosen) {
    var scavenge = new OfflineScavenge(paths, index, flushFile, id -> {
      for (Machine machine : machines) {
        SimulatedFileSystem files = machine.seenBy(process);
        PrefixPaths seen = store.isPresent() ? paths : new PrefixPaths(files.getPath(prefixDirectory));
        NodeCache.ofJob(files.getPath(control(job)))
            .forEach(cache -> new LocalCopies(seen, List.of(cache), _ -> {}).bring(id));
      }
      return true;
    }, NO_LOG, clock, _ -> {});
    List<NodeCache> caches = caches(machines, job).toList();
    Workers.alone(() -> {
      if (chosen.isPresent()) {
        scavenge.one(chosen.getAsInt(), false);
      } else {
        scavenge.all(caches, false);
      }
    });
  }

  /** The same of some machines, beside the daemons of others. @return false: not now */
  boolean scavengeUnlessBusy(Collection<Machine> machines, String job, OptionalInt chosen) {
    return unlessBusy(() -> scavenge(machines, job, chosen));
  }

  /**
   * Does something and is killed amid it, or cannot do it whole; whoever comes next finds what is left.
   *
   * @param on the machines whose disks it uses, on which no daemon runs
   * @return false: it had ended before
   */
  boolean befalls(CommandMishap mishap, Collection<Machine> on, BooleanSupplier work) {
    if (isBusy) {
      return false;
    }
    process.await(Optional.of(mishap));
    try {
      carriesOut(work);
      return process.awaits.isEmpty();
    } catch (NodeDeath _) {
      return true;
    } finally {
      process.await(Optional.empty());
      shared.release(NAME);
      begin();
      on.forEach(Machine::processEnds);
    }
  }

  /** Carries out a command, while others go on. @return false: not now; the operator waits for another one */
  boolean carriesOut(BooleanSupplier command) {
    if (isBusy) {
      return false;
    }
    isBusy = true;
    try {
      return time.process(command::getAsBoolean);
    } finally {
      isBusy = false;
    }
  }

  private static boolean unlessBusy(Runnable work) {
    try {
      Workers.alone(work);
      return true;
    } catch (LockHeldException _) {                       // a lease that its daemon has left, or could not give back
      return false;
    } catch (ScrException e) {
      if (e.fault() == Fault.BUSY || e.fault() == Fault.NO_SPACE || e.fault() == Fault.IO) {
        return false;
      }
      throw e;
    }
  }
}

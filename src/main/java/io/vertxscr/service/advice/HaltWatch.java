package io.vertxscr.service.advice;

import io.vertx.core.Future;
import io.vertxscr.config.policy.HaltPolicy;
import io.vertxscr.flow.advice.HaltConditions.Met;
import io.vertxscr.flow.advice.HaltConditions;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Halt.Reason;
import io.vertxscr.model.Halt;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.HaltFileStore.HaltFileVersion;
import io.vertxscr.prefix.metadata.HaltFileStore;
import io.vertxscr.service.Event;
import io.vertxscr.service.LockedJobs;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Observer;
import io.vertxscr.service.PrefixJobs;
import io.vertxscr.service.Prefixes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the halt file of the leader's run. Polls about every second on a transfer thread, and answers from memory.
 * What it writes there (checkpoints counted down, the reason of the end) is written before ranks hear of their
 * checkpoint: the next leader knows no more. A prefix directory that cannot be read or written ends no run. On the
 * node's loop.
 */
public final class HaltWatch {
  private static final Logger LOG = LoggerFactory.getLogger(HaltWatch.class);
  private static final long LOOK_MS = 500;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Loop loop;
  private final Prefixes prefixes;
  private final LockedJobs locked;
  private final AllocationClock allocation;
  private final LongSupplier clockSeconds;
  private final Observer observer;
  private Runnable looked = () -> {};
  private Runnable immediate = () -> {};
  private Admitted admitted;
  private Watched watched;

  /** Watches for a node, whenever it leads. */
  public HaltWatch(
      Loop loop, Prefixes prefixes, OptionalLong endSeconds, LongSupplier clockSeconds, Observer observer) {
    this.loop = loop;
    this.prefixes = prefixes;
    this.locked = prefixes.locked().with(PATIENCE);
    this.allocation = new AllocationClock(loop, endSeconds, clockSeconds);
    this.clockSeconds = clockSeconds;
    this.observer = observer;
  }

  /** The halt file of one run; {@code uncounted} checkpoints, by id, are written but not yet counted down in it. */
  private static final class Watched {
    private final long run;
    private final HaltFileStore file;
    private final HaltPolicy policy;
    private Halt halt = Halt.NONE;
    /** Of what was read last; null where this must be read again. */
    private HaltFileVersion version;
    /** The file was read. Checkpoints that are written before are counted down then. */
    private boolean known;
    private final SortedSet<Integer> uncounted = new TreeSet<>();
    private int written;
    private boolean told;
    /** The last look, without its failure. */
    private Future<Void> look = Future.succeededFuture();
    private Future<Void> writing = Future.succeededFuture();

    Watched(long run, HaltFileStore file, HaltPolicy policy) {
      this.run = run;
      this.file = file;
      this.policy = policy;
    }

    private Halt counted(Halt before, Collection<Integer> checkpoints) {
      Halt after = before;
      for (int checkpoint : checkpoints) {
        after = after.afterCheckpoint(run, checkpoint);
      }
      return after;
    }
  }

  /** One poll. The version is taken before the content, so that a concurrent change is seen by the next poll. */
  private record Reading(HaltFileVersion version, Halt halt) {}

  /** What was read before a run could begin: its watch begins with that. */
  private record Admitted(Path file, Reading reading) {}

  /** Sets the listener called after every poll, and after every checkpoint. */
  void onLook(Runnable listener) {
    looked = listener;
  }

  /** Sets the listener for an immediate halt. */
  public void onImmediate(Runnable listener) {
    immediate = listener;
  }

  /**
   * Admits a run, or fails with the halt condition. A reason that only says how an earlier run ended is taken out of
   * the file first: who asks whether to start the program again is to hear how this run ends.
   *
   * @return fails with HALTED, or HALT_EXIT where processes are to end themselves, naming the reason and the way out
   */
  public Future<Void> admit(String prefix, HaltPolicy policy) {
    HaltFileStore file = prefixes.open(prefix).haltFile();
    return allocation.ask().compose(_ -> readOrNone(file)).compose(reading -> {
      admitted = new Admitted(file.file(), reading);
      Optional<Met> met = met(reading.halt(), policy);
      if (met.isPresent()) {
        Fault fault = policy.exit() ? Fault.HALT_EXIT : Fault.HALTED;
        return Future.failedFuture(new ScrException(fault, "no run may begin in " + prefix + ": " + met.get().words()
            + "; 'scr halt --remove " + prefix + "' lets another run begin"));
      }
      return present(reading.halt(), policy).equals(reading.halt()) ? Future.succeededFuture()
          : write(new Watched(0, file, policy), halt -> halt);
    });
  }

  /** When the allocation ends, in seconds since 1970; empty if unknown, or not yet queried. */
  public OptionalLong endSeconds() {
    return allocation.endSeconds();
  }

  /** Continues a run under these conditions. */
  public void watch(long run, String prefix, HaltPolicy policy) {
    watched = new Watched(run, prefixes.open(prefix).haltFile(), policy);
    if (admitted != null && admitted.reading.version() != null && admitted.file.equals(watched.file.file())) {
      take(watched, admitted.reading);
    }
    admitted = null;
    look(watched);
    allocation.ask().onSuccess(_ -> remark().ifPresent(LOG::warn));
  }

  /** Nobody's run is to be halted any more. */
  public void stop() {
    watched = null;
  }

  private static Reading read(HaltFileStore file) {
    return new Reading(file.version(), file.read());
  }

  private Future<Reading> readOrNone(HaltFileStore file) {
    return loop.prefix().ask(PrefixJobs.PATIENCE_AT_BEGIN, "read " + file.file(), () -> read(file))
        .otherwise(failure -> {
          LOG.warn("going on without the halt file {}: {}", file.file(), failure.getMessage());
          return new Reading(null, Halt.NONE);
        });
  }

  private void look(Watched mine) {
    if (mine != watched) {
      return;
    }
    if (mine.look.isComplete()) {
      mine.look = lookNow(mine).otherwiseEmpty();
      mine.look.onComplete(_ -> seen(mine));
    } else {
      seen(mine);                                         // what depends on the time goes on without an answer
    }
    loop.after(LOOK_MS, () -> look(mine));
  }

  private void take(Watched mine, Reading reading) {
    mine.version = reading.version();
    mine.halt = reading.halt();
    if (!mine.known) {
      mine.known = true;
      if (mine.halt.checkpointsLeft().isEmpty()) {
        mine.uncounted.clear();
      } else if (!mine.uncounted.isEmpty()) {
        record(mine);
      }
    }
  }

  private Future<Void> lookNow(Watched mine) {
    int written = mine.written;
    return loop.prefix().run("look at " + mine.file.file(), mine.file::version)
        .compose(version -> version.equals(mine.version) ? Future.<Void>succeededFuture()
            : loop.prefix().run("read " + mine.file.file(), () -> read(mine.file)).map(reading -> {
              // else it may be what was there before a write, or be counted down already by one that has not ended
              if (mine.written == written && mine.writing.isComplete()) {
                take(mine, reading);
              }
              return null;
            }))
        .onFailure(failure -> LOG.debug("no look at {}: {}", mine.file.file(), failure.getMessage()));
  }

  private void seen(Watched mine) {
    if (mine != watched) {
      return;
    }
    tell();
    looked.run();
    if (mine.halt.immediate() && mine.halt.reason().isPresent()) {
      immediate.run();
    }
  }

  private void tell() {
    if (!watched.told) {
      met().ifPresent(met -> {
        watched.told = true;
        LOG.info("run {} is to stop: {}, {}", watched.run, met.reason(), met.why());
        observer.notice(new Event.Halting(watched.run, met.reason(), met.why()));
      });
    }
  }

  /** Why the run must stop, if it must. */
  Optional<Met> met() {
    return watched == null ? Optional.empty()
        : met(watched.counted(watched.halt, watched.uncounted), watched.policy);
  }

  private Optional<Met> met(Halt halt, HaltPolicy policy) {
    return HaltConditions.met(
        present(halt, policy).orHaltSeconds(policy.seconds()), allocation.endSeconds(), clockSeconds.getAsLong());
  }

  /** Without the reason of an earlier run, which would stand for that of this one. */
  private Halt present(Halt halt, HaltPolicy policy) {
    return HaltConditions.isOfEarlierRun(
        halt.orHaltSeconds(policy.seconds()), allocation.endSeconds(), clockSeconds.getAsLong())
        ? halt.withReason(Optional.empty()) : halt;
  }

  /** Returns a warning about a setting of this run that cannot take effect. */
  public Optional<String> remark() {
    int seconds = watched == null ? 0 : watched.policy.seconds();
    return seconds == 0 || watched.halt.haltSeconds().isPresent() || allocation.endSeconds().isPresent()
        ? Optional.empty() : Optional.of("SCR_HALT_SECONDS=" + seconds + " has no effect: nobody knows when the"
        + " allocation ends; set SCR_END_TIME, to seconds since 1970, for the daemons");
  }

  /**
   * A checkpoint is complete: counts it, and writes down the reason to stop if there is one now. It counts once, also
   * where an earlier leader has counted it.
   */
  public void checkpointWritten(int dataset) {
    if (watched == null) {
      return;
    }
    Watched mine = watched;
    if (!mine.known || mine.halt.checkpointsLeft().isPresent()) {
      mine.uncounted.add(dataset);
    }
    if (mine.known && !mine.uncounted.isEmpty() || met().isPresent()) {
      record(mine);
    }
    tell();
    looked.run();
  }

  /** Completes, without failure and soon, when what {@link #checkpointWritten} has to write is written. */
  public Future<Void> recorded() {
    if (watched == null) {
      return Future.succeededFuture();
    }
    Watched mine = watched;
    return soon(mine, mine.known ? mine.writing : mine.look.compose(_ -> mine.writing));
  }

  private Future<Void> soon(Watched mine, Future<Void> written) {
    return loop.prefix().within(PrefixJobs.PATIENCE, written).otherwise(failure -> {
      LOG.warn("going on before the halt file {} is written: {}", mine.file.file(), failure.getMessage());
      return null;
    });
  }

  private void record(Watched mine) {
    write(mine, halt -> recorded(halt, mine.policy));
  }

  private Halt recorded(Halt halt, HaltPolicy policy) {
    return halt.reason().isPresent() ? halt : halt.withReason(met(halt, policy).map(Met::reason));
  }

  /** The run has ended as its application wanted: no script is to start the program again by itself. */
  public Future<Void> finalizeCalled() {
    if (watched == null) {
      return Future.succeededFuture();
    }
    Watched mine = watched;
    return write(mine, halt -> recorded(halt, mine.policy).because(Reason.SCR_FINALIZE_CALLED));
  }

  /** No run could begin, and none will by being started again. */
  public void initFailed(String prefix, HaltPolicy policy) {
    write(new Watched(0, prefixes.open(prefix).haltFile(), policy),
        halt -> halt.because(Reason.SCR_INIT_FAILED));
  }

  /**
   * Counts down what is not counted yet, and makes the change; one after the other. Completes without failure in any
   * case, and soon: nobody waits for a directory that hangs.
   */
  private Future<Void> write(Watched mine, UnaryOperator<Halt> change) {
    mine.writing = mine.writing.compose(_ -> {
      List<Integer> counted = List.copyOf(mine.uncounted);
      return locked.run("write " + mine.file.file(), () ->
          mine.file.update(halt -> change.apply(mine.counted(present(halt, mine.policy), counted)))).map(halt -> {
            mine.halt = halt;
            mine.known = true;
            mine.version = null;                          // another may have changed it since then
            mine.uncounted.removeAll(counted);
            mine.written++;
            return (Void) null;
          });
    }).otherwise(failure -> {
      LOG.warn("cannot write the halt file {}: {}", mine.file.file(), failure.getMessage());
      return null;
    });
    return soon(mine, mine.writing);
  }

  /** Returns the halt reason for the replies to complete. */
  public Optional<String> reason() {
    return met().map(Met::reason);
  }

  /** Whether processes are to end themselves when there is a reason. */
  public boolean exits() {
    return watched != null && watched.policy.exit();
  }
}

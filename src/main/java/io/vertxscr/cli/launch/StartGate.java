package io.vertxscr.cli.launch;

import io.vertxscr.flow.advice.HaltConditions;
import io.vertxscr.launch.JobFlow;
import io.vertxscr.launch.LaunchSettings;
import io.vertxscr.model.Halt;
import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.prefix.metadata.HaltFileStore;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Whether a run may begin in a prefix directory. Its halt conditions decide, and the nodes that are left. */
record StartGate(PrefixPaths paths, Allocation allocation) {
  private static final String FINISHED = Halt.Reason.SCR_FINALIZE_CALLED.name();

  /**
   * Why no run may begin here.
   *
   * @param haltSeconds that must be left of the allocation, where the halt file says nothing
   */
  Optional<String> halted(int haltSeconds) {
    HaltFileStore halts = new HaltFileStore(paths, PatientLocks.user("scr should-exit"));
    long nowS = System.currentTimeMillis() / 1000;
    return HaltConditions.met(halts.read().orHaltSeconds(haltSeconds), allocation.endSeconds(nowS), nowS)
        .map(met -> "no run begins: " + met.words() + (met.reason().equals(FINISHED) ? "; 'scr run', 'scr prerun' or '"
            : "; '") + "scr halt --remove " + paths.prefix() + "' lets another one begin");
  }

  /** Why no run can begin without these nodes. */
  Optional<String> tooFew(LaunchSettings settings, Collection<String> down) {
    Set<String> left = new HashSet<>(allocation.names());
    left.removeAll(settings.excluded());
    down.forEach(left::remove);
    int needed = settings.minNodes() > 0 ? settings.minNodes()
        : new FlushFileStore(paths, PatientLocks.user("scr should-exit")).nodes().orElse(1);
    return allocation.isHere() || left.size() >= needed ? Optional.empty()
        : Optional.of(JobFlow.tooFewNodes(left.size(), needed));
  }

  /**
   * Clears the mark of a finished run: a call of {@code scr run} or {@code scr prerun} is a deliberate restart. All
   * other reasons stay.
   *
   * @return message for the user
   */
  static Optional<String> letFinishedBeginAgain(PrefixPaths paths) {
    HaltFileStore halts = new HaltFileStore(paths, PatientLocks.user("scr run"));
    if (!isFinished(halts.read())) {
      return Optional.empty();
    }
    halts.update(halt -> isFinished(halt) ? halt.withReason(Optional.empty()) : halt);
    return Optional.of("the last run here has finished (" + FINISHED + "): the program is started again anyway");
  }

  private static boolean isFinished(Halt halt) {
    return halt.reason().equals(Optional.of(FINISHED));
  }
}

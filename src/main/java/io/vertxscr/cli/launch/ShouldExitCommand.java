package io.vertxscr.cli.launch;

import io.vertxscr.flow.advice.HaltConditions;
import io.vertxscr.launch.Hostlist;
import io.vertxscr.launch.JobFlow;
import io.vertxscr.launch.LaunchSettings;
import io.vertxscr.model.Halt;
import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.prefix.metadata.HaltFileStore;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code scr should-exit}: for scripts that start programs themselves. */
@Command(name = "should-exit", description = {
    "Exit with 0, and say why, if the program should not be started (again) in this allocation; else exit with 1.",
    "It should not if a halt condition holds, or too few nodes are left."})
final class ShouldExitCommand implements Callable<Integer> {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int GO_ON = 1;
  private static final String FINISHED = Halt.Reason.SCR_FINALIZE_CALLED.name();

  private final Map<String, String> given;

  @Option(names = "--down", defaultValue = "", paramLabel = "LIST",
      description = "Nodes that are down, as list-down-nodes prints them.")
  private String down;

  @Mixin
  private JobOptions options;

  @Spec
  private CommandSpec spec;

  ShouldExitCommand(Map<String, String> environment) {
    this.given = environment;
  }

  @Override
  public Integer call() {
    Map<String, String> environment = options.environment(given);
    PrefixPaths paths = options.paths(environment);
    Allocation allocation = options.allocation(environment, OptionalInt.empty());
    LaunchSettings settings = options.settings(environment, paths);
    Optional<String> why = halted(paths, allocation, settings.haltSeconds())
        .or(() -> tooFew(settings, paths, allocation));
    why.ifPresent(spec.commandLine().getOut()::println);
    return why.isPresent() ? 0 : GO_ON;
  }

  /**
   * Why no run may begin here.
   *
   * @param haltSeconds that must be left of the allocation, where the halt file says nothing
   */
  static Optional<String> halted(PrefixPaths paths, Allocation allocation, int haltSeconds) {
    HaltFileStore halts = new HaltFileStore(paths, PatientLocks.user("scr should-exit", PATIENCE));
    long nowS = System.currentTimeMillis() / 1000;
    return HaltConditions.met(halts.read().orHaltSeconds(haltSeconds), allocation.endSeconds(nowS), nowS)
        .map(met -> "no run begins: " + met.words() + (met.reason().equals(FINISHED) ? "; 'scr run', 'scr prerun' or '"
            : "; '") + "scr halt --remove " + paths.prefix() + "' lets another one begin");
  }

  /**
   * Clears the mark of a finished run: a call of {@code scr run} or {@code scr prerun} is a deliberate restart. All
   * other reasons stay.
   *
   * @return message for the user
   */
  static Optional<String> letFinishedBeginAgain(PrefixPaths paths) {
    HaltFileStore halts = new HaltFileStore(paths, PatientLocks.user("scr run", PATIENCE));
    if (!isFinished(halts.read())) {
      return Optional.empty();
    }
    halts.update(halt -> isFinished(halt) ? halt.withReason(Optional.empty()) : halt);
    return Optional.of("the last run here has finished (" + FINISHED + "): the program is started again all the same");
  }

  private static boolean isFinished(Halt halt) {
    return halt.reason().equals(Optional.of(FINISHED));
  }

  private Optional<String> tooFew(LaunchSettings settings, PrefixPaths paths, Allocation allocation) {
    Set<String> left = new HashSet<>(allocation.names());
    left.removeAll(settings.excluded());
    Hostlist.expand(down).forEach(left::remove);
    int needed = settings.minNodes() > 0 ? settings.minNodes()
        : new FlushFileStore(paths, PatientLocks.user("scr should-exit", PATIENCE)).nodes().orElse(1);
    return allocation.isHere() || left.size() >= needed ? Optional.empty()
        : Optional.of(JobFlow.tooFewNodes(left.size(), needed));
  }
}

package io.vertxscr.cli.launch;

import io.vertxscr.launch.Hostlist;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code scr should-exit}: for scripts that start programs themselves. */
@Command(name = ShouldExitCommand.NAME, description = {
    "Exit with 0, and say why, if the program should not be started (again) in this allocation; else exit with 1.",
    "It should not if a halt condition holds, or too few nodes are left."})
final class ShouldExitCommand extends JobCommand {
  static final String NAME = "should-exit";
  private static final int GO_ON = 1;

  @Option(names = "--down", defaultValue = "", paramLabel = "LIST",
      description = "Nodes that are down, as list-down-nodes prints them.")
  private String down;

  ShouldExitCommand(Map<String, String> environment) {
    super(environment);
  }

  @Override
  int run(JobScene job) {
    var gate = new StartGate(job.paths(), job.allocation());
    Optional<String> why = gate.halted(job.settings().haltSeconds())
        .or(() -> gate.tooFew(job.settings(), Hostlist.expand(down)));
    why.ifPresent(out()::println);
    return why.isPresent() ? 0 : GO_ON;
  }
}

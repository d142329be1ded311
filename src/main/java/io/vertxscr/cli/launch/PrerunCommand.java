package io.vertxscr.cli.launch;

import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;

/** {@code scr prerun}: for scripts that start daemons and programs themselves. */
@Command(name = PrerunCommand.NAME, description = {
    "Check before the first run of a script whether a run can work: configuration, prefix directory, nodes, halts.",
    "Prints the nodes, separated by commas. Exit code 1 if no run may begin, 2 for a wrong configuration."})
final class PrerunCommand extends JobCommand {
  static final String NAME = "prerun";

  PrerunCommand(Map<String, String> environment) {
    super(environment);
  }

  @Override
  int run(JobScene job) {
    job.variables();
    JobOptions.requireWritable(job.paths());
    StartGate.letFinishedBeginAgain(job.paths()).ifPresent(line -> err().println("scr: " + line));
    Optional<String> halted = new StartGate(job.paths(), job.allocation()).halted(job.settings().haltSeconds());
    if (halted.isPresent()) {
      err().println("scr: " + halted.get());
      return 1;
    }
    out().println(String.join(",", job.allocation().names()));
    return 0;
  }
}

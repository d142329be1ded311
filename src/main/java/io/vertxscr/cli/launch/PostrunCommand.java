package io.vertxscr.cli.launch;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;

/** {@code scr postrun}: for scripts that start daemons and programs themselves. */
@Command(name = PostrunCommand.NAME, description = {
    "Scavenge after the last run of a script: copy what only the caches have to the prefix directory.",
    "The daemons must have been stopped. Down nodes are excluded; exit code 1 if not everything was found."})
final class PostrunCommand extends JobCommand {
  static final String NAME = "postrun";

  PostrunCommand(Map<String, String> environment) {
    super(environment);
  }

  @Override
  int run(JobScene job) throws IOException, InterruptedException {
    Set<String> down = new DownNodes(job.allocation(), job.settings()).find(List.of()).keySet();
    List<String> up = job.allocation().names().stream().filter(node -> !down.contains(node)).toList();
    return new Scavenging(job.allocation(), program(job), job.paths().prefix(), job.variables()).run(up, err());
  }
}

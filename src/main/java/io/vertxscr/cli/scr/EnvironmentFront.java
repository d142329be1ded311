package io.vertxscr.cli.scr;

import io.vertxscr.cli.launch.Allocation;
import io.vertxscr.config.Configuration;
import io.vertxscr.config.Settings;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code scr_env}. */
@Command(sortOptions = false, exitCodeOnInvalidInput = Front.FAILED, description =
    "Print what is known of this job: one thing at a time.")
final class EnvironmentFront extends Front {
  @Option(names = {"-u", "--user"}, description = "Its user.")
  private boolean user;

  @Option(names = {"-j", "--jobid"}, description = "Its number.")
  private boolean jobId;

  @Option(names = {"-n", "--nodes"}, description = "Its nodes, separated by commas.")
  private boolean nodes;

  @Option(names = {"-d", "--down"}, description = "Those that the resource manager calls down.")
  private boolean down;

  @Option(names = {"-p", "--prefix"}, paramLabel = "DIR", description = "Prefix directory, for --runnodes.")
  private Path prefix;

  @Option(names = {"-r", "--runnodes"}, description = "On how many nodes the last run was.")
  private boolean runNodes;

  EnvironmentFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() {
    if (user || jobId) {
      Settings settings = Settings.load(environment(), Configuration.systemFile(environment()));
      out().println(user ? settings.job().user() : settings.job().id());
      return 0;
    }
    if (nodes || down) {
      Allocation job = Allocation.of(environment());
      if (job.isHere()) {
        err().println(name() + ": no resource manager names the nodes of a job here");
        return FAILED;
      }
      List<String> asked = nodes ? job.names() : List.copyOf(new TreeSet<>(job.downByManager(job.names())));
      if (!asked.isEmpty()) {
        out().println(String.join(",", asked));
      }
      return 0;
    }
    if (runNodes) {
      return ours(List.of("scr_nodes_file", "--dir", prefix(prefix).prefix().toString()));
    }
    throw wrong("one of --user, --jobid, --nodes, --down and --runnodes");
  }
}

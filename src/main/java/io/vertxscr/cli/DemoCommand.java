package io.vertxscr.cli;

import io.vertxscr.cli.text.Terminal;
import io.vertxscr.demo.DemoCluster;
import io.vertxscr.demo.DemoDirectory;
import io.vertxscr.demo.DemoException;
import io.vertxscr.demo.DemoPlan;
import io.vertxscr.demo.DemoProgress;
import io.vertxscr.demo.DemoScenario;
import io.vertxscr.demo.EmbeddedDemoCluster;
import io.vertxscr.demo.ProcessDemoCluster;
import io.vertxscr.examples.heat.HeatProblem;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code scr demo}: loses a node in the middle of a run and shows that nothing of the result is lost. */
@Command(name = DemoCommand.NAME, sortOptions = false, description = {
    "Run a parallel program, kill a node with its storage, restart on a spare node, and compare the result with that"
        + " of an undisturbed run, byte by byte. Ends with 'identical' and exit code 0 if they match."})
final class DemoCommand implements Callable<Integer> {
  static final String NAME = "demo";

  private final Map<String, String> environment;

  @Spec
  private CommandSpec spec;

  @Option(names = "--processes",
      description = "Nodes and ranks are processes, killed with SIGKILL; else all is in one process.")
  private boolean processes;

  @Option(names = "--out", defaultValue = "demo-out", paramLabel = "DIR",
      description = "Directory for what is left to look at (${DEFAULT-VALUE}); that of an earlier demo is replaced.")
  private Path out;

  @Option(names = "--scheme", defaultValue = "XOR", paramLabel = "XOR|PARTNER",
      description = "How checkpoints are protected (${DEFAULT-VALUE}).")
  private Scheme scheme;

  @Option(names = "--flush", defaultValue = "3", paramLabel = "N",
      description = "Every Nth checkpoint goes to the prefix directory (${DEFAULT-VALUE}); 0 for none.")
  private int flushEvery;

  @Option(names = "--ranks", defaultValue = "8", description = "Ranks of the program (${DEFAULT-VALUE}).")
  private int ranks;

  @Option(names = "--nodes", defaultValue = "4", description = "Nodes they run on (${DEFAULT-VALUE}).")
  private int nodes;

  @Option(names = "--lose", defaultValue = "1", paramLabel = "N", description =
      "Nodes that die at once (${DEFAULT-VALUE}); more than one may leave only what the prefix directory has.")
  private int victims;

  @Option(names = "--size", defaultValue = "2048", description = "Rows and columns of the field (${DEFAULT-VALUE}).")
  private int size;

  @Option(names = "--steps", defaultValue = "200", description = "Time steps (${DEFAULT-VALUE}).")
  private int steps;

  @Option(names = "--checkpoint-every", defaultValue = "20", paramLabel = "STEPS",
      description = "Steps between checkpoints (${DEFAULT-VALUE}).")
  private int checkpointEvery;

  DemoCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws IOException {
    Path directory = out.toAbsolutePath().normalize();
    DemoPlan plan = plan(directory);
    Optional<Path> home = processes ? Optional.of(home()) : Optional.empty();
    DemoProgress progress = new DemoProgress(System.out, Terminal.of(environment).colours());
    DemoDirectory.prepare(directory);
    try (DemoCluster cluster = cluster(plan, home)) {
      // For Ctrl-C and SIGTERM; a no-op after a completed run.
      Runtime.getRuntime().addShutdownHook(new Thread(cluster::close, "scr-demo-stop"));
      return DemoScenario.run(cluster, plan, progress).identical() ? 0 : ScrCommand.FAILED;
    } catch (DemoException e) {
      progress.alarm("failed: " + e.getMessage());
      return ScrCommand.FAILED;
    }
  }

  private DemoPlan plan(Path directory) {
    if (scheme == Scheme.SINGLE) {
      throw new ParameterException(spec.commandLine(), "--scheme SINGLE: does not survive the loss of a node");
    }
    try {
      return DemoPlan.of(ranks, nodes, victims, new HeatProblem(size, steps, checkpointEvery), directory);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private Path home() {
    String home = environment.get("SCR_HOME");
    if (home == null) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "SCR_HOME is not set: start the demo with bin/scr");
    }
    return Path.of(home);
  }

  /** @param home of the program, for daemons that are processes */
  private DemoCluster cluster(DemoPlan plan, Optional<Path> home) throws IOException {
    if (home.isEmpty()) {
      return EmbeddedDemoCluster.create(plan, scheme, flushEvery);
    }
    Path directory = plan.directory();
    var layout = new ProcessDemoCluster.Layout(home.get(), directory.resolve("prefix"), directory.resolve("logs"));
    return ProcessDemoCluster.create(layout, plan, scheme, flushEvery);
  }
}

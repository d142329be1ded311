package io.vertxscr.cli;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.IndexFile;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.node.SampleCaches;
import io.vertxscr.storage.AtomicFile;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code scr rehearse}: training run for the class cache of commands. Checkpoints are scavenged without one of their
 * nodes, made whole, listed, verified and explained, some times over, so that the kernels of the rebuild are among what
 * is remembered as worth compiling. Says only what went wrong.
 */
@Command(name = CommandTraining.NAME, hidden = true, description = "Run other commands on data of its own, and end.")
final class CommandTraining implements Callable<Integer> {
  static final String NAME = "rehearse";
  private static final int LARGE_BYTES = 8 << 20;
  private static final int LISTED = 3000;
  private static final String LOST = SampleCaches.node(2);

  private final Map<String, String> environment;

  @Parameters(paramLabel = "DIR", description = "An empty directory for its data.")
  private Path directory;

  @Option(names = "--rounds", defaultValue = "6", description = "How often (${DEFAULT-VALUE}).")
  private int rounds;

  @Spec
  private CommandSpec spec;

  CommandTraining(Map<String, String> environment) {
    this.environment = new HashMap<>(environment);
    this.environment.keySet().removeIf(name -> name.startsWith("SCR_") && !name.equals("SCR_HOME"));
  }

  /** @return 0 if every command succeeded */
  @Override
  public Integer call() throws IOException {
    Path absolute = directory.toAbsolutePath().normalize();
    environment.putAll(Map.of("SCR_CNTL_BASE", absolute.toString(), "SCR_CACHE_BASE", absolute.toString(),
        "SCR_JOB_ID", "rehearsal"));
    boolean good = true;
    for (int round = 1; round <= rounds; round++) {
      Path root = directory.resolve("round-" + round);
      good &= rebuild(root);
      Trees.delete(root);
    }
    return good && list(Files.createDirectories(directory.resolve("listed"))) ? 0 : ScrCommand.FAILED;
  }

  private boolean rebuild(Path root) throws IOException {
    var caches = new SampleCaches(root, LARGE_BYTES);
    for (int id = 1; id <= 2; id++) {
      caches.checkpoint(id, "timestep." + id);
    }
    Trees.delete(caches.control().resolve(LOST));
    String prefix = caches.prefix().toString();
    String control = caches.control().toString();
    boolean good = run("inspect", "--control", control)
        & run("copy", "--id", "1", "--control", control, "--prefix", prefix)
        & run("index", "--scan", "1", "--prefix", prefix)
        & run("index", "--add", "1", "--prefix", prefix)
        & run("scavenge", "--control", control, "--prefix", prefix)
        & run("index", "--build", "--prefix", prefix)
        & run("index", "--verify", "--prefix", prefix)
        & run("index", "--list", "--json", "--prefix", prefix)
        & run("explain", "--prefix", prefix, "--control", control, "timestep.2")
        & run("index", "--current", "timestep.1", "--prefix", prefix)
        & run("index", "--drop", "timestep.2", "--prefix", prefix);
    try (Stream<Path> files = Files.walk(caches.prefix().resolve(".scr"))) {
      for (Path file : files.filter(one -> one.toString().endsWith(".scr") && Files.isRegularFile(one)).toList()) {
        good &= run("print", file.toString());
      }
    }
    status();
    return good & run("halt", "--list", prefix) & run("config");
  }

  private boolean list(Path prefix) throws IOException {
    List<DatasetDescriptor> many = new ArrayList<>();
    var caches = new SampleCaches(prefix.resolve("one"), LARGE_BYTES);
    DatasetDescriptor one = caches.checkpoint(1, "one");
    for (int id = 1; id <= LISTED; id++) {
      many.add(new DatasetDescriptor(id, "timestep." + id, one.flags(), id, one.createdUs() + id, one.job(),
          one.totals()));
    }
    AtomicFile.replace(Files.createDirectories(prefix.resolve(".scr")).resolve("index.scr"),
        IndexFile.encode(Index.EMPTY.enlist(many, LocalDateTime.now())));
    boolean good = true;
    for (int round = 0; round < rounds; round++) {
      good &= run("index", "--list", "--prefix", prefix.toString());
    }
    return good;
  }

  /** There is no daemon, and it says so. */
  private void status() {
    PrintWriter nowhere = new PrintWriter(new StringWriter());
    ScrCommand.run(environment, nowhere, nowhere, "status");
  }

  private boolean run(String... arguments) {
    StringWriter said = new StringWriter();
    PrintWriter both = new PrintWriter(said, true);
    int exit = ScrCommand.run(environment, both, both, arguments);
    if (exit != 0) {
      spec.commandLine().getErr().println("scr " + String.join(" ", arguments) + " ended with " + exit + ":\n" + said);
    }
    return exit == 0;
  }
}

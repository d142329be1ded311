package io.vertxscr.cli;

import io.vertxscr.config.Configuration;
import io.vertxscr.config.Effective;
import io.vertxscr.config.ObjectSettings;
import io.vertxscr.config.RunSettings;
import io.vertxscr.config.Settings;
import io.vertxscr.config.UserSettings;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code scr config}: what holds, and why. */
@Command(name = ConfigCommand.NAME, description = {"Print the value of every parameter and where it comes from.",
    "The environment counts as that of the daemon and of the application."})
final class ConfigCommand implements Callable<Integer> {
  static final String NAME = "config";

  private final Map<String, String> environment;

  @Option(names = {"--config", "--file"}, paramLabel = "FILE",
      description = "Configuration of the system; conf/scr.conf of the installation if not given.")
  private Path file;

  @Option(names = "--prefix", paramLabel = "DIRECTORY",
      description = "Prefix directory of a run, for its .scrconf; SCR_PREFIX if not given.")
  private Path prefix;

  @Option(names = "--explain", description = "Say what each parameter does.")
  private boolean explain;

  @Option(names = "--json", description = "Print it for programs.")
  private boolean json;

  @Parameters(paramLabel = "CALL",
      description = "As if the application had configured this: SCR_FLUSH=5, or \"CKPT=0 TYPE=XOR\".")
  private List<String> calls = List.of();

  @Spec
  private CommandSpec spec;

  ConfigCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    Optional<Path> source = Optional.ofNullable(file).or(() -> Configuration.systemFile(environment));
    Configuration system = Configuration.ofSystem(environment, source);
    requireNamed(system);
    UserSettings user = new UserSettings(directory(), ours(), calls);
    Effective effective = system.with(user).effective();
    RunSettings run = Settings.of(system).of(user);     // refuses here what it would refuse at the start of a run
    ConfigPage page = new ConfigPage(source, user.file(), effective, run.policy().descriptors());
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(page.json().encodePrettily());
    } else {
      page.lines(explain).forEach(out::println);
    }
    run.remarks().forEach(remark -> spec.commandLine().getErr().println("scr: " + remark));
    return 0;
  }

  /** One that is named for its .scrconf, and is not there, has been mistyped. Object stores are not looked into. */
  private void requireNamed(Configuration system) {
    if (prefix != null && ObjectSettings.of(system).mounts().stream()
        .noneMatch(mount -> prefix.toAbsolutePath().normalize().startsWith(mount.directory()))) {
      PrefixDirectories.named(prefix);
    }
  }

  private Optional<Path> directory() {
    return Optional.ofNullable(prefix).or(() -> Optional.ofNullable(environment.get("SCR_PREFIX")).map(Path::of))
        .map(path -> path.toAbsolutePath().normalize());
  }

  private Map<String, String> ours() {
    return environment.entrySet().stream().filter(variable -> variable.getKey().startsWith("SCR_"))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }
}

package io.vertxscr.cli;

import io.vertxscr.cli.text.TextTable;
import io.vertxscr.config.Effective;
import io.vertxscr.config.Parameter;
import io.vertxscr.config.Settings;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code scr config}: what holds, and why. */
@Command(name = "config", description = "Print the value of every parameter and where it comes from.")
final class ConfigCommand implements Callable<Integer> {
  private final Map<String, String> environment;

  @Option(names = "--file", paramLabel = "FILE", description = "Configuration file, instead of SCR_CONF_FILE.")
  private Path file;

  @Option(names = "--explain", description = "Say what each parameter does.")
  private boolean explain;

  @Spec
  private CommandSpec spec;

  ConfigCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    Optional<Path> source = Optional.ofNullable(file).or(() -> Effective.systemFile(environment));
    Effective effective = Effective.load(environment, source);
    Settings.of(effective);                             // refuses here what it would refuse at the start of a node
    PrintWriter out = spec.commandLine().getOut();
    out.println("configuration file: " + source.map(Path::toString).orElse("none"));
    out.println();
    TextTable.lines(rows(effective)).forEach(out::println);
    effective.ignored().forEach(name -> spec.commandLine().getErr().println("scr: " + name));
    return 0;
  }

  private List<List<String>> rows(Effective effective) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(explain ? List.of("parameter", "value", "from", "meaning") : List.of("parameter", "value", "from"));
    for (Parameter parameter : Parameter.values()) {
      Optional<Effective.Value> value = effective.value(parameter);
      List<String> row = new ArrayList<>(List.of(parameter.name(),
          value.map(Effective.Value::text).orElse("-"), value.map(Effective.Value::source).orElse("default")));
      if (explain) {
        row.add(parameter.help());
      }
      rows.add(row);
    }
    return rows;
  }
}

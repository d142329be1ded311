package io.vertxscr.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code scr version}. */
@Command(name = "version", description = "Print the version of this program and of the Java that runs it.")
final class VersionCommand implements Callable<Integer> {
  @Spec
  private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    var properties = new Properties();
    try (InputStream in = VersionCommand.class.getResourceAsStream("/io/vertxscr/version.properties")) {
      properties.load(in);
    }
    spec.commandLine().getOut().println("scr " + properties.getProperty("version") + ", Java " + Runtime.version());
    return 0;
  }
}

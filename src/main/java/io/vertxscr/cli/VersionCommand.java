package io.vertxscr.cli;

import io.vertxscr.model.Release;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code scr version}. */
@Command(name = VersionCommand.NAME, description = "Print the version of this program and of the Java that runs it.")
final class VersionCommand implements Callable<Integer> {
  static final String NAME = "version";

  @Spec
  private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().getOut().println("scr " + Release.NAME + ", Java " + Runtime.version());
    return 0;
  }
}

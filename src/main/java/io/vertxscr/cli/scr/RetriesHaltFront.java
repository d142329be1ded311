package io.vertxscr.cli.scr;

import io.vertxscr.flow.advice.HaltConditions;
import io.vertxscr.model.Halt;
import io.vertxscr.prefix.metadata.HaltFileStore;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine.Command;

/** {@code scr_retries_halt}. A wrong command line is answered with halt, as in SCR. */
@Command(exitCodeOnInvalidInput = RetriesHaltFront.HALT, exitCodeOnExecutionException = RetriesHaltFront.HALT,
    description = {"Exit with 0, and say why, if a halt condition of the prefix directory holds; else with 1.",
        "'scr should-exit' also looks at the time and the nodes that are left."})
final class RetriesHaltFront extends DirectoryFront {
  static final int HALT = 0;
  private static final int GO_ON = 1;

  RetriesHaltFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() {
    Halt halt = new HaltFileStore(paths(), reader()).read();
    if (halt.equals(Halt.NONE)) {
      out().println(name() + ": CONTINUE RUN: No halt file found.");
      return GO_ON;
    }
    String slack = environment().getOrDefault("SCR_HALT_SECONDS", "0");
    Optional<HaltConditions.Met> met = HaltConditions.met(
        halt.orHaltSeconds(slack.matches("[0-9]{1,9}") ? Long.parseLong(slack) : 0), OptionalLong.empty(),
        System.currentTimeMillis() / 1000);
    met.ifPresent(condition -> out().println(name() + ": HALT RUN: Reason: " + condition.reason() + "."));
    return met.isPresent() ? HALT : GO_ON;
  }
}

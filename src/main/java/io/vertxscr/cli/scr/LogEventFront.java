package io.vertxscr.cli.scr;

import io.vertxscr.format.prefix.LogLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code scr_log_event}. */
@Command(exitCodeOnInvalidInput = Front.FAILED, description =
    "Note an event in the log of a prefix directory, unless SCR_LOG_ENABLE=0.")
final class LogEventFront extends LogFront {
  @Option(names = "-N", paramLabel = "NOTE", description = "More about it.")
  private String note = "";

  LogEventFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() {
    return write(LogLine.event(type).text("note", note));
  }
}

package io.vertxscr.cli.scr;

import io.vertxscr.format.prefix.LogLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code scr_log_transfer}. */
@Command(exitCodeOnInvalidInput = Front.FAILED, description =
    "Note a transfer of files in the log of a prefix directory, unless SCR_LOG_ENABLE=0.")
final class LogTransferFront extends LogFront {
  @Option(names = "-X", paramLabel = "DIR", description = "Where from.")
  private String from = "";

  @Option(names = "-Y", paramLabel = "DIR", description = "Where to.")
  private String to = "";

  @Option(names = "-B", paramLabel = "N", description = "How many bytes.")
  private double bytes;

  @Option(names = "-F", paramLabel = "N", description = "How many files.")
  private long files;

  LogTransferFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() {
    return write(LogLine.transfer(type).text("from", from).text("to", to).bytesAndFiles(bytes, files));
  }
}

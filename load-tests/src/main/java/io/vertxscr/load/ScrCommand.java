package io.vertxscr.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code bin/scr} with a command, as a process of its own, as users run it. */
final class ScrCommand {
  private static final long POLL_MS = 2;

  /**
   * Result of a process.
   *
   * @param seconds from its start to its end
   * @param peakRssBytes as it was last seen, a few milliseconds before the end
   */
  record Ended(double seconds, long peakRssBytes) {}

  private ScrCommand() {}

  /**
   * Runs one to its end.
   *
   * @param output for what it says; it is in the exception where the exit code is not 0
   */
  static Ended run(Path output, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(System.getProperty("scr.home") + "/bin/scr"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().keySet().removeIf(key -> key.startsWith("SCR_") && !key.equals("SCR_JAVA_OPTIONS"));
    long begin = System.nanoTime();
    Process process = builder.start();
    Path status = Path.of("/proc", Long.toString(process.pid()), "status");
    long peak = 0;
    while (!process.waitFor(POLL_MS, TimeUnit.MILLISECONDS)) {
      peak = Math.max(peak, peakRssBytes(status));
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    if (process.exitValue() != 0) {
      throw new LoadException("scr " + String.join(" ", arguments) + " ended with " + process.exitValue() + "\n"
          + Files.readString(output));
    }
    return new Ended(seconds, peak);
  }

  /** 0 where the process has just ended. */
  private static long peakRssBytes(Path status) {
    try {
      return Files.readAllLines(status).stream().filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10).findFirst().orElse(0);
    } catch (IOException _) {
      return 0;
    }
  }
}

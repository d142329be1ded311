package io.vertxscr.cli.launch;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Runs {@code scr scavenge} on the remaining nodes, in a separate process. Rebuilding takes more memory than waiting.
 *
 * @param program this program, here and on the hosts
 * @param variables SCR_* of the job
 */
record Scavenging(Allocation allocation, String program, Path prefix, Map<String, String> variables) {
  /** Output lines of every successful run, which are suppressed. */
  private static final List<String> QUIET =
      List.of("nothing to scavenge", "left in the caches, for ", "Picked up JAVA_TOOL_OPTIONS");

  /** Runs the command; its output goes to {@code err}. @return its exit code */
  int run(Collection<String> up, PrintWriter err) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program, "scavenge", "--prefix", prefix.toString()));
    if (!allocation.isHere()) {
      if (up.isEmpty()) {
        err.println("scr run: no node is left to scavenge from");
        return 1;
      }
      command.addAll(List.of("--hosts", String.join(",", up.stream().map(allocation::target).toList()),
          "--remote", allocation.remoteWords(), "--scr", program));
    }
    ProcessBuilder builder = Commands.of(command, allocation.environment()).redirectErrorStream(true);
    builder.environment().putAll(variables);
    Process process = builder.start();
    process.getOutputStream().close();
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (QUIET.stream().noneMatch(line::startsWith)) {
          err.println("scr scavenge: " + line);
        }
      }
      return process.waitFor();
    } finally {
      process.destroy();
    }
  }
}

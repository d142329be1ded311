package io.vertxscr.cli.launch;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs external commands. */
final class Commands {
  private Commands() {}

  /**
   * With this environment and nothing else of ours. {@code env} looks the command up in its PATH (Java would look in
   * our own), and ends with 127 if it is missing, or 126 if it is not executable.
   */
  static ProcessBuilder of(List<String> command, Map<String, String> environment) {
    List<String> words = new ArrayList<>(command);
    words.addFirst("env");
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().clear();
    builder.environment().putAll(environment);
    return builder;
  }
}

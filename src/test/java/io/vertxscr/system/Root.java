package io.vertxscr.system;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Commands of the system's administrator, for tests that need file systems and networks of their own. */
final class Root {
  private Root() {}

  /** Skips the test where this is not root, the long tests are not asked for, or a command is missing. */
  static void assumeLongTestsWith(String... commands) throws IOException {
    Assumptions.assumeTrue(Boolean.getBoolean("scr.long"), "a long test: -Dscr.long=true");
    Assumptions.assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "not root");
    for (String command : commands) {
      Assumptions.assumeTrue(Stream.of(System.getenv("PATH").split(":")).map(Path::of)
          .anyMatch(directory -> Files.isExecutable(directory.resolve(command))), "no command " + command);
    }
  }

  /** Runs a command; what it has printed. @throws AssertionError with that, where it fails */
  static String run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new AssertionError(List.of(command) + " ends with " + process.exitValue() + ": " + said);
    }
    return said;
  }
}

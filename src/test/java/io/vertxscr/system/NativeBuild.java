package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** clients/c, built and installed below target, and the programs of its tests as processes. */
record NativeBuild(Path directory, Path installed, Path logs) {
  private static final Path HOME = Path.of(System.getProperty("scr.home", ".")).toAbsolutePath().normalize();
  private static final int PATIENCE_S = 600;
  private static final List<List<String>> NEEDED = List.of(
      List.of("cmake", "--version"), List.of("mpirun", "--version"), List.of("mpicc", "--version"),
      List.of("gfortran", "--version"), List.of("valgrind", "--version"), List.of("pkg-config", "--exists", "jansson"));
  private static NativeBuild made;

  static Path sources() {
    return HOME.resolve("clients/c");
  }

  /** Skips the test, saying why, where a tool is missing. */
  static void needTools() throws InterruptedException {
    for (List<String> tool : NEEDED) {
      if (!isThere(tool)) {
        String missing = "C and Fortran clients are not tested: `" + String.join(" ", tool)
            + "` fails; install the Debian packages that the README names";
        System.out.println(missing);
        assumeTrue(false, missing);
      }
    }
  }

  /** Builds and installs all, once; skips the test, saying why, where a tool is missing. */
  static synchronized NativeBuild make() throws Exception {
    if (made == null) {
      needTools();
      made = makeNow();
    }
    return made;
  }

  private static NativeBuild makeNow() throws Exception {
    Path directory = HOME.resolve("target/native");
    Path logs = Files.createDirectories(directory.resolveSibling("native-logs"));
    NativeBuild build = new NativeBuild(directory, HOME.resolve("target/native-installed"), logs);
    build.run("cmake", "-S", sources().toString(), "-B", directory.toString());
    build.run("cmake", "--build", directory.toString(), "--parallel", "2");
    build.run("cmake", "--install", directory.toString(), "--prefix", build.installed.toString());
    return build;
  }

  private static boolean isThere(List<String> command) throws InterruptedException {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start().waitFor() == 0;
    } catch (IOException _) {
      return false;
    }
  }

  Path program(String name) {
    return directory.resolve("tests").resolve(name);
  }

  /** Runs a command that must succeed. */
  void run(String... command) throws Exception {
    Program program = start(List.of(command), HOME);
    assertThat(program.awaitExit()).as(program.output()).isZero();
  }

  /** Starts a command without any SCR variables but the prefix directory, which is also where it runs. */
  Program start(List<String> command, Path prefix) throws IOException {
    return start(command, prefix, Map.of());
  }

  /** Starts it with more variables. */
  Program start(List<String> command, Path prefix, Map<String, String> more) throws IOException {
    Path output = Files.createTempFile(logs, "native", ".log");
    ProcessBuilder builder = new ProcessBuilder(command).directory(prefix.toFile()).redirectErrorStream(true)
        .redirectOutput(output.toFile());
    Map<String, String> variables = builder.environment();
    variables.keySet().removeIf(variable -> variable.startsWith("SCR_"));
    variables.put("SCR_PREFIX", prefix.toString());
    variables.put("SCR_AOT", "0");                         // nothing is made for later starts
    variables.putAll(more);
    return new Program(builder.start(), output);
  }

  /** A command that runs, and what it has printed. */
  record Program(Process process, Path log) {
    /** Waits for its end; returns the exit code. */
    int awaitExit() throws Exception {
      if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("does not end: " + output());
      }
      return process.exitValue();
    }

    String output() throws IOException {
      return Files.readString(log);
    }
  }
}

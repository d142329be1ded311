package io.vertxscr.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertxscr.system.ShortLife;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the Python client does what its own tests say, with the daemons that were built. Method: they are run by
 * {@code python3 -m unittest}; what they skip, and why, is printed. Of several Pythons of version 3.9 or newer on the
 * PATH the one with most of NumPy, PyTorch, mpi4py and mypy is taken, for more is tested by it; without any this is
 * skipped.
 */
class PythonClientIT {
  private static final Path HOME = Path.of(System.getProperty("scr.home", ".")).toAbsolutePath();
  private static final Path CLIENT = HOME.resolve("clients/python");
  private static final int PATIENCE_S = 900;

  @TempDir
  Path directory;

  private String python;

  @BeforeEach
  void needsPython() throws Exception {
    String best = null;
    int most = -1;
    for (String place : System.getenv("PATH").split(File.pathSeparator)) {
      python = Path.of(place, "python3").toString();
      Result modules = python("-c", "import importlib.util, sys; sys.version_info >= (3, 9) or sys.exit(1);"
          + " print(sum(importlib.util.find_spec(name) is not None for name in ['mypy', 'numpy', 'torch', 'mpi4py']))");
      if (modules.code() == 0 && Integer.parseInt(modules.output().strip()) > most) {
        most = Integer.parseInt(modules.output().strip());
        best = python;
      }
    }
    assumeTrue(best != null, "no python3 of version 3.9 or newer on the PATH: the Python client is not tested");
    python = best;
  }

  @Test
  void itsTestsPassWithTheDaemonsThatWereBuilt() throws Exception {
    Result tests = python("-W", "error", "-m", "unittest", "discover", "-v", "-s", "tests");

    tests.output().lines().filter(line -> line.contains("skipped")).forEach(System.out::println);
    assertThat(tests.code()).as(tests.output()).isZero();
    assertThat(tests.output()).contains("test_daemons.DaemonsTest").doesNotContain("vertx-scr.jar is not there");
  }

  private record Result(int code, String output) {}

  /** Code -1 where there is no such program. */
  private Result python(String... arguments) throws Exception {
    Path output = directory.resolve("output");
    ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(List.of(python))).directory(CLIENT.toFile())
        .redirectErrorStream(true).redirectOutput(output.toFile());
    builder.command().addAll(List.of(arguments));
    builder.environment().putAll(Map.of("PYTHONPATH", CLIENT.toString(), "PYTHONDONTWRITEBYTECODE", "1",
        "SCR_HOME", HOME.toString(), "SCR_JAVA_HOME", System.getProperty("java.home"),
        "SCR_JAVA_OPTIONS", ShortLife.javaOptions()));
    Process process;
    try {
      process = builder.start();
    } catch (IOException e) {
      return new Result(-1, e.getMessage());
    }
    if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
      return new Result(-2, "no end after " + PATIENCE_S + " s: " + Files.readString(output));
    }
    return new Result(process.exitValue(), Files.readString(output));
  }
}

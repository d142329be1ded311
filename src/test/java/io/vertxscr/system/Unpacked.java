package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** Files of the release as the build has made them. Its programs are run with nothing of this process around. */
final class Unpacked {
  static final String VERSION = System.getProperty("scr.version", "");
  private static final Path TARGET =
      Path.of(System.getProperty("scr.home", ".")).toAbsolutePath().normalize().resolve("target");
  private static final Path SETPRIV = Path.of("/usr/bin/setpriv");
  private static final int PATIENCE_S = 300;

  private Unpacked() {}

  /** What a program has said, standard output and error. */
  record Ran(int exit, String said) {
    String good() {
      assertThat(exit).as(said).isZero();
      return said;
    }
  }

  /** One of the files; tests are skipped where the build was told to make none. */
  static Path file(String name) {
    Assumptions.assumeFalse(Boolean.getBoolean("release.skip"), "built with -Drelease.skip");
    Path file = TARGET.resolve(name);
    assertThat(file).exists();
    return file;
  }

  /** Unpacks the tarball below this directory; returns the installation. */
  static Path tarball(Path directory) throws Exception {
    Path tarball = file("vertx-scr-" + VERSION + ".tar.gz");
    run(directory, Map.of(), "tar", "xzf", tarball.toString()).good();
    return directory.resolve("vertx-scr-" + VERSION);
  }

  /** Runs a program in a directory, with these variables and no others but PATH and HOME. */
  static Ran run(Path directory, Map<String, String> environment, String... command) throws Exception {
    Path said = Files.createTempFile("scr", ".said");
    try {
      ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true)
          .redirectOutput(said.toFile());
      Map<String, String> variables = new HashMap<>(environment);
      variables.put("PATH", System.getenv("PATH"));
      variables.put("HOME", directory.toString());
      builder.environment().clear();
      builder.environment().putAll(variables);
      Process process = builder.start();
      if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
        throw new AssertionError(String.join(" ", command) + " does not end: " + Files.readString(said));
      }
      return new Ran(process.exitValue(), Files.readString(said));
    } finally {
      Files.delete(said);
    }
  }

  /** As somebody whom permissions hold up: root passes over them unless that right is taken. */
  static String[] withoutRootsRights(String... command) throws IOException {
    if (!Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0)) {
      return command;
    }
    Assumptions.assumeTrue(Files.isExecutable(SETPRIV), "root, and no setpriv: nothing can be forbidden");
    List<String> line = new ArrayList<>(List.of(SETPRIV.toString(), "--bounding-set=-dac_override,-dac_read_search"));
    line.addAll(List.of(command));
    return line.toArray(String[]::new);
  }
}

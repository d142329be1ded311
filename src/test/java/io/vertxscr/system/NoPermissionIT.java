package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: missing write permission in a prefix directory costs time, never data, and is reported. Method:
 * {@link PermissionWork} in a process of its own. Permissions do not hold root up; so where this is root, that process
 * is root without the right to pass over them.
 */
class NoPermissionIT {
  private static final Path SETPRIV = Path.of("/usr/bin/setpriv");

  @TempDir
  private Path directory;

  @Test
  void aFlushWaitsUntilItMayWriteAndCommandsSayWhereTheyMayNot() throws Exception {
    List<String> line = new ArrayList<>();
    if (Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0)) {
      Assumptions.assumeTrue(Files.isExecutable(SETPRIV), "root, and no setpriv: nothing can be forbidden");
      line.addAll(List.of(SETPRIV.toString(), "--bounding-set=-dac_override,-dac_read_search"));
    }
    line.addAll(List.of(ProcessHandle.current().info().command().orElseThrow(), "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), PermissionWork.class.getName(),
        directory.toString()));
    Path said = directory.resolve("said");
    Process work = new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    int exit = work.waitFor();
    String all = Files.readString(said, StandardCharsets.UTF_8);
    assertThat(exit).as(all).isZero();
    assertThat(all).contains("good: commands")
        .contains(Stream.of(PermissionWork.Place.values()).map(place -> "good: " + place).toList());
  }
}

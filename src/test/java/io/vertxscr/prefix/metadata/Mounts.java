package io.vertxscr.prefix.metadata;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Small file systems for faults that permissions cannot make, where the user of the tests may mount. */
public final class Mounts {
  private Mounts() {}

  public static boolean mount(String... arguments) throws InterruptedException {
    return run("mount", arguments);
  }

  /**
   * Takes the file system from its directory at once. What still uses it for a moment (a child of this process before
   * its {@code exec} has all open files; whoever lists the mounts) does not keep it there.
   */
  public static void unmount(Path directory) throws InterruptedException {
    if (!run("umount", "--lazy", directory.toString())) {
      throw new IllegalStateException("cannot unmount " + directory);
    }
  }

  private static boolean run(String program, String... arguments) throws InterruptedException {
    List<String> command = new ArrayList<>(List.of(program));
    command.addAll(List.of(arguments));
    try {
      return new ProcessBuilder(command).redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
    } catch (IOException _) {
      return false;
    }
  }
}

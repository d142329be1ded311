package io.vertxscr.system;

import io.vertxscr.cli.launch.StopSignal;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file system that shows a directory, and can be made to hang: FUSE, in a process that is stopped. Needs {@code
 * bindfs}.
 */
final class MirrorMount implements AutoCloseable {
  private final Path mount;
  private final Process server;

  MirrorMount(Path shown, Path mount) throws Exception {
    this.mount = Files.createDirectories(mount);
    this.server = new ProcessBuilder("bindfs", "-f", shown.toString(), mount.toString()).inheritIO().start();
    Eventually.holds("the mount of " + mount, () -> isMounted());
  }

  private boolean isMounted() throws IOException {
    return Files.readAllLines(Path.of("/proc/mounts")).stream().anyMatch(line -> line.contains(" " + mount + " "));
  }

  /** From now on nothing below it is answered. */
  void hang() throws IOException {
    StopSignal.stop(server);
  }

  void goOn() throws IOException {
    StopSignal.goOn(server);
  }

  @Override
  public void close() throws IOException, InterruptedException {
    goOn();
    if (isMounted()) {
      Root.run("umount", "-l", mount.toString());
    }
    server.destroyForcibly().waitFor();
  }
}

package io.vertxscr.cli.drill;

import io.vertxscr.cli.launch.StopSignal;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A view of a directory that can stop answering. It is a FUSE file system of {@code bindfs}, whose process is stopped;
 * no rights of root are needed where the system lets users mount by FUSE.
 */
final class HangingMount implements AutoCloseable {
  private static final String SERVER = "bindfs";
  private static final int PATIENCE_S = 10;
  private static final int POLL_MS = 20;

  private final Path mount;
  private final Process server;

  private HangingMount(Path mount, Process server) {
    this.mount = mount;
    this.server = server;
  }

  /** What it lacks on this machine, in a sentence; null for nothing. */
  static String trouble(String path) {
    boolean there = Arrays.stream(path.split(File.pathSeparator))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, SERVER)));
    return !there ? "there is no " + SERVER + " on the PATH (on Debian: apt-get install " + SERVER + ")"
        : Files.exists(Path.of("/dev/fuse")) ? null : "this system has no FUSE (/dev/fuse)";
  }

  /** Mounts a directory over another, empty one. @throws ScrException IO where that does not work */
  static HangingMount of(Path shown, Path mount) throws IOException {
    Process server = new ProcessBuilder(SERVER, "-f", shown.toString(), mount.toString()).redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    HangingMount made = new HangingMount(mount, server);
    try {
      for (int tries = 0; !made.isMounted() && server.isAlive() && tries < PATIENCE_S * 1000 / POLL_MS; tries++) {
        server.waitFor(POLL_MS, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    if (!made.isMounted()) {
      server.destroyForcibly();
      throw new ScrException(Fault.IO, SERVER + " cannot mount " + shown + " at " + mount);
    }
    return made;
  }

  private boolean isMounted() throws IOException {
    return Files.readAllLines(Path.of("/proc/mounts")).stream().anyMatch(line -> line.contains(" " + mount + " "));
  }

  /** From now on nothing below it is answered. @throws IOException where it cannot be stopped, or has ended */
  void hang() throws IOException {
    if (!server.isAlive()) {
      throw new IOException(SERVER + " has ended: " + mount + " cannot hang");
    }
    StopSignal.stop(server);
  }

  /** From now on all is answered, also what was asked meanwhile. */
  void goOn() throws IOException {
    StopSignal.goOn(server);
  }

  private static int run(String... command) throws IOException {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start().waitFor();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return -1;
    }
  }

  @Override
  public void close() throws IOException {
    goOn();
    server.destroy();                                     // it unmounts
    try {
      if (!server.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
        server.destroyForcibly();
      }
    } catch (InterruptedException _) {
      server.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    for (List<String> unmount : List.of(List.of("fusermount3", "-uz"), List.of("fusermount", "-uz"))) {
      if (isMounted()) {
        try {
          run(unmount.getFirst(), unmount.getLast(), mount.toString());
        } catch (IOException _) {
          // There is the other one.
        }
      }
    }
    if (isMounted()) {
      throw new IOException(mount + " is still mounted: what is below it is not deleted");
    }
  }
}

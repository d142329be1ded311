package io.vertxscr.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** Identity of a host: whether two processes see the same files (same running kernel, same mounts). */
public final class HostId {
  private HostId() {}

  /** Of this process; unique, so that nothing is read directly, where the system does not tell. */
  public static String ofThisProcess() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip() + "/"
          + Files.readSymbolicLink(Path.of("/proc/self/ns/mnt"));
    } catch (IOException _) {
      return UUID.randomUUID().toString();
    }
  }
}

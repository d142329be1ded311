package io.vertxscr.cli;

import io.vertxscr.cluster.peer.ClusterSecret;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** The file that holds the secret of a cluster. */
final class SecretFile {
  private static final Set<PosixFilePermission> OF_OTHERS = EnumSet.complementOf(EnumSet.of(
      PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE));

  private SecretFile() {}

  /** @throws ScrException {@link Fault#BAD_CONFIGURATION} naming the file */
  static ClusterSecret read(Path file) {
    try {
      return new ClusterSecret(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new ScrException(
          Fault.BAD_CONFIGURATION, "secret file " + file + " cannot be read: " + ScrException.reason(e), e);
    }
  }

  /** Returns a warning if others may read or write the file; empty if that is unknown. */
  static Optional<String> warning(Path file) {
    try {
      Set<PosixFilePermission> given = EnumSet.copyOf(OF_OTHERS);
      given.retainAll(Files.getPosixFilePermissions(file));
      return given.isEmpty() ? Optional.empty()
          : Optional.of("secret file " + file + " is open to other users: chmod 600 " + file);
    } catch (IOException | UnsupportedOperationException _) {
      return Optional.empty();                            // its reader reports the failure
    }
  }
}

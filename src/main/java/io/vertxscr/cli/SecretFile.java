package io.vertxscr.cli;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.Set;

/** The file that holds the secret of a cluster. */
final class SecretFile {
  private static final Set<PosixFilePermission> OF_OTHERS = EnumSet.complementOf(EnumSet.of(
      PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE));
  private static final int ROOT = 0;
  private static final int MADE_BYTES = 32;

  private SecretFile() {}

  /**
   * Reads a secret. The file must be this user's, and open to nobody else; or of root, who may let a group read it.
   *
   * @throws ScrException {@link Fault#BAD_CONFIGURATION} naming the file
   */
  static byte[] read(Path file) {
    return read(file, "secret file");
  }

  /** The same for another file that nobody else may know. @param what is said of it */
  static byte[] read(Path file, String what, LinkOption... options) {
    try {
      int owner = uid(file, options);
      Set<PosixFilePermission> open = EnumSet.copyOf(OF_OTHERS);
      open.retainAll(Files.getPosixFilePermissions(file, options));
      if (owner == ROOT) {
        open.remove(PosixFilePermission.GROUP_READ);
      }
      if (!open.isEmpty()) {
        throw new ScrException(
            Fault.BAD_CONFIGURATION, what + " " + file + " is open to other users: chmod 600 " + file);
      }
      if (owner != ROOT && owner != uid(Path.of("/proc/self"))) {
        throw new ScrException(Fault.BAD_CONFIGURATION, what + " " + file + " belongs to another user");
      }
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new ScrException(
          Fault.BAD_CONFIGURATION, what + " " + file + " cannot be read: " + ScrException.reason(e), e);
    }
  }

  /**
   * Returns the secret in this directory, and makes one where there is none. For daemons of one user on one host.
   *
   * @param directory is made where it is missing, for this user alone
   * @throws ScrException {@link Fault#BAD_CONFIGURATION} where somebody else has made it
   */
  static byte[] ofThisHost(Path directory) {
    Path file = directory.resolve("secret");
    try {
      Files.createDirectories(directory, only("rwx------"));
      byte[] random = new byte[MADE_BYTES];
      new SecureRandom().nextBytes(random);
      Path draft = Files.createTempFile(directory, "secret", ".draft", only("rw-------"));
      try {
        Files.write(draft, random);
        Files.createLink(file, draft);                    // whole, or not at all
      } catch (FileAlreadyExistsException _) {
        // Another daemon has made it.
      } finally {
        Files.delete(draft);
      }
    } catch (IOException e) {
      throw new ScrException(Fault.IO, "secret file " + file + " cannot be made: " + ScrException.reason(e), e);
    }
    return read(file, "secret file", LinkOption.NOFOLLOW_LINKS);
  }

  private static FileAttribute<Set<PosixFilePermission>> only(String mode) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode));
  }

  private static int uid(Path file, LinkOption... options) throws IOException {
    return (Integer) Files.getAttribute(file, "unix:uid", options);
  }
}

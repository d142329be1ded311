package io.vertxscr.cli;

import io.vertxscr.model.Fault;
import io.vertxscr.model.LocalUsers;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.PrivateDirectory;
import io.vertxscr.storage.RegularFile;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.Set;

/** The file that holds the secret of a cluster. */
final class SecretFile {
  private static final Set<PosixFilePermission> OF_OTHERS = EnumSet.complementOf(EnumSet.of(
      PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE));
  private static final int MAX_BYTES = 1 << 16;
  private static final int MADE_BYTES = 32;
  /** Of the directory where daemons of one host find theirs: those of the user and of the job. */
  private static final int OWN_LEVELS = 2;

  private SecretFile() {}

  /**
   * Reads a secret. The file must be this user's, and open to nobody else; or of root, who may let the group read it
   * that is this user alone, as for the secrets of a pod. A link to it is followed where root or this user has made it.
   *
   * @throws ScrException {@link Fault#BAD_CONFIGURATION} naming the file
   */
  static byte[] read(Path file) {
    return read(file, "secret file");
  }

  /** The same for another file that nobody else may know. @param what is said of it */
  static byte[] read(Path file, String what) {
    try {
      if (!Files.isSymbolicLink(file)) {
        return read(file, file, what);
      }
      if (!LocalUsers.of(file.getFileSystem()).isTrusted(Files.getOwner(file, LinkOption.NOFOLLOW_LINKS))) {
        throw new ScrException(Fault.BAD_CONFIGURATION, what + " " + file + " is a link of another user");
      }
      return read(file.toRealPath(), file, what);
    } catch (IOException e) {
      throw unreadable(file, what, e);
    }
  }

  /** @param named how the user calls it */
  private static byte[] read(Path file, Path named, String what) {
    try {
      PosixFileAttributes found = Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      LocalUsers users = LocalUsers.of(file.getFileSystem());
      boolean groupMayRead = found.owner().equals(users.root()) && !users.isShared(found.group(), found.owner());
      if (isOpen(found.permissions(), groupMayRead)) {
        throw new ScrException(
            Fault.BAD_CONFIGURATION, what + " " + named + " is open to other users: chmod 600 " + named);
      }
      if (!users.isTrusted(found.owner())) {
        throw new ScrException(Fault.BAD_CONFIGURATION, what + " " + named + " belongs to another user");
      }
      return RegularFile.bytes(file, MAX_BYTES);
    } catch (IOException e) {
      throw unreadable(named, what, e);
    }
  }

  private static ScrException unreadable(Path file, String what, IOException e) {
    return new ScrException(
        Fault.BAD_CONFIGURATION, what + " " + file + " cannot be read: " + ScrException.reason(e), e);
  }

  /** Whether others can read or write a file of this mode. @param groupMayRead its group is no other user */
  static boolean isOpen(Set<PosixFilePermission> mode, boolean groupMayRead) {
    return OF_OTHERS.stream().filter(mode::contains)
        .anyMatch(right -> right != PosixFilePermission.GROUP_READ || !groupMayRead);
  }

  /**
   * Returns the secret in this directory, and makes one where there is none. For daemons of one user on one host.
   *
   * @param directory is made where it is missing, for this user alone
   * @throws ScrException {@link Fault#BAD_CONFIGURATION} where somebody else has made it, or could change it
   */
  static byte[] ofThisHost(Path directory) {
    Path file = directory.resolve("secret");
    try {
      PrivateDirectory.make(directory.toAbsolutePath().normalize(), OWN_LEVELS);
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
    return read(file, file, "secret file");
  }

  private static FileAttribute<Set<PosixFilePermission>> only(String mode) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode));
  }
}

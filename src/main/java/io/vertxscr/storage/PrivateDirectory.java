package io.vertxscr.storage;

import io.vertxscr.model.Fault;
import io.vertxscr.model.LocalUsers;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;

/**
 * Directories that no other local user can read, change or redirect. Blocking.
 *
 * <p>The last levels of a path are this program's own: made with mode 0700; one that is there must belong to this
 * user, be no link, and have been writable for nobody else. The levels above are the site's: they belong to root or to
 * this user, and nobody else can write to them, or the sticky bit is set, as for {@code /tmp}, or nobody else can reach
 * them, because one above them is closed: only its owner may search it. Links of root or of this user are followed.
 * With that nobody else can rename any level away after it has been checked.
 *
 * <p>Who counts as this user is said by {@link LocalUsers}.
 */
public final class PrivateDirectory {
  private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");
  private static final FileAttribute<?> FOR_OWNER = PosixFilePermissions.asFileAttribute(OWNER_ONLY);
  private static final int STICKY = 0_1000;
  private static final int MAX_LINKS = 40;

  private final LocalUsers users;
  /** The last closed level that was met; what is below it is nobody else's to reach. */
  private Optional<Path> closed = Optional.empty();
  private final boolean makes;
  private int links;

  private PrivateDirectory(FileSystem files, boolean makes) throws IOException {
    this.makes = makes;
    this.users = LocalUsers.of(files);
  }

  /**
   * Creates missing levels and checks all.
   *
   * @param directory absolute
   * @param ownLevels how many of its last levels are this program's own, at least 1
   * @return the directory
   * @throws ScrException BAD_CONFIGURATION naming the level that is not safe, its owner and its mode; IO
   */
  public static Path make(Path directory, int ownLevels) {
    try {
      new PrivateDirectory(directory.getFileSystem(), true).walk(directory, ownLevels);
      return directory;
    } catch (IOException e) {
      throw Faults.io(directory, e);
    }
  }

  /**
   * Whether {@link #make} has made such a directory for this user. Changes nothing.
   *
   * @param directory absolute
   * @param ownLevels as for {@link #make}
   */
  public static boolean isThere(Path directory, int ownLevels) {
    try {
      new PrivateDirectory(directory.getFileSystem(), false).walk(directory, ownLevels);
      return true;
    } catch (IOException | ScrException _) {
      return false;
    }
  }

  private void walk(Path directory, int ownLevels) throws IOException {
    Deque<Path> names = new ArrayDeque<>();
    directory.forEach(names::add);
    Path at = directory.getRoot();
    while (!names.isEmpty()) {
      Path name = names.poll();
      boolean own = names.size() < ownLevels;
      Path level = at.resolve(name).normalize();
      if (makes) {
        create(level);
      }
      PosixFileAttributes found =
          Files.readAttributes(level, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      if (!found.isSymbolicLink()) {
        check(level, found, own);
        at = level;
      } else {
        checkLink(level, found, own);
        Path target = Files.readSymbolicLink(level);
        at = target.isAbsolute() ? target.getRoot() : at;
        for (int i = target.getNameCount() - 1; i >= 0; i--) {
          names.push(target.getName(i));
        }
      }
    }
  }

  /** Creates a level if it is missing. */
  private static void create(Path level) throws IOException {
    if (!Files.exists(level, LinkOption.NOFOLLOW_LINKS)) {
      try {
        Files.createDirectory(level, FOR_OWNER);
      } catch (FileAlreadyExistsException _) {
        // Made by somebody else meanwhile: judged like any other.
      }
    }
  }

  private void check(Path level, PosixFileAttributes found, boolean own) throws IOException {
    if (!found.isDirectory()) {
      throw refused(level, "is not a directory", found);
    } else if (own ? !found.owner().equals(users.self()) : !users.isTrusted(found.owner())) {
      throw refused(level, "belongs to user " + found.owner().getName(), found);
    } else if (othersCanWrite(found) && (own || !isSticky(level) && !isOutOfReach(level))) {
      throw refused(level, "is not safe: other users can write to it", found);
    } else if (own && !OWNER_ONLY.equals(found.permissions())) {
      if (!makes) {
        throw refused(level, "is not for its owner alone", found);
      }
      Files.setPosixFilePermissions(level, OWNER_ONLY);   // made by an earlier release
    } else if (!found.permissions().contains(PosixFilePermission.GROUP_EXECUTE)
        && !found.permissions().contains(PosixFilePermission.OTHERS_EXECUTE)) {
      closed = Optional.of(level);                        // also for a private group: its bits may hide an ACL
    }
  }

  /** Paths are those of directories, without links: what begins with a closed one is below it. */
  private boolean isOutOfReach(Path level) {
    return closed.filter(level::startsWith).isPresent();
  }

  private void checkLink(Path level, PosixFileAttributes found, boolean own) {
    if (own) {
      throw refused(level, "is a link", found);
    } else if (!users.isTrusted(found.owner())) {
      throw refused(level, "is a link of user " + found.owner().getName(), found);
    } else if (++links > MAX_LINKS) {
      throw refused(level, "leads from link to link", found);
    }
  }

  private boolean othersCanWrite(PosixFileAttributes found) {
    return found.permissions().contains(PosixFilePermission.OTHERS_WRITE)
        || found.permissions().contains(PosixFilePermission.GROUP_WRITE)
        && users.isShared(found.group(), found.owner());
  }

  private static boolean isSticky(Path level) throws IOException {
    return ((Integer) Files.getAttribute(level, "unix:mode", LinkOption.NOFOLLOW_LINKS) & STICKY) != 0;
  }

  private static ScrException refused(Path level, String how, PosixFileAttributes found) {
    return new ScrException(Fault.BAD_CONFIGURATION, level + " " + how + " (owner " + found.owner().getName()
        + ", mode " + PosixFilePermissions.toString(found.permissions()) + "): another user could read, change or"
        + " delete checkpoints there; remove it, or choose another SCR_CACHE_BASE or SCR_CNTL_BASE");
  }
}

package io.vertxscr.model;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;

/**
 * Users of this machine, as owners of files and directories. Root and the user of this process are trusted, others are
 * not.
 *
 * <p>A group that has the name of the file's owner, or of this user, is that user alone (user private groups, as most
 * distributions have them).
 */
public record LocalUsers(UserPrincipal self, UserPrincipal root) {
  /** Those of this process. @param files of which owners are asked for; all in memory is its own */
  public static LocalUsers of(FileSystem files) throws IOException {
    Path process = files.getPath("/proc/self");
    UserPrincipal root = Files.getOwner(files.getPath("/"));
    return new LocalUsers(Files.exists(process) ? Files.getOwner(process) : root, root);
  }

  /** Whether what a user owns, such as a link, can be relied on. */
  public boolean isTrusted(UserPrincipal owner) {
    return owner.equals(self) || owner.equals(root);
  }

  /** Whether rights of the group of a file are rights of others than its owner and this user. */
  public boolean isShared(GroupPrincipal group, UserPrincipal owner) {
    return !group.getName().equals(owner.getName()) && !group.getName().equals(self.getName());
  }
}

package io.vertxscr.storage;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * The directory of a job below a base, {@code <base>/<user>/scr.<job>}. It has one directory for each node of the job
 * on this host (docs/formats/directories.md).
 */
public record JobDirectory(Path base, String user, String job) {
  private static final String NAME = "scr.";

  public Path path() {
    return base.resolve(user).resolve(NAME + job);
  }

  /** Whether a directory has the name of a job's. */
  static boolean is(Path directory) {
    return directory.getFileName() != null && directory.getFileName().toString().startsWith(NAME);
  }

  /** The directory of a node. */
  public Path node(String name) {
    return path().resolve(name);
  }

  /**
   * Sockets of the job's daemons on this host, in the order of the nodes. The base is that of control directories.
   * Killed daemons leave their sockets behind.
   *
   * @throws ScrException {@link Fault#NODE_LOST} where there are none
   */
  public List<Path> sockets() throws IOException {
    List<Path> found = List.of();
    if (Files.isDirectory(path())) {
      try (Stream<Path> nodes = Files.list(path())) {
        found = nodes.map(node -> node.resolve(NodeDirectories.SOCKET)).filter(Files::exists).sorted().toList();
      }
    }
    if (found.isEmpty()) {
      throw new ScrException(Fault.NODE_LOST, "no daemon of user " + user + " and job " + job
          + " runs on this host (nothing listens in " + path() + "): 'scr node' starts one;"
          + " SCR_USER_NAME, SCR_JOB_ID and SCR_CNTL_BASE say whose is meant, --socket which one");
    }
    return found;
  }

  /** The node whose daemon listens, or has listened, at this socket. */
  public static String nodeOf(Path socket) {
    return socket.getParent().getFileName().toString();
  }

  /** Says that daemons have ended which have left their sockets. @param all whether no other one runs */
  public String ended(Collection<String> nodes, boolean all) {
    String left = String.join(", ", nodes);
    return all ? "no daemon of user " + user + " and job " + job + " runs on this host any more (sockets are left of "
        + left + " in " + path() + "): 'scr node' starts one, 'scr inspect' reads what they have left"
        : "no daemon runs any more as " + left;
  }
}

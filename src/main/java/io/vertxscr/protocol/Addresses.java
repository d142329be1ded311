package io.vertxscr.protocol;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Addresses on the event bus, and the identification of senders.
 *
 * <pre>
 *   scr.&lt;node&gt;.&lt;verb&gt;    one consumer for each node and verb; a node's name may contain dots
 *   scr._.&lt;verb&gt;         over the application socket only: the node that owns the socket ('_' can name no node)
 *   scr.events            published: every change of state, with its cause
 * </pre>
 */
public final class Addresses {
  /** Published to: every change of state, with its cause. */
  public static final String EVENTS = "scr.events";
  /** Stands for the node that owns the application socket. */
  public static final String THIS_NODE = "_";
  /**
   * Message header with the connection of a call. It is {@code bridge:<n>}, set by the application bridge and unique on
   * its node while the daemon lives, or {@code member:<id>/<n>}, set by applications that are cluster members: their
   * node id, and a number for each client.
   */
  public static final String CLIENT_HEADER = "scr-client";

  private static final String PREFIX = "scr.";
  private static final String MEMBER = "member:";

  private Addresses() {}

  /** Returns the address of a verb on this node. */
  public static String of(String node, Verb verb) {
    return PREFIX + Names.node(node) + "." + verb.wireName();
  }

  /** Returns the header value of a cluster member's client. */
  public static String memberClient(String nodeId, long number) {
    return MEMBER + nodeId + "/" + number;
  }

  /** Address for the end of event bus clients; not served over the application socket. */
  public static String clientClosed(String node) {
    return PREFIX + Names.node(node) + ".node.client-closed";
  }

  /** Whether this client belongs to that cluster member. */
  public static boolean isClientOf(String client, String nodeId) {
    return client.startsWith(MEMBER + nodeId + "/");
  }

  /** The address that means the owner of the application socket. */
  public static String ofSocketOwner(Verb verb) {
    return PREFIX + THIS_NODE + "." + verb.wireName();
  }

  /** The verb, if this is the address of an application verb of this node, by its name or as {@link #THIS_NODE}. */
  public static Optional<Verb> verbAt(String node, String address) {
    int dot = address.lastIndexOf('.');
    if (dot < PREFIX.length() || !address.startsWith(PREFIX)) {
      return Optional.empty();
    }
    String addressed = address.substring(PREFIX.length(), dot);
    boolean ours = addressed.equals(node) || addressed.equals(THIS_NODE);
    return ours ? Verb.of(address.substring(dot + 1)) : Optional.empty();
  }

  /**
   * Returns the path if a Unix socket can be there.
   *
   * @throws ScrException {@link Fault#BAD_CONFIGURATION} if it is longer than {@link Limits#MAX_SOCKET_PATH_BYTES}
   */
  public static Path socket(Path path) {
    int bytes = path.toString().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > Limits.MAX_SOCKET_PATH_BYTES) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "socket path " + path + " has " + bytes + " bytes; the system"
          + " allows " + Limits.MAX_SOCKET_PATH_BYTES + ": choose a shorter control directory");
    }
    return path;
  }
}

package io.vertxscr.launch;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Nodes that daemons of one machine play, as a user asks for them.
 *
 * @param nodes that the program uses; empty where nobody has said
 * @param spares daemons besides, that wait to replace one
 */
public record LocalNodes(Optional<Integer> nodes, int spares) {
  /** @throws ScrException {@link Fault#BAD_CONFIGURATION} */
  public LocalNodes {
    if (nodes.filter(number -> number < 1).isPresent() || spares < 0) {
      throw new ScrException(Fault.BAD_CONFIGURATION, nodes.map(number -> "--nodes " + number + " ").orElse("")
          + "--spares " + spares + ": at least one node, and no fewer than no spares");
    }
  }

  /** How many the program uses. */
  public int used() {
    return nodes.orElse(1);
  }

  /** Daemons in all; empty where nobody has asked for any: then the resource manager gives the nodes. */
  public OptionalInt daemons() {
    return nodes.isPresent() || spares > 0 ? OptionalInt.of(used() + spares) : OptionalInt.empty();
  }
}

package io.vertxscr.service.restart;

import io.vertx.core.Future;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.restart.VerifyDataset;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks all nodes what they hold. A node that has left holds nothing; one that cannot be asked for another reason fails
 * the answer, because its datasets must not be treated as lost. On the node's loop.
 */
public record Inventories(NodeBus bus, Membership membership) {
  private static final Logger LOG = LoggerFactory.getLogger(Inventories.class);

  /** By the filemaps. */
  public Future<List<Inventory>> all() {
    return ask(NodeVerb.INVENTORY, Ack.ACK);
  }

  /**
   * The same, after this dataset was checked against its checksums.
   *
   * @param everything whether files are read that are sealed and untouched: corruption was found, or the run wants it
   */
  Future<List<Inventory>> verified(DatasetKey which, boolean everything) {
    return ask(NodeVerb.VERIFY, new VerifyDataset(which, everything));
  }

  private Future<List<Inventory>> ask(NodeVerb verb, Object request) {
    List<Future<Optional<Inventory>>> asked = membership.nodes().stream().map(node ->
        bus.command(node.name(), verb, request, Inventory.class).map(Optional::of)
            .recover(failure -> gone(node.name(), failure))).toList();
    return Future.all(asked).map(_ -> asked.stream().flatMap(f -> f.result().stream()).toList());
  }

  private static Future<Optional<Inventory>> gone(String node, Throwable failure) {
    if (failure instanceof ScrException e && e.fault() == Fault.NODE_LOST) {
      LOG.warn("going on without node {}: {}", node, failure.getMessage());
      return Future.succeededFuture(Optional.empty());
    }
    return Future.failedFuture(failure);
  }
}

package io.vertxscr.service.restart;

import io.vertx.core.Future;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.redundancy.ProtectRequest;
import io.vertxscr.protocol.node.redundancy.SetsCommitted;
import io.vertxscr.protocol.node.redundancy.SetsToUse;
import io.vertxscr.service.NodeBus;

/** The leader's messages by which all nodes of a rank map get new redundancy sets of an older dataset. */
record NewSets(NodeBus bus, ProtectRequest request) {
  /** All compute their redundancy, beside what they have. */
  Future<Void> make() {
    return onAll(NodeVerb.PROTECT, request);
  }

  /** All use it; when all do so, they give up what they do not need any more. */
  Future<Void> use(DatasetKey dataset) {
    return onAll(NodeVerb.PROTECT_COMMIT, new SetsToUse(dataset, request.round()))
        .compose(_ -> onAll(NodeVerb.PROTECT_DONE, new SetsCommitted(dataset, request.run())));
  }

  private Future<Void> onAll(NodeVerb verb, Object message) {
    return Future.join(request.map().byNode().keySet().stream()
        .map(node -> bus.command(node, verb, message, Ack.class)).toList()).mapEmpty();
  }
}

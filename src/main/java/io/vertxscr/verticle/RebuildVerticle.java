package io.vertxscr.verticle;

import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.restart.DropDatasets;
import io.vertxscr.protocol.node.restart.HeaderRequest;
import io.vertxscr.protocol.node.restart.RestoreRanks;
import io.vertxscr.protocol.node.restart.VerifyDataset;
import io.vertxscr.protocol.node.scrub.MendParts;
import io.vertxscr.service.cache.CacheInventoryService;

/** Tells what this node holds, and brings ranks' files here. */
public final class RebuildVerticle extends NodeVerticle {
  /** Serves a node. */
  public RebuildVerticle(NodeContext node) {
    super(node);
  }

  @Override
  protected void serve() {
    CacheInventoryService inventory = node.services().inventory();
    serve(NodeVerb.INVENTORY, Ack.class, _ -> inventory.inventory());
    serve(NodeVerb.VERIFY, VerifyDataset.class, inventory::verify);
    serve(NodeVerb.MEND, MendParts.class, inventory::mend);
    serve(NodeVerb.RESTORE, RestoreRanks.class, inventory::restore);
    serve(NodeVerb.HEADER, HeaderRequest.class, inventory::header);
    serve(NodeVerb.DROP, DropDatasets.class, inventory::drop);
  }
}

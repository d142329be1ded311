package io.vertxscr.verticle;

import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.redundancy.ChecksumsRequest;
import io.vertxscr.protocol.node.redundancy.ProtectRequest;
import io.vertxscr.protocol.node.redundancy.SetsCommitted;
import io.vertxscr.protocol.node.redundancy.SetsToUse;
import io.vertxscr.protocol.node.restart.LayoutRequest;
import io.vertxscr.service.redundancy.ProtectionService;

/** Protects datasets, and tells the other members of redundancy sets what they need for it. */
public final class EncodeVerticle extends NodeVerticle {
  /** Serves a node. */
  public EncodeVerticle(NodeContext node) {
    super(node);
  }

  @Override
  protected void serve() {
    ProtectionService protection = node.services().protection();
    serve(NodeVerb.LAYOUT, LayoutRequest.class, protection::layout);
    serve(NodeVerb.CHECKSUMS, ChecksumsRequest.class, protection::checksums);
    serve(NodeVerb.PROTECT, ProtectRequest.class, protection::protect);
    serve(NodeVerb.PROTECT_COMMIT, SetsToUse.class, protection::commit);
    serve(NodeVerb.PROTECT_DONE, SetsCommitted.class, protection::committed);
  }
}

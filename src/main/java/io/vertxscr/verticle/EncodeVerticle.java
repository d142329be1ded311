package io.vertxscr.verticle;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.Protecting.ChecksumsOf;
import io.vertxscr.protocol.node.Restoring.LayoutOf;
import io.vertxscr.protocol.node.Restoring.Protect;
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
    serve(NodeVerb.LAYOUT, LayoutOf.class, protection::layout);
    serve(NodeVerb.CHECKSUMS, ChecksumsOf.class, protection::checksums);
    serve(NodeVerb.PROTECT, Protect.class, protection::protect);
    serve(NodeVerb.PROTECT_COMMIT, DatasetKey.class, protection::commit);
  }
}

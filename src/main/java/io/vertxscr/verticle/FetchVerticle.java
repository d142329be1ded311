package io.vertxscr.verticle;

import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.restart.FetchRanks;

/** Brings ranks' files here from the prefix directory. */
public final class FetchVerticle extends NodeVerticle {
  /** Serves a node. */
  public FetchVerticle(NodeContext node) {
    super(node);
  }

  @Override
  protected void serve() {
    serve(NodeVerb.FETCH, FetchRanks.class, node.services().fetches()::fetch);
  }
}

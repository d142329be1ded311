package io.vertxscr.verticle;

import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.Restoring.Fetch;

/** Brings ranks' files here from the prefix directory. */
public final class FetchVerticle extends NodeVerticle {
  /** Serves a node. */
  public FetchVerticle(NodeContext node) {
    super(node);
  }

  @Override
  protected void serve() {
    serve(NodeVerb.FETCH, Fetch.class, node.services().fetches()::fetch);
  }
}

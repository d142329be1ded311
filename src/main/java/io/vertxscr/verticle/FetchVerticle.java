package io.vertxscr.verticle;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.restart.FetchRanks;
import io.vertxscr.service.restart.FetchService;

/** Brings ranks' files here from the prefix directory. */
public final class FetchVerticle extends NodeVerticle {
  /** Serves a node. */
  public FetchVerticle(NodeContext node) {
    super(node);
  }

  @Override
  protected void serve() {
    FetchService fetches = node.services().fetches();
    serve(NodeVerb.FETCH, FetchRanks.class, fetches::fetch);
    serve(NodeVerb.FETCH_COMMIT, DatasetKey.class, fetches::commit);
    serve(NodeVerb.FETCH_DISCARD, DatasetKey.class, fetches::discard);
  }
}

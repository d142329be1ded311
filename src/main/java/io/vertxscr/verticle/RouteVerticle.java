package io.vertxscr.verticle;

import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.app.RouteRequest;
import io.vertxscr.protocol.app.ShardRequest;

/** Tells ranks where to write and read their files. */
public final class RouteVerticle extends NodeVerticle {
  /** Serves a node. */
  public RouteVerticle(NodeContext node) {
    super(node);
  }

  @Override
  protected void serve() {
    serve(Verb.ROUTE, RouteRequest.class, node.services().routes()::route);
    serve(Verb.SHARD, ShardRequest.class, node.services().routes()::shard);
  }
}

package io.vertxscr.verticle;

import io.vertxscr.protocol.node.Flushing.Flushed;
import io.vertxscr.protocol.node.Flushing.MapPart;
import io.vertxscr.protocol.node.Flushing.SizesOf;
import io.vertxscr.protocol.node.Flushing.Work;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.service.flush.FlushService;

/** Brings this node's files of a dataset to the prefix directory, step by step as the leader says. */
public final class FlushVerticle extends NodeVerticle {
  /** Serves a node. */
  public FlushVerticle(NodeContext node) {
    super(node);
  }

  @Override
  protected void serve() {
    FlushService flushes = node.services().flushes();
    serve(NodeVerb.FLUSH_COPY, Work.class, flushes::copy);
    serve(NodeVerb.FLUSH_PUBLISH, Work.class, flushes::publish);
    serve(NodeVerb.FLUSH_MAP, MapPart.class, flushes::map);
    serve(NodeVerb.FLUSH_SIZES, SizesOf.class, flushes::sizes);
    serve(NodeVerb.FLUSHED, Flushed.class, flushes::flushed);
  }
}

package io.vertxscr.verticle;

import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.flush.CompressedSizesRequest;
import io.vertxscr.protocol.node.flush.FlushStateChange;
import io.vertxscr.protocol.node.flush.FlushWork;
import io.vertxscr.protocol.node.flush.MapPartRequest;
import io.vertxscr.protocol.node.flush.TryLock;
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
    serve(NodeVerb.TRY_LOCK, TryLock.class, flushes::tryLock);
    serve(NodeVerb.FLUSH_COPY, FlushWork.class, flushes::copy);
    serve(NodeVerb.FLUSH_PUBLISH, FlushWork.class, flushes::publish);
    serve(NodeVerb.FLUSH_MAP, MapPartRequest.class, flushes::map);
    serve(NodeVerb.FLUSH_SIZES, CompressedSizesRequest.class, flushes::sizes);
    serve(NodeVerb.FLUSHED, FlushStateChange.class, flushes::flushed);
  }
}

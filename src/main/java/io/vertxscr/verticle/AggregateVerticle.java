package io.vertxscr.verticle;

import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.container.AggregateRequest;
import io.vertxscr.protocol.node.container.EntriesRequest;
import io.vertxscr.protocol.node.container.MeasureRequest;
import io.vertxscr.protocol.node.container.PublishContainers;
import io.vertxscr.protocol.node.restart.FetchRanks;
import io.vertxscr.service.container.AggregateService;

/**
 * Container aggregation: packs files of many ranks into few large ones, and unpacks them. The large ones are in the
 * prefix directory.
 */
public final class AggregateVerticle extends NodeVerticle {
  /** Serves a node. */
  public AggregateVerticle(NodeContext node) {
    super(node);
  }

  @Override
  protected void serve() {
    AggregateService aggregation = node.services().aggregation();
    serve(NodeVerb.AGGREGATE_MEASURE, MeasureRequest.class, aggregation::measure);
    serve(NodeVerb.AGGREGATE, AggregateRequest.class, aggregation::aggregate);
    serve(NodeVerb.AGGREGATE_PUBLISH, PublishContainers.class, aggregation::publish);
    serve(NodeVerb.AGGREGATE_ENTRIES, EntriesRequest.class, aggregation::entries);
    serve(NodeVerb.UNPACK, FetchRanks.class, aggregation::unpack);
  }
}

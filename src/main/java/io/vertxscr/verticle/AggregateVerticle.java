package io.vertxscr.verticle;

import io.vertxscr.protocol.node.Aggregating.Aggregate;
import io.vertxscr.protocol.node.Aggregating.EntriesOf;
import io.vertxscr.protocol.node.Aggregating.MeasureOf;
import io.vertxscr.protocol.node.Aggregating.PublishContainers;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.Restoring.Fetch;
import io.vertxscr.service.container.AggregateService;

/** Container aggregation: packs files of many ranks into few large files of the prefix directory, and unpacks them. */
public final class AggregateVerticle extends NodeVerticle {
  /** Serves a node. */
  public AggregateVerticle(NodeContext node) {
    super(node);
  }

  @Override
  protected void serve() {
    AggregateService aggregation = node.services().aggregation();
    serve(NodeVerb.AGGREGATE_MEASURE, MeasureOf.class, aggregation::measure);
    serve(NodeVerb.AGGREGATE, Aggregate.class, aggregation::aggregate);
    serve(NodeVerb.AGGREGATE_PUBLISH, PublishContainers.class, aggregation::publish);
    serve(NodeVerb.AGGREGATE_ENTRIES, EntriesOf.class, aggregation::entries);
    serve(NodeVerb.UNPACK, Fetch.class, aggregation::unpack);
  }
}

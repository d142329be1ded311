package io.vertxscr.verticle;

import io.vertx.core.Future;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.Advising;
import io.vertxscr.protocol.node.Flushing;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.Running.Gather;
import io.vertxscr.protocol.node.Running.Join;
import io.vertxscr.protocol.node.Running.Lost;
import io.vertxscr.service.flush.FlushLeader;
import io.vertxscr.service.run.LeaderService;

/** Answers what nodes ask the leader; on every node, because each may become it. */
public final class LeaderVerticle extends NodeVerticle {
  /** Serves a node. */
  public LeaderVerticle(NodeContext node) {
    super(node);
  }

  @Override
  protected void serve() {
    LeaderService leader = node.services().leader();
    serve(NodeVerb.JOIN, Join.class, leader::join);
    serve(NodeVerb.LOST, Lost.class, leader::lost);
    serve(NodeVerb.GATHER, Gather.class, leader::gather);
    FlushLeader flush = node.services().flushLeader();
    serve(NodeVerb.ADVICE, Advising.Ask.class,
        ask -> leader.inRun(ask.run(), () -> node.services().advisor().advise(ask)));
    serve(NodeVerb.FLUSH_SHARE, Flushing.Ask.class,
        ask -> leader.leading(() -> Future.succeededFuture(flush.shares().share(ask))));
    serve(NodeVerb.FLUSH_STATE, Flushing.Question.class,
        question -> leader.leading(() -> flush.states().answer(question)));
    serve(NodeVerb.OVERWRITE, Flushing.Overwrite.class,
        what -> leader.leading(() -> flush.coordinator().overwrite(what).map(Ack.ACK)));
    serve(NodeVerb.WAITS, Ack.class, _ -> leader.waits());
  }
}

package io.vertxscr.verticle;

import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.Advising;
import io.vertxscr.protocol.node.Flushing;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.Running.Gather;
import io.vertxscr.protocol.node.Running.Join;
import io.vertxscr.protocol.node.Running.Lost;
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
    serve(NodeVerb.ADVICE, Advising.Ask.class, leader::advise);
    serve(NodeVerb.FLUSH_SHARE, Flushing.Ask.class, leader::share);
    serve(NodeVerb.FLUSH_STATE, Flushing.Question.class, leader::flushState);
    serve(NodeVerb.OVERWRITE, Flushing.Overwrite.class, leader::overwrite);
    serve(NodeVerb.WAITS, Ack.class, _ -> leader.waits());
  }
}

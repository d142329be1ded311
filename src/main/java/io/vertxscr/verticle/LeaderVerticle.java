package io.vertxscr.verticle;

import io.vertx.core.Future;
import io.vertxscr.protocol.app.DrainRequest;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.advice.AdviceLeaseRequest;
import io.vertxscr.protocol.node.flush.FlushQuestion;
import io.vertxscr.protocol.node.flush.OverwriteNotice;
import io.vertxscr.protocol.node.flush.ShareRequest;
import io.vertxscr.protocol.node.run.DatasetSynced;
import io.vertxscr.protocol.node.run.GatherPart;
import io.vertxscr.protocol.node.run.JoinRun;
import io.vertxscr.protocol.node.run.LostRank;
import io.vertxscr.protocol.app.OperatorRequest;
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
    serve(NodeVerb.JOIN, JoinRun.class, leader::join);
    serve(NodeVerb.LOST, LostRank.class, leader::lost);
    serve(NodeVerb.GATHER, GatherPart.class, leader::gather);
    FlushLeader flush = node.services().flushLeader();
    serve(NodeVerb.ADVICE, AdviceLeaseRequest.class,
        ask -> leader.inRun(ask.run(), () -> node.services().advisor().advise(ask)));
    serve(NodeVerb.FLUSH_SHARE, ShareRequest.class,
        ask -> leader.leading(() -> Future.succeededFuture(flush.shares().share(ask))));
    serve(NodeVerb.FLUSH_STATE, FlushQuestion.class,
        question -> leader.leading(() -> flush.states().answer(question)));
    serve(NodeVerb.OVERWRITE, OverwriteNotice.class,
        what -> leader.leading(() -> flush.coordinator().overwrite(what).map(Ack.ACK)));
    serve(NodeVerb.SYNCED, DatasetSynced.class, part -> leader.leading(() -> node.services().syncs().synced(part)));
    serve(NodeVerb.WAITS, Ack.class, _ -> leader.waits());
    serve(NodeVerb.OPERATE, OperatorRequest.class,
        what -> leader.leading(() -> node.services().operators().act(what)));
    serve(NodeVerb.DRAIN, DrainRequest.class, what -> leader.leading(() -> node.services().drains().act(what)));
  }
}

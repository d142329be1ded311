package io.vertxscr.verticle;

import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.run.CheckStores;
import io.vertxscr.protocol.node.run.DrainMark;
import io.vertxscr.protocol.node.run.RunEnd;
import io.vertxscr.protocol.node.run.Takeover;
import io.vertxscr.protocol.node.run.UserFileAsk;
import io.vertxscr.service.run.RunService;

/** Hears from the leader how the run begins and ends. */
public final class RunVerticle extends NodeVerticle {
  /** Serves a node. */
  public RunVerticle(NodeContext node) {
    super(node);
  }

  @Override
  protected void serve() {
    RunService runs = node.services().runs();
    serve(NodeVerb.PULSE, Ack.class, _ -> runs.pulse(node.services().probe().silentMs()));
    serve(NodeVerb.TAKEOVER, Takeover.class,
        takeover -> runs.takeover(takeover).onSuccess(_ -> node.services().leader().heard()));
    serve(NodeVerb.STORES, CheckStores.class, node.services().stores()::check);
    serve(NodeVerb.SPACE, Ack.class, _ -> node.services().stores().space());
    serve(NodeVerb.CONFIGURED, Ack.class, _ -> node.services().config().ofRun());
    serve(NodeVerb.USER_FILE, UserFileAsk.class, node.services().config()::known);
    serve(NodeVerb.RUN_BEGIN, RunInfo.class, runs::begin);
    serve(NodeVerb.RUN_OVER, RunEnd.class, runs::over);
    serve(NodeVerb.DRAIN_MARK, DrainMark.class, runs::drain);
  }
}

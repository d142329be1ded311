package io.vertxscr.verticle;

import io.vertxscr.flow.gather.Step;
import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.app.CompleteOutputRequest;
import io.vertxscr.protocol.app.StartOutputRequest;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.run.ClaimPaths;
import io.vertxscr.service.run.CollectiveCalls;
import io.vertxscr.service.run.CollectiveCalls.Caller;
import io.vertxscr.service.run.ListedFiles;

/** Answers the calls around the writing of a dataset, and other nodes that ask whose its paths are. */
public final class PhaseVerticle extends NodeVerticle {
  /** Serves a node. */
  public PhaseVerticle(NodeContext node) {
    super(node);
  }

  @Override
  protected void serve() {
    CollectiveCalls calls = node.services().calls();
    serve(Verb.START_OUTPUT, StartOutputRequest.class, (request, client) -> calls.call(
        new Caller(request.run(), request.rank(), request.call(), client), Step.START_OUTPUT,
        request.name().orElse(""), request.flags(), true));
    serve(Verb.COMPLETE_OUTPUT, CompleteOutputRequest.class, (request, client) -> calls.call(
        new Caller(request.run(), request.rank(), request.call(), client), ListedFiles.call(request)));
    serve(NodeVerb.CLAIM_PATHS, ClaimPaths.class, node.services().claims()::claimed);
  }
}

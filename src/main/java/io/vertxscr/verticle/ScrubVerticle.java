package io.vertxscr.verticle;

import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.app.ScrubRequest;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.scrub.RepairRequest;
import io.vertxscr.protocol.node.scrub.ScrubAsk;
import io.vertxscr.service.scrub.PublishedScrub;
import io.vertxscr.service.scrub.ScrubService;

/** Reads this node's caches in the background, and published datasets; has made again what is damaged. */
public final class ScrubVerticle extends NodeVerticle {
  /** Serves a node. */
  public ScrubVerticle(NodeContext node) {
    super(node);
  }

  @Override
  protected void serve() {
    ScrubService scrub = node.services().scrub();
    serve(Verb.SCRUB, ScrubRequest.class, (request, _) -> scrub.scrub(request));
    serve(NodeVerb.SCRUB, ScrubAsk.class, scrub::scrub);
    serve(NodeVerb.REPAIR, RepairRequest.class,
        request -> node.services().leader().leading(() -> node.services().repairs().repair(request)));
    PublishedScrub published = node.services().published();
    serve(NodeVerb.PUBLISHED, ScrubAsk.class,
        ask -> node.services().leader().leading(() -> published.published(ask)));
    node.loop().later(() -> {
      scrub.begin();
      published.begin();
    });
  }
}

package io.vertxscr.service;

import io.vertx.core.Future;
import io.vertxscr.protocol.node.NodeVerb;

/** The bus of n1, which does not lead, and nobody else does. What others answer is the test's. */
public abstract class LeaderlessBus implements NodeBus {
  @Override
  public final <A> Future<A> command(String node, NodeVerb verb, Object request, Class<A> answer) {
    throw new AssertionError("n1 does not lead");
  }

  @Override
  public final <A> Future<A> askLeader(NodeVerb verb, Object request, Class<A> answer) {
    throw new AssertionError("nobody leads");
  }

  @Override
  public final void onlyLeader(String name) {
    // Nobody leads.
  }
}

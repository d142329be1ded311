package io.vertxscr.service.run;

import io.vertxscr.model.NodeInfo;
import io.vertxscr.service.Event;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.Observer;

/** Publishes membership changes, on the leader only. */
public final class MembershipWatch implements Membership.Listener {
  private final Loop loop;
  private final Membership membership;
  private final Observer observer;

  /** Watches for a node; to be registered as a listener. */
  public MembershipWatch(Loop loop, Membership membership, Observer observer) {
    this.loop = loop;
    this.membership = membership;
    this.observer = observer;
  }

  @Override
  public void joined(NodeInfo node) {
    tell(new Event.NodeJoined(node.name()));
  }

  @Override
  public void left(NodeInfo node) {
    tell(new Event.NodeLeft(node.name()));
  }

  private void tell(Event event) {
    loop.later(() -> {
      if (membership.isLeader()) {
        observer.notice(event);
      }
    });
  }
}

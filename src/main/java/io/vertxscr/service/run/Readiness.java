package io.vertxscr.service.run;

import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.run.Pulse;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import java.util.Optional;

/**
 * Whether a node could serve a phase now. It can if it is a member of the cluster, its storage can be written to, and
 * its leader answers.
 *
 * <p>Checks are made while others ask, so that nodes which nobody asks cause no messages: each question begins those
 * that are not under way, and is answered by those that are. A hang shows when it has lasted {@link #LIMIT_MS}. On the
 * node's loop.
 */
public final class Readiness {
  /** Above pauses of a healthy node, and below the 30 s after which others give up waiting for it. */
  static final long LIMIT_MS = 5_000;
  private static final long NS_PER_MS = 1_000_000;

  private final Loop loop;
  private final NodeBus bus;
  private final Membership membership;
  private final StorageProbe storage;
  /** The leader that has been asked last for a sign of life, and when; whether it has still to answer. */
  private String asked = "";
  private long askedNs;
  private boolean waits;
  /** Why that one gave no answer. */
  private Optional<String> trouble = Optional.empty();

  /** Of a node. */
  public Readiness(Loop loop, NodeBus bus, Membership membership, StorageProbe storage) {
    this.loop = loop;
    this.bus = bus;
    this.membership = membership;
    this.storage = storage;
  }

  /** Returns why it cannot serve a phase, empty where it can. */
  public Optional<String> notReady() {
    if (membership.find(membership.self().name()).isEmpty()) {
      return Optional.of("not a member of the cluster");
    }
    return ofStorage(storage.silentMs()).or(this::ofLeader);
  }

  private Optional<String> ofStorage(long silentMs) {
    return silentMs >= LIMIT_MS ? Optional.of("the control directory has not answered for " + silentMs / 1000 + " s")
        : storage.failure().map(why -> "the control directory cannot be written to: " + why);
  }

  private Optional<String> ofLeader() {
    String leader = membership.leader().name();
    if (leader.equals(membership.self().name())) {
      return Optional.empty();
    }
    if (!leader.equals(asked)) {
      trouble = Optional.empty();
    }
    if (!waits || !leader.equals(asked)) {
      ask(leader);
    }
    long sinceMs = (loop.nanoTime() - askedNs) / NS_PER_MS;
    return trouble.or(() -> waits && sinceMs >= LIMIT_MS
        ? Optional.of("the leader, node " + leader + ", has not answered for " + sinceMs / 1000 + " s")
        : Optional.empty());
  }

  private void ask(String leader) {
    asked = leader;
    askedNs = loop.nanoTime();
    waits = true;
    bus.ask(leader, NodeVerb.PULSE, Ack.ACK, Pulse.class).onComplete((_, failure) -> {
      if (leader.equals(asked)) {
        waits = false;
        trouble = Optional.ofNullable(failure).map(Throwable::getMessage);
      }
    });
  }
}

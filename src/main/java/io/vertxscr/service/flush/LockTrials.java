package io.vertxscr.service.flush;

import io.vertx.core.Future;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.LockTrial;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.flush.LockTried;
import io.vertxscr.protocol.node.flush.TryLock;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.OpenPrefix;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.Recent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the other nodes try a lock that this one holds, before the leader changes a prefix directory. Without locks
 * between nodes nothing fences an earlier leader. Each node is asked once in a leadership; one that does not answer, or
 * not for this directory, is asked again next time. On the node's loop.
 */
final class LockTrials {
  private static final Logger LOG = LoggerFactory.getLogger(LockTrials.class);

  /** Directories of which it is known who has tried; there are as many names for each as nodes. */
  static final int MOST_PREFIXES = 64;

  private final Loop loop;
  private final NodeBus bus;
  private final Membership membership;
  private final Prefixes prefixes;
  private final Recent<String, Set<String>> excluded = new Recent<>(MOST_PREFIXES);

  LockTrials(Loop loop, NodeBus bus, Membership membership, Prefixes prefixes) {
    this.loop = loop;
    this.bus = bus;
    this.membership = membership;
    this.prefixes = prefixes;
  }

  /** Forgets who was tried: the node has become the leader. */
  void clear() {
    excluded.clear();
  }

  /** Fails with IO, naming a node to which the lock was given while this one had it. */
  Future<Void> pass(String prefix) {
    Set<String> known = excluded.get(prefix).orElseGet(HashSet::new);
    excluded.put(prefix, known);
    List<String> untried = membership.nodes().stream().map(NodeInfo::name)
        .filter(node -> !node.equals(membership.self().name()) && !known.contains(node)).toList();
    if (untried.isEmpty()) {
      return Future.succeededFuture();
    }
    OpenPrefix directory = prefixes.open(prefix);
    return prefixes.locked().run("hold a lock of " + prefix, () ->
        LockTrial.hold(directory.paths(), directory.user())).compose(trial ->
        all(prefix, untried, known).eventually(() -> release(prefix, trial)));
  }

  /** A node that is stopping starts no job any more, and its process may have other nodes. */
  private Future<Void> release(String prefix, LockTrial trial) {
    return loop.prefix().<Void>run("release a lock of " + prefix, () -> {
      trial.close();
      return null;
    }).recover(_ -> {
      trial.close();
      return Future.succeededFuture();
    });
  }

  private Future<Void> all(String prefix, List<String> nodes, Set<String> known) {
    List<Future<Void>> tried = new ArrayList<>();
    for (String node : nodes) {
      Future<LockTried> asked = bus.command(node, NodeVerb.TRY_LOCK, new TryLock(prefix), LockTried.class);
      tried.add(asked.transform((answer, failure) -> {
        if (failure != null) {
          LOG.warn("node {} has not tried the locks of {}: {}", node, prefix, failure.getMessage());
        } else if (answer.refused()) {
          known.add(node);
        } else {
          return Future.failedFuture(new ScrException(Fault.IO, "the locks of " + prefix + " do not exclude: node "
              + node + " was given one that node " + membership.self().name() + " holds. Nothing is written there: two"
              + " leaders could damage datasets. Mount its file system with locks between nodes (Lustre: flock)"));
        }
        return Future.succeededFuture();
      }));
    }
    return Future.join(tried).mapEmpty();
  }
}

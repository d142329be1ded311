package io.vertxscr.cluster.ops;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertxscr.service.dashboard.DashboardFeed.Watcher;
import java.util.List;

/** What a node's dashboard shows of the cluster (docs/flows/dashboard.md). Any thread; answers come on any. */
public interface Dashboard {
  /** What is so now. */
  Future<JsonObject> picture();

  /** What the loss of these nodes at once would cost. Fails with BAD_REQUEST, NO_SUCH_DATASET. */
  Future<JsonObject> loss(List<String> nodes);

  /**
   * Has something done.
   *
   * @return in a word or a sentence: how far it is; fails with BAD_REQUEST, WRONG_STATE, and what it fails with
   */
  Future<String> act(JsonObject request);

  /** Tells a watcher what is so, and what happens, from now on. */
  void watch(Watcher watcher);

  /** Tells it nothing more. */
  void leave(Watcher watcher);
}

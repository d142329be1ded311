package io.vertxscr.service.cache;

import io.vertx.core.Future;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.run.CheckStores;
import io.vertxscr.protocol.node.run.StoreToCheck;
import io.vertxscr.protocol.node.run.StoresChecked;
import io.vertxscr.service.NodeBus;
import java.util.Collection;
import java.util.List;

/** Has every node of a run check the run's stores. On the node's loop. */
public record StoreChecks(NodeBus bus) {
  /** @return fails with BAD_CONFIGURATION, naming a node and its store */
  public Future<Void> on(Collection<String> nodes, Descriptors descriptors) {
    List<StoreToCheck> used = descriptors.caches().stream()
        .map(store -> new StoreToCheck(store.base(), store.mkdir())).toList();
    return used.isEmpty() ? Future.succeededFuture() : on(nodes, used);
  }

  /**
   * The same for one store, which these nodes may use from then on. It is that of a dataset that an earlier run cached,
   * or that is to be fetched although the run caches nothing.
   */
  public Future<Void> on(Collection<String> nodes, String storeBase) {
    return on(nodes, List.of(new StoreToCheck(storeBase, true)));
  }

  private Future<Void> on(Collection<String> nodes, List<StoreToCheck> used) {
    List<Future<StoresChecked>> asked = nodes.stream()
        .map(node -> bus.command(node, NodeVerb.STORES, new CheckStores(used), StoresChecked.class)).toList();
    return Future.all(asked).map(_ -> {
      asked.stream().flatMap(checked -> checked.result().problem().stream()).findFirst().ifPresent(problem -> {
        throw new ScrException(Fault.BAD_CONFIGURATION, problem);
      });
      return null;
    });
  }
}

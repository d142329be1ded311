package io.vertxscr.service.dashboard;

import io.vertx.core.Future;
import io.vertxscr.flow.restart.CacheSnapshot;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Halt.Reason;
import io.vertxscr.model.HaltChange;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.run.OpenWaits;
import io.vertxscr.protocol.app.OperatorRequest;
import io.vertxscr.protocol.node.run.RunView;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.flush.FlushLeader;
import io.vertxscr.service.leader.DatasetCommands;
import io.vertxscr.service.restart.Inventories;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What operators have done by the dashboard and by commands: halt, flush now, drop. Any node takes it; what is about a
 * dataset is the leader's. On the node's loop.
 */
public final class OperatorActions {
  private static final Logger LOG = LoggerFactory.getLogger(OperatorActions.class);

  private final NodeBus bus;
  private final Prefixes prefixes;
  private final Inventories caches;
  private final FlushLeader flush;
  private final DatasetCommands commands;

  /** Acts from a node. */
  public OperatorActions(
      NodeBus bus, Prefixes prefixes, Inventories caches, FlushLeader flush, DatasetCommands commands) {
    this.bus = bus;
    this.prefixes = prefixes;
    this.caches = caches;
    this.flush = flush;
    this.commands = commands;
  }

  /**
   * Has the run that is on stop at its next should-exit, or at once.
   *
   * @return fails with WRONG_STATE where no run is on; with IO
   */
  public Future<Void> halt(boolean immediate) {
    return run().compose(run -> {
      String prefix = run.orElseThrow(() -> new ScrException(Fault.WRONG_STATE, "no run is on")).prefix();
      HaltChange change = new HaltChange.Collector()
          .change(Optional.of(Reason.JOB_HALTED.name()), false, immediate);
      LOG.info("an operator halts the run in {}{}", prefix, immediate ? ", at once" : "");
      return prefixes.named(prefix).compose(directory -> prefixes.locked().run(
          "write the halt file of " + prefix, () -> directory.haltFile().update(change::appliedWithReasons)));
    }).mapEmpty();
  }

  /** Has the leader do it. @return fails with NO_SUCH_DATASET, WRONG_STATE, TOO_MANY_LOST, IO */
  public Future<Void> ask(OperatorRequest request) {
    return bus.askLeader(NodeVerb.OPERATE, request, Ack.class).mapEmpty();
  }

  /** Does it, on the leader. A flush has begun then, durably; it has not ended. */
  public Future<Ack> act(OperatorRequest request) {
    return caches.all().compose(all -> {
      Inventory.Dataset dataset = CacheSnapshot.of(all).find(request.dataset()).orElseThrow(() -> new ScrException(
          Fault.NO_SUCH_DATASET, "dataset " + request.dataset() + " is not in the caches"));
      LOG.info("an operator wants {} of dataset {}", request.what(), request.dataset());
      return switch (request.what()) {
        case FLUSH -> flush(dataset, all);
        case DROP -> drop(dataset.descriptor(), dataset.origin().prefix());
      };
    }).map(Ack.ACK);
  }

  private Future<Void> flush(Inventory.Dataset dataset, List<Inventory> all) {
    int id = dataset.descriptor().id();
    return requireComplete(id, all).compose(_ -> requireUse(dataset, all))
        .compose(_ -> flush.wanted().prepare(dataset, all)).onSuccess(_ ->
            flush.coordinator().flush(id).onFailure(failure ->
                LOG.warn("flush of dataset {}: {}", id, failure.getMessage())));
  }

  /** A flush behind newer ones would free its copies for eviction, and leave nothing there. */
  private Future<Void> requireUse(Inventory.Dataset dataset, List<Inventory> all) {
    return flush.coordinator().useless(dataset, all).recover(failure -> {
      LOG.info("dataset {} is to be flushed, without a look at newer ones: {}", dataset.descriptor().id(),
          failure.getMessage());
      return Future.succeededFuture(Optional.empty());
    }).map(useless -> {
      useless.ifPresent(why -> {
        throw new ScrException(Fault.WRONG_STATE, "dataset " + dataset.descriptor().id() + " \""
            + dataset.descriptor().name() + "\" cannot be brought to " + dataset.origin().prefix() + ": " + why);
      });
      return null;
    });
  }

  /** The newest one of a run may still be written. */
  private Future<Void> requireComplete(int dataset, List<Inventory> all) {
    int newest = CacheSnapshot.of(all).byId(_ -> true).keySet().stream().reduce(0, Math::max);
    return run().map(run -> {
      if (run.isPresent() && dataset == newest) {
        throw new ScrException(Fault.WRONG_STATE, "dataset " + dataset + " may still be written: flush it once the next"
            + " one is there, or the run has ended");
      }
      return null;
    });
  }

  /** A run that is on, or begins, may be about to read its datasets. While it is on, it drops them itself. */
  private Future<Void> drop(DatasetDescriptor dataset, String prefix) {
    return commands.drop(prefix, dataset, () -> waits().map(waits -> {
      waits.run().filter(on -> on.prefix().equals(prefix)).ifPresent(on -> {
        throw new ScrException(Fault.WRONG_STATE, "run " + on.run() + " is on in " + prefix
            + ": halt it before one of its datasets is dropped");
      });
      waits.forming().ifPresent(begins -> {
        throw new ScrException(Fault.WRONG_STATE, "a run is about to begin, and may begin with dataset " + dataset.id()
            + ": init waits " + begins.waitsFor());
      });
      return null;
    }));
  }

  private Future<Optional<RunView>> run() {
    return waits().map(OpenWaits::run);
  }

  private Future<OpenWaits> waits() {
    return bus.askLeader(NodeVerb.WAITS, Ack.ACK, OpenWaits.class);
  }
}

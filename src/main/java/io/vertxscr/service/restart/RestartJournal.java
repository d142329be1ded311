package io.vertxscr.service.restart;

import io.vertx.core.Future;
import io.vertxscr.model.RestartHistory;
import io.vertxscr.prefix.metadata.RestartFileStore;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.service.Loop;
import io.vertxscr.service.PrefixJobs;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.SerialQueue;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader's book of restarts, in the prefix directory: one change after the other, each durable. Only what an
 * application has asked for fails with it; all else goes on without it, and says so. On the node's loop.
 */
public final class RestartJournal {
  private static final Logger LOG = LoggerFactory.getLogger(RestartJournal.class);

  private final Loop loop;
  private final Prefixes prefixes;
  private final SerialQueue<String> steps = new SerialQueue<>();

  public RestartJournal(Loop loop, Prefixes prefixes) {
    this.loop = loop;
    this.prefixes = prefixes;
  }

  /** Reads the restart history; empty if unreadable. */
  public Future<RestartHistory> read(String prefix) {
    return PrefixJobs.twice(() -> history(prefix)).recover(failure -> {
      LOG.warn("history of restarts of {} cannot be read: {}", prefix, failure.getMessage());
      return Future.succeededFuture(RestartHistory.EMPTY);
    });
  }

  /** Changes it; the change must give the same again when repeated on the same. */
  public Future<RestartHistory> update(String prefix, UnaryOperator<RestartHistory> change) {
    return inTurn(() ->
        prefixes.locked().run("write the history of restarts of " + prefix, () -> store(prefix).update(change)));
  }

  /**
   * Reads the restart history; fails if unreadable, for actions that must not be repeated. Fails with IO where nobody
   * can see it.
   */
  Future<RestartHistory> readOrFail(String prefix) {
    return PrefixJobs.twice(() -> history(prefix));
  }

  private Future<RestartHistory> history(String prefix) {
    return inTurn(() -> loop.prefix().run("read the history of restarts of " + prefix, () -> store(prefix).read()));
  }

  /**
   * Records the number of nodes of a run at its begin, for scripts. It is also the trace by which a flush knows the
   * directory. Does not fail.
   */
  public Future<Void> begun(RunInfo info) {
    int nodes = info.map().byNode().size();
    return inTurn(() -> prefixes.locked().<Void>run("write the number of nodes to " + info.prefix(), () -> {
      prefixes.open(info.prefix()).flushFile().writeNodes(nodes);
      return null;
    })).recover(failure -> {
      LOG.warn("the number of nodes cannot be written to {}: {}", info.prefix(), failure.getMessage());
      return Future.succeededFuture();
    });
  }

  /** A run begins to read this checkpoint. */
  public Future<Void> loaded(RunInfo run, RunInfo.Restartable dataset) {
    return note(run.prefix(),
        history -> history.loaded(dataset.datasetId(), dataset.createdUs(), dataset.name(), run.run()));
  }

  /** The run has read all of its checkpoint. */
  public Future<Void> restarted(RunInfo run) {
    return note(run.prefix(), history -> history.restarted(run.run()));
  }

  /** The run has lost a node, or was ended from outside: what it has read is not to blame for its end. */
  public Future<Void> excused(RunInfo run) {
    return note(run.prefix(), history -> history.excused(run.run()));
  }

  /** A run has got further than the checkpoint that it began with. */
  public Future<Void> progressed(String prefix) {
    return note(prefix, RestartHistory::progressed);
  }

  /** The same, and what continued from that checkpoint before is of a branch that the program has left. */
  public Future<Void> progressed(RunInfo run, RunInfo.Restartable from) {
    return note(run.prefix(),
        history -> history.progressed().departed(from.datasetId(), from.createdUs(), run.run()));
  }

  /** A best-effort change: its failure is only logged. */
  public Future<Void> note(String prefix, UnaryOperator<RestartHistory> change) {
    return update(prefix, change).<Void>mapEmpty().recover(failure -> {
      LOG.warn("history of restarts of {} cannot be written: {}", prefix, failure.getMessage());
      return Future.succeededFuture();
    });
  }

  /** Who waits does so for a bounded time; what is to be written may still be written later. */
  private <T> Future<T> inTurn(Supplier<Future<T>> step) {
    return loop.prefix().within(PrefixJobs.PATIENCE_AT_BEGIN, steps.run("all", step));
  }

  private RestartFileStore store(String prefix) {
    return prefixes.open(prefix).restartFile();
  }
}

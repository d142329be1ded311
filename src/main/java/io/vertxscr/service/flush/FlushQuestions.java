package io.vertxscr.service.flush;

import io.vertx.core.Future;
import io.vertxscr.flow.run.SessionState;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.FlushReply;
import io.vertxscr.protocol.app.FlushRequest;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.flush.FlushQuestion;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.run.LocalRun;
import io.vertxscr.service.run.RunService;
import io.vertxscr.storage.DatasetStore;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Answers a rank whether a dataset is flushed. What this node's filemap says is answered at once, the rest by the
 * leader. No rank waits for another one. On the node's loop.
 */
public final class FlushQuestions {
  private final NodeBus bus;
  private final String self;
  private final RunService runs;
  private final DatasetStore store;

  /** Answers for a node. */
  public FlushQuestions(NodeBus bus, String self, RunService runs, DatasetStore store) {
    this.bus = bus;
    this.self = self;
    this.runs = runs;
    this.store = store;
  }

  /** Returns the current state. */
  public Future<FlushReply> test(FlushRequest request, String client) {
    return ask(request, client, false);
  }

  /** Waits, some seconds at most, until the dataset is flushed or stays in the caches. */
  public Future<FlushReply> await(FlushRequest request, String client) {
    return ask(request, client, true);
  }

  private Future<FlushReply> ask(FlushRequest request, String client, boolean await) {
    LocalRun run = runs.run().orElseThrow(() ->
        new ScrException(Fault.WRONG_STATE, "no run has begun on node " + self + ": call init first"));
    LocalRun.RankSession session = run.session(request.run(), request.rank(), client);
    String prefix = run.info().prefix();
    Optional<DatasetRecord> here = store.list().stream()
        .filter(record -> record.descriptor().name().equals(request.name()) && record.origin().prefix().equals(prefix))
        .max(Comparator.comparingLong(record -> record.descriptor().createdUs()));
    if (here.filter(record -> record.flush() == FlushState.DONE).isPresent()) {
      return Future.succeededFuture(FlushReply.FLUSHED);
    }
    if (await && session.state().phase() == SessionState.SessionPhase.OUTPUT && run.open().isBypass()) {
      throw new ScrException(Fault.WRONG_STATE, "rank " + request.rank() + " waits for a flush in a phase past the"
          + " cache, for whose end flushes wait: wait before it or after it");
    }
    OptionalInt id = here.map(record -> OptionalInt.of(record.descriptor().id())).orElse(OptionalInt.empty());
    return bus.askLeader(NodeVerb.FLUSH_STATE, new FlushQuestion(prefix, request.name(), id, await), FlushReply.class);
  }
}

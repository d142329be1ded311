package io.vertxscr.simulation;

import io.vertx.core.Future;
import io.vertxscr.client.Phase;
import io.vertxscr.client.Session;
import io.vertxscr.client.ShardRange;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.protocol.app.ShardReply;
import io.vertxscr.protocol.app.ShouldExitReply;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A session in virtual time, in futures that compose with those of the cluster. */
public record VirtualSession(Session session) {
  public int rank() {
    return session.rank();
  }

  /** What this rank was told. */
  public List<String> remarks() {
    return session.remarks();
  }

  public Future<Boolean> needCheckpoint() {
    return Future.fromCompletionStage(session.needCheckpoint());
  }

  /** Whether the program is to end. */
  public Future<Boolean> shouldExit() {
    return Future.fromCompletionStage(session.shouldExit()).map(ShouldExitReply::exit);
  }

  public Future<Void> current(String name) {
    return Future.fromCompletionStage(session.current(name));
  }

  public Future<Void> drop(String name) {
    return Future.fromCompletionStage(session.drop(name));
  }

  public Future<Void> delete(String name) {
    return Future.fromCompletionStage(session.delete(name));
  }

  public Future<VirtualPhase> startOutput(String name, DatasetFlags flags) {
    return Future.fromCompletionStage(session.startOutput(Optional.of(name), flags)).map(VirtualPhase::new);
  }

  public Future<Optional<VirtualPhase>> restart() {
    return Future.fromCompletionStage(session.restart()).map(offered -> offered.map(VirtualPhase::new));
  }

  public Future<Void> finish() {
    return Future.fromCompletionStage(session.finish());
  }

  public Future<Void> abort(String cause) {
    return Future.fromCompletionStage(session.abort(cause));
  }

  /** A phase of the session. */
  public record VirtualPhase(Phase phase) {
    public String name() {
      return phase.name();
    }

    public Future<Path> route(String name) {
      return Future.fromCompletionStage(phase.route(name));
    }

    /** A range of any rank's file, in a restart from shards. */
    public Future<ShardReply> shard(ShardRange range) {
      return Future.fromCompletionStage(phase.shard(range));
    }

    public Future<Void> complete(boolean valid) {
      return Future.fromCompletionStage(phase.complete(valid)).mapEmpty();
    }
  }
}

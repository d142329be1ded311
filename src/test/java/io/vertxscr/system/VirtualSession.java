package io.vertxscr.system;

import io.vertx.core.Future;
import io.vertxscr.client.Phase;
import io.vertxscr.client.Session;
import io.vertxscr.model.DatasetFlags;
import java.nio.file.Path;
import java.util.Optional;

/** A session in virtual time, in futures that compose with those of the cluster. */
record VirtualSession(Session session) {
  int rank() {
    return session.rank();
  }

  Future<Boolean> needCheckpoint() {
    return Future.fromCompletionStage(session.needCheckpoint());
  }

  Future<VirtualPhase> startOutput(String name, DatasetFlags flags) {
    return Future.fromCompletionStage(session.startOutput(Optional.of(name), flags)).map(VirtualPhase::new);
  }

  Future<Optional<VirtualPhase>> restart() {
    return Future.fromCompletionStage(session.restart()).map(offered -> offered.map(VirtualPhase::new));
  }

  Future<Void> finish() {
    return Future.fromCompletionStage(session.finish());
  }

  /** A phase of the session. */
  record VirtualPhase(Phase phase) {
    String name() {
      return phase.name();
    }

    Future<Path> route(String name) {
      return Future.fromCompletionStage(phase.route(name));
    }

    Future<Void> complete(boolean valid) {
      return Future.fromCompletionStage(phase.complete(valid)).mapEmpty();
    }
  }
}

package io.vertxscr.simulation;

import io.vertx.core.Future;
import io.vertxscr.client.ScrClient;
import io.vertxscr.simulation.Ledger.Attempt;
import java.nio.file.Path;

/** A rank of the run that is on. */
final class Rank {
  private final World world;
  final Program program;
  final int number;
  final String node;
  ScrClient client;
  boolean gone;
  boolean ended;
  boolean hasRestarted;
  String failure;
  String waitsFor;
  long sinceNs;
  Attempt offered;
  int asked;

  Rank(World world, Program program, int number, String node) {
    this.world = world;
    this.program = program;
    this.number = number;
    this.node = node;
  }

  boolean isOver() {
    return gone || ended;
  }

  <T> Future<T> call(String what, Future<T> answer) {
    if (!answer.isComplete()) {
      waitsFor = what;
      sinceNs = world.time.nowNs();
    }
    return answer.onComplete(_ -> waitsFor = null);
  }

  Path path(Path routed) {
    return world.machine(node).files.getPath(routed.toString());
  }

  /** Its process ends. */
  void dies() {
    if (!isOver()) {
      gone = true;
      failure = "it died";
      if (client != null) {
        client.close();
      }
    }
  }
}

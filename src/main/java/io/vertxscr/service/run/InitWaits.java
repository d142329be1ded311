package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertxscr.protocol.app.DoneReply;
import io.vertxscr.protocol.app.InitWaitRequest;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.run.FormingView;
import io.vertxscr.protocol.node.run.OpenWaits;
import io.vertxscr.service.NodeBus;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Tells ranks that wait long in init what for; one rank of the job says so for all.
 *
 * <p>A client cannot know whether it is that one. So every rank asks; its node asks the leader for its lowest rank
 * only, and the leader knows the lowest of all. Where no leader answers, the lowest of each node says so. On the node's
 * loop.
 */
final class InitWaits {
  private static final long SECONDS_OF_MINUTE = 60;
  private static final long SECONDS_OF_HOUR = 3600;

  private final NodeBus bus;
  private final ArrivingRanks arriving;

  InitWaits(NodeBus bus, ArrivingRanks arriving) {
    this.bus = bus;
    this.arriving = arriving;
  }

  /** What the caller is to tell its user, as remarks; nothing where that is not the caller's turn. */
  Future<DoneReply> ask(InitWaitRequest request, String client) {
    OptionalInt rank = arriving.lowest(client);
    if (rank.isEmpty()) {
      return Future.succeededFuture(new DoneReply());
    }
    return bus.askLeader(NodeVerb.WAITS, Ack.ACK, OpenWaits.class)
        .map(waits -> waits.forming().filter(run -> run.first() == rank.getAsInt()).map(FormingView::waitsFor))
        .otherwise(failure -> Optional.of("for the leader, which cannot be asked: " + failure.getMessage()))
        .map(waitsFor -> waitsFor.map(reason -> new DoneReply(Optional.of(List.of(
            "init has waited " + inWords(request.waitedSeconds()) + " " + reason + " (scr status tells more)"))))
            .orElseGet(DoneReply::new));
  }

  private static String inWords(long seconds) {
    return seconds < 2 * SECONDS_OF_MINUTE ? seconds + " s"
        : seconds < 2 * SECONDS_OF_HOUR ? seconds / SECONDS_OF_MINUTE + " min" : seconds / SECONDS_OF_HOUR + " h";
  }
}

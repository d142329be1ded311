package io.vertxscr.protocol;

import io.vertx.core.eventbus.ReplyException;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;

/** What a reply that {@link Replies} has failed means to who asked. Apart from it, because the client has no codec. */
public final class ReplyFaults {
  private ReplyFaults() {}

  /** As long as whoever was asked wants, but for this. */
  private static String text(ReplyException reply) {
    String text = String.valueOf(reply.getMessage());
    return text.length() <= Limits.MAX_SENTENCE_CHARS ? text : text.substring(0, Limits.MAX_SENTENCE_CHARS);
  }

  /**
   * What a failed request to a node means.
   *
   * @param failure as the event bus gave it
   * @param node who was asked; named where it is gone
   * @return the fault that was answered; {@link Fault#NODE_LOST} where nobody listens; {@link Fault#TIMEOUT}, which
   *     says nothing about whether the call took effect
   */
  public static ScrException of(Throwable failure, String node) {
    return switch (failure) {
      case ScrException known -> known;
      case ReplyException reply -> switch (reply.failureType()) {
        case NO_HANDLERS -> new ScrException(Fault.NODE_LOST, "node " + node + " is gone: nobody listens", reply);
        case TIMEOUT -> new ScrException(Fault.TIMEOUT, "node " + node + " has not answered in time", reply);
        default -> new ScrException(Fault.of(reply.failureCode()), text(reply), reply);
      };
      default -> new ScrException(Fault.INTERNAL, "request to node " + node + " failed: " + failure, failure);
    };
  }
}

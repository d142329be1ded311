package io.vertxscr.protocol;

import io.vertx.core.Completable;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.RouteRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maps outcomes of calls to replies, and failed replies back to outcomes; the only place that does.
 *
 * <pre>
 *   Future.succeededFuture(message.body())
 *       .map(body -> Wire.read(body, RouteRequest.class))      // a throw in here is answered too
 *       .compose(session::route)
 *       .onComplete(Replies.to(message));
 * </pre>
 */
public final class Replies {
  private static final Logger LOG = LoggerFactory.getLogger(Replies.class);

  private Replies() {}

  /**
   * Answers the message. A record becomes its JSON, JSON and buffers stay as they are, null becomes an empty object; a
   * {@link ScrException} becomes the fault's number and sentence, everything else {@link Fault#INTERNAL}, with the
   * stack in the log.
   */
  public static Completable<Object> to(Message<?> message) {
    return (result, failure) -> {
      if (failure != null) {
        fail(message, failure);
        return;
      }
      Object body;
      try {
        body = switch (result) {
          case null -> new JsonObject();
          case JsonObject json -> json;
          case Buffer text -> text;
          default -> Wire.write(result);
        };
      } catch (RuntimeException e) {
        fail(message, e);
        return;
      }
      message.reply(body);
    };
  }

  /**
   * Translates the failure of a request to a node.
   *
   * @param failure as the event bus gave it
   * @param node the asked one; named in the fault if it is lost
   * @return the fault that was answered; {@link Fault#NODE_LOST} if there is no handler; {@link Fault#TIMEOUT}, which
   *     says nothing about whether the call took effect
   */
  public static ScrException faultOf(Throwable failure, String node) {
    return switch (failure) {
      case ScrException known -> known;
      case ReplyException reply -> switch (reply.failureType()) {
        case NO_HANDLERS -> new ScrException(Fault.NODE_LOST, "node " + node + " is gone: nobody listens", reply);
        case TIMEOUT -> new ScrException(Fault.TIMEOUT, "node " + node + " has not answered in time", reply);
        default -> new ScrException(Fault.of(reply.failureCode()), String.valueOf(reply.getMessage()), reply);
      };
      default -> new ScrException(Fault.INTERNAL, "request to node " + node + " failed: " + failure, failure);
    };
  }

  private static void fail(Message<?> message, Throwable failure) {
    switch (failure) {
      case ScrException known -> message.fail(known.fault().number(), known.getMessage());
      case ReplyException _ -> {
        // An intermediate node has sent the cause: pass it on instead of an internal error.
        ScrException passedOn = faultOf(failure, "asked by " + message.address());
        message.fail(passedOn.fault().number(), passedOn.getMessage());
      }
      default -> {
        LOG.error("Call to {} failed unexpectedly", message.address(), failure);
        message.fail(Fault.INTERNAL.number(), "internal error in " + message.address() + ", see the daemon's log: "
            + failure);
      }
    }
  }
}

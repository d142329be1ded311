package io.vertxscr.protocol;

import io.vertx.core.Completable;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one place where the outcome of a call becomes a reply. {@link ReplyFaults} makes an outcome of it again.
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

  private static void fail(Message<?> message, Throwable failure) {
    switch (failure) {
      case ScrException known -> message.fail(known.fault().number(), known.getMessage());
      case ReplyException _ -> {
        // A node that was asked on the way said why; hand that on rather than hide it behind an error of ours.
        ScrException passedOn = ReplyFaults.of(failure, "asked by " + message.address());
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

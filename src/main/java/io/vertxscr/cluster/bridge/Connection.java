package io.vertxscr.cluster.bridge;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetSocket;
import io.vertx.core.parsetools.RecordParser;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.protocol.Frames;
import io.vertxscr.protocol.ReplyFaults;
import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.Wire;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connected application. Reads frames, passes calls on, writes answers in the order in which they come.
 *
 * <p>Bounded: calls beyond {@link Limits#MAX_CALLS_IN_FLIGHT}, or beyond the bytes of {@link OpenCalls}, are answered
 * {@link Fault#BUSY}; a list of files beyond these bytes is dropped, and its dataset is not valid. An application that
 * does not read its answers is not read from until it does; unfinished frames of all connections share a
 * {@link FrameBudget}. An object takes more memory than its two bytes of text, so a frame of nothing but small values
 * is refused. Runs on the event loop of its socket.
 *
 * <p>A ping is answered once the node's loop has answered: a pong says that calls are served, not only that bytes are.
 */
final class Connection implements FrameBudget.Reader {
  /** Limit of a frame before the token, so that strangers cannot occupy megabytes. */
  private static final int MAX_STRANGER_BYTES = 1024;
  /** Values that a frame of any size may have, and bytes that each further one must have on average. */
  private static final int FEW_VALUES = 64;
  private static final int VALUE_BYTES = 3;
  private static final long FOREVER_MS = TimeUnit.DAYS.toMillis(365);
  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

  private final NetSocket socket;
  private final Vertx vertx;
  private final String node;
  private final DeliveryOptions delivery;
  private final RecordParser parser;
  private final FrameBudget.Shares budgets;
  private final OpenCalls calls;
  private final Runnable proven;
  private Optional<TokenFile> needed;
  private int announced;
  private boolean readingLength = true;
  private boolean ended;
  private int inFlight;
  private int pings;

  /**
   * @param needed what the first frame must show; empty where the socket belongs to its owner anyway
   * @param proven called when it has shown that
   */
  Connection(NetSocket socket, Vertx vertx, String node, String clientId, FrameBudget.Shares budgets,
      OpenCalls calls, Optional<TokenFile> needed, Runnable proven) {
    this.budgets = budgets;
    this.calls = calls;
    this.needed = needed;
    this.proven = proven;
    this.socket = socket;
    this.vertx = vertx;
    this.node = node;
    // Local only: the socket belongs to one node, so a call need not ask the cluster for its address.
    this.delivery = new DeliveryOptions().setLocalOnly(true).setSendTimeout(FOREVER_MS)
        .addHeader(Addresses.CLIENT_HEADER, clientId);
    this.parser = RecordParser.newFixed(Frames.LENGTH_BYTES, socket).exceptionHandler(
        e -> LOG.debug("Application connection failed", e));
    // Space for the answers to all open calls: no deadlock with a client that writes before it reads.
    socket.setWriteQueueMaxSize(Limits.MAX_MESSAGE_BYTES);
    parser.handler(this::onRecord);
  }

  private void onRecord(Buffer record) {
    if (ended || record.length() < (readingLength ? Frames.LENGTH_BYTES : announced)) {
      return;                                             // the parser gives what is left at the end of the stream
    }
    if (readingLength) {
      int bytes = record.getInt(0);
      int most = needed.isPresent() ? MAX_STRANGER_BYTES : Limits.MAX_MESSAGE_BYTES;
      if (bytes < 1 || bytes > most) {
        end("a frame of " + bytes + " bytes; expected 1 to " + most);
        return;
      }
      readingLength = false;
      announced = bytes;
      if (budgets.of(bytes).reserve(this, bytes)) {
        parser.fixedSizeMode(bytes);
      } else {
        parser.pause();                                   // the rest of what it sends stays where it is
      }
    } else {
      readingLength = true;
      parser.fixedSizeMode(Frames.LENGTH_BYTES);
      budgets.release(this);
      onJson(record.getBytes());
    }
  }

  @Override
  public void admitted() {
    parser.fixedSizeMode(announced);
    vertx.runOnContext(_ -> parser.resume());             // not from within another connection's work
  }

  @Override
  public void givenUp() {
    end("the first bytes of a frame of " + announced + ", the rest of which did not come while others waited");
    closed();
  }

  private void onJson(byte[] json) {
    int values = values(json);
    if (values > FEW_VALUES + json.length / VALUE_BYTES) {
      end("a frame of " + values + " values in " + json.length + " bytes");
      return;
    }
    JsonObject frame;
    try {
      frame = Wire.decode(json);
    } catch (ScrException e) {
      end("a frame that is " + e.getMessage());
      return;
    }
    if (needed.isPresent()) {
      onStranger(frame, needed.get());
    } else {
      onFrame(frame, json.length);
    }
  }

  /** About as many as there are: each begins, or is preceded by, one of these. */
  private static int values(byte[] json) {
    int values = 0;
    for (byte one : json) {
      values += one == '{' || one == '[' || one == ',' ? 1 : 0;
    }
    return values;
  }

  private void onStranger(JsonObject frame, TokenFile token) {
    String shown = textOf(frame, "token");
    if (!Frames.TOKEN.equals(textOf(frame, "type")) || shown == null || !token.matches(shown)) {
      end("no frame of type token with the token of this daemon, first of all");
      return;
    }
    needed = Optional.empty();
    proven.run();
  }

  private void onFrame(JsonObject frame, int bytes) {
    String replyAddress = textOf(frame, "replyAddress");
    String type = textOf(frame, "type");
    switch (type) {
      case Frames.SEND -> answer(replyAddress, call(frame, bytes, replyAddress));
      case Frames.PING -> onPing();
      case "publish", "register", "unregister" -> answer(replyAddress, refused(Fault.NOT_AUTHORIZED,
          "access_denied: applications may send calls, not " + type));
      case null, default -> answer(replyAddress, refused(Fault.BAD_REQUEST, "unknown_type: " + type));
    }
  }

  private Future<JsonObject> call(JsonObject frame, int bytes, String replyAddress) {
    String address = textOf(frame, "address");
    if (address == null) {
      return refused(Fault.BAD_REQUEST, "missing_address: a call needs a field 'address' of text");
    }
    if (replyAddress == null) {
      return refused(Fault.BAD_REQUEST, "a call needs a field 'replyAddress' of text, where its answer goes");
    }
    if (!(frame.getValue("body") instanceof JsonObject body)) {
      return refused(Fault.BAD_REQUEST, "call to " + address + " needs a field 'body', a JSON object");
    }
    if (inFlight >= Limits.MAX_CALLS_IN_FLIGHT) {
      return refused(Fault.BUSY, inFlight + " calls of this application wait for their answers; nothing was done");
    }
    Optional<Verb> verb = Addresses.verbAt(node, address);
    if (verb.isEmpty()) {
      return refused(Fault.NOT_AUTHORIZED,
          "access_denied: " + address + " is not a verb for applications of node " + node);
    }
    int files = body.getValue("files") instanceof JsonArray list ? list.size() : 0;
    if (!calls.begin(bytes, files)) {
      String why = "calls of " + calls + " wait for their answers on node " + node + ": there is no memory for another "
          + OpenCalls.words(bytes, files);
      return verb.get() == Verb.COMPLETE_OUTPUT ? completeWithoutFiles(body, why)
          : refused(Fault.BUSY, why + "; nothing was done");
    }
    inFlight++;
    return (verb.get() == Verb.INIT ? unlessEnded() : Future.succeededFuture())
        .compose(_ -> request(verb.get(), body))
        .onComplete(_ -> {
          inFlight--;
          calls.end(bytes, files);
        });
  }

  /**
   * The other ranks wait for this one, and what they have sent stays here until it comes. So it comes, and its files do
   * not: the dataset is valid for none of them, and the run goes on.
   */
  private Future<JsonObject> completeWithoutFiles(JsonObject body, String why) {
    LOG.warn("A dataset will not be valid: {}", why);
    body.remove("files");
    body.put("valid", false);
    body.put("trouble", why + "; start the daemons with a larger heap (SCR_JAVA_OPTIONS=-Xmx1g)");
    inFlight++;
    return request(Verb.COMPLETE_OUTPUT, body).onComplete(_ -> inFlight--);
  }

  private Future<JsonObject> request(Verb verb, JsonObject body) {
    return vertx.eventBus().<JsonObject>request(Addresses.of(node, verb), body, delivery).map(Message::body);
  }

  /**
   * Waits until the selector has looked at all sockets again. A process that died while this daemon was stopped has
   * left its call and the end of its connection; only its call has been read yet. It must not arrive for a run, nor be
   * in the way of the process that is started after it.
   */
  private Future<Void> unlessEnded() {
    Promise<Void> looked = Promise.promise();
    // Timers are due at the earliest in the turn of the event loop after that in which they are set by a task.
    vertx.runOnContext(_ -> vertx.setTimer(1, _ -> {
      if (ended) {
        looked.fail(new ScrException(Fault.RANK_LOST, "the connection has ended"));
      } else {
        looked.complete();
      }
    }));
    return looked.future();
  }

  private void onPing() {
    pings = Math.min(pings + 1, Limits.MAX_CALLS_IN_FLIGHT);
    if (pings == 1) {
      request(Verb.ALIVE, new JsonObject()).onComplete(_ -> {   // where nobody serves, calls are answered so at once
        for (; pings > 0; pings--) {
          write(Frames.pong());
        }
      });
    }
  }

  /** The socket is closed: nothing of it counts any more. */
  void closed() {
    ended = true;
    budgets.release(this);
  }

  /** Ends it with this answer. */
  void refuse(ScrException why) {
    ended = true;
    socket.end(Buffer.buffer(Frames.encode(Frames.error(null, why))));
  }

  private void answer(String replyAddress, Future<JsonObject> outcome) {
    outcome.onSuccess(body -> write(Frames.message(replyAddress, body)))
        .onFailure(failure -> write(Frames.error(replyAddress, faultOf(failure))));
  }

  /** A node without a handler is not lost: the daemon that reports it is starting or stopping. */
  private ScrException faultOf(Throwable failure) {
    if (failure instanceof ReplyException reply && reply.failureType() == ReplyFailure.NO_HANDLERS) {
      return new ScrException(Fault.STOPPING, "node " + node + " takes no calls: it is starting or stopping");
    }
    return ReplyFaults.of(failure, node);
  }

  private void write(JsonObject frame) {
    if (ended) {
      return;
    }
    socket.write(Buffer.buffer(Frames.encode(frame)));
    if (socket.writeQueueFull()) {
      socket.pause();
      socket.drainHandler(_ -> socket.resume());
    }
  }

  private void end(String received) {
    ended = true;
    LOG.warn("Application sent {}; its connection is closed", received);
    socket.end(Buffer.buffer(Frames.encode(Frames.error(null,
        new ScrException(Fault.BAD_REQUEST, "received " + received + "; the connection is closed")))));
  }

  private static String textOf(JsonObject frame, String field) {
    return frame.getValue(field) instanceof String text ? text : null;
  }

  private static Future<JsonObject> refused(Fault fault, String message) {
    return Future.failedFuture(new ScrException(fault, message));
  }
}

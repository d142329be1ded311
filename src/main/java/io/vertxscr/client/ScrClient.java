package io.vertxscr.client;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.app.ConfigReply;
import io.vertxscr.protocol.app.DoneReply;
import io.vertxscr.protocol.app.DrainRequest;
import io.vertxscr.protocol.app.EventsRequest;
import io.vertxscr.protocol.app.InitReply;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.protocol.app.InitWaitRequest;
import io.vertxscr.protocol.app.OperatorRequest;
import io.vertxscr.protocol.app.ScrubRequest;
import io.vertxscr.protocol.app.StatusRequest;
import io.vertxscr.protocol.json.JsonRecords;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The asynchronous client of one rank: a connection to the daemon of its node. Plain programs take {@link Scr} instead.
 *
 * <p>All futures of this package fail with a {@link ScrException} only. They complete on a thread of the transport,
 * which must not be blocked. Any thread may call. Over the event bus: {@code new ScrClient(new BusTransport(..))}.
 */
public final class ScrClient {
  private final Transport transport;

  public ScrClient(Transport transport) {
    this.transport = Objects.requireNonNull(transport);
  }

  /**
   * Connects through the Unix socket of the node; needs no Vert.x instance. Fails as {@link SocketTransport#connect}.
   */
  public static ScrClient connect(Path socket) {
    return new ScrClient(SocketTransport.connect(socket));
  }

  /** Returns a no-op client for SCR_ENABLE=0: every call succeeds and does nothing. */
  public static ScrClient idle() {
    return new ScrClient(new IdleTransport());
  }

  /**
   * Joins the run. Collective: answered when all ranks are there and their restart is prepared. Fails with
   * {@link Fault#HALTED} where no run may begin; the message says so where the process is to end then.
   */
  public CompletableFuture<Session> init(InitRequest request) {
    CompletableFuture<Session> begun = FutureSteps.map(transport.request(Verb.INIT, JsonRecords.write(request)),
        json -> session(request, JsonRecords.read(json, InitReply.class)));
    return FutureSteps.onFailure(begun, failure -> Fault.of(failure) != Fault.HALT_EXIT ? failure
        : new ScrException(Fault.HALTED, failure.getMessage() + "; rank " + request.rank()
            + " is to exit (SCR_HALT_EXIT=1)"));
  }

  /**
   * Returns what an init that is not answered yet waits for, in sentences. None where another rank says so for all.
   * Fails with {@link Fault#NOT_AUTHORIZED} at a daemon of an earlier release.
   *
   * @param waitedSeconds how long it has waited
   */
  public CompletableFuture<List<String>> initWait(long waitedSeconds) {
    return FutureSteps.map(transport.request(Verb.INIT_WAIT, JsonRecords.write(new InitWaitRequest(waitedSeconds))),
        json -> JsonRecords.read(json, DoneReply.class).remarks().orElse(List.of()));
  }

  /**
   * Returns the value set for a run with these options: environment, files, calls; else empty. Fails with
   * BAD_CONFIGURATION for what init would refuse.
   *
   * @param query a parameter, such as {@code SCR_FLUSH}, or an entry and a field, such as {@code CKPT=0 TYPE}
   */
  public CompletableFuture<Optional<String>> config(ScrOptions options, String query) {
    return FutureSteps.map(transport.request(Verb.CONFIG, JsonRecords.write(options.query(query))),
        json -> JsonRecords.read(json, ConfigReply.class).value());
  }

  /** What the node says about itself and the run, as maps and lists; see docs/messages.md. */
  public CompletableFuture<Map<String, Object>> status() {
    return transport.request(Verb.STATUS, JsonRecords.write(new StatusRequest(Optional.of(true), Optional.empty())));
  }

  /** The same with what the caches of all nodes hold, in the form in which nodes tell each other. */
  public CompletableFuture<Map<String, Object>> statusWithCaches() {
    return transport.request(Verb.STATUS, JsonRecords.write(new StatusRequest(Optional.empty(), Optional.of(true))));
  }

  /**
   * What the background reads of all nodes have found, as maps and lists; see docs/messages.md.
   *
   * @param now whether all nodes read everything in their caches from now on
   * @param published whether the leader reads all published datasets from now on
   */
  public CompletableFuture<Map<String, Object>> scrub(boolean now, boolean published) {
    return transport.request(Verb.SCRUB, JsonRecords.write(new ScrubRequest(Optional.of(now), Optional.of(published))));
  }

  /** How far a node is drained, as a map; what the request wants has begun then. See docs/messages.md. */
  public CompletableFuture<Map<String, Object>> drain(DrainRequest request) {
    return transport.request(Verb.DRAIN, JsonRecords.write(request));
  }

  /** Has the leader flush or drop a dataset of the caches. A flush has begun then; it has not ended. */
  public CompletableFuture<Map<String, Object>> operate(OperatorRequest request) {
    return transport.request(Verb.OPERATE, JsonRecords.write(request));
  }

  /** Events of all nodes, and how far they go, as maps and lists; see docs/messages.md. */
  public CompletableFuture<Map<String, Object>> events(EventsRequest request) {
    return transport.request(Verb.EVENTS, JsonRecords.write(request));
  }

  /** Sets the listener for the loss of the node, called at once if it is lost already. */
  public void onClosed(Consumer<ScrException> listener) {
    transport.onClosed(listener);
  }

  /** Ends the connection. Before {@link Session#finish} this makes the rank a lost one, which ends the run for all. */
  public void close() {
    transport.close();
  }

  private Session session(InitRequest request, InitReply reply) {
    if (reply.version() != InitReply.VERSION) {
      throw new ScrException(Fault.BAD_REQUEST, "node " + reply.node() + " speaks version " + reply.version()
          + " of the messages, this client version " + InitReply.VERSION);
    }
    return new Session(transport, request, reply);
  }
}

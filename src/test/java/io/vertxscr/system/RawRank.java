package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.BusTransport;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Verb;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A rank that says what it likes: messages without the checks of the client. */
final class RawRank implements AutoCloseable {
  private final BusTransport transport;
  private final int rank;
  private long run = 1;
  private long calls;

  RawRank(Vertx vertx, String node, int rank) {
    this.transport = new BusTransport(vertx, node);
    this.rank = rank;
  }

  static JsonObject initBody(int rank, int ranks, String prefix, String jobName) {
    return new JsonObject().put("rank", rank).put("ranks", ranks).put("prefix", prefix).put("jobName", jobName);
  }

  Future<JsonObject> init(int ranks, Path prefix) {
    return init(initBody(rank, ranks, prefix.toString(), "test"));
  }

  Future<JsonObject> init(JsonObject body) {
    return request(Verb.INIT, body).onSuccess(reply -> run = reply.getLong("run"));
  }

  /** The next call. */
  Future<JsonObject> call(Verb verb) {
    return call(verb, new JsonObject());
  }

  Future<JsonObject> call(Verb verb, JsonObject fields) {
    calls++;
    return again(verb, fields);
  }

  /** The last call again, by its number. */
  Future<JsonObject> again(Verb verb, JsonObject fields) {
    return numbered(verb, calls, fields);
  }

  Future<JsonObject> numbered(Verb verb, long call, JsonObject fields) {
    JsonObject body = new JsonObject().put("run", run).put("rank", rank).put("call", call);
    if (verb == Verb.COMPLETE_OUTPUT || verb == Verb.COMPLETE_RESTART) {
      body.put("valid", true);
    }
    if (verb == Verb.CURRENT || verb == Verb.DROP || verb == Verb.DELETE) {
      body.put("name", "any");
    }
    if (verb == Verb.START_OUTPUT) {
      body.put("flags", 1);
    }
    return request(verb, body.mergeIn(fields));
  }

  Future<JsonObject> route(String name, Path workingDirectory) {
    return request(Verb.ROUTE, new JsonObject().put("run", run).put("rank", rank).put("name", name)
        .put("directory", workingDirectory.toString()));
  }

  private Future<JsonObject> request(Verb verb, JsonObject body) {
    return Future.fromCompletionStage(transport.request(verb, body.getMap())).map(JsonObject::new);
  }

  static JsonObject ok(Future<JsonObject> answer) throws TimeoutException {
    return answer.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
  }

  static void refused(Future<JsonObject> answer, Fault fault, String... named) throws TimeoutException {
    try {
      throw new AssertionError("not refused with " + fault + " but answered " + ok(answer));
    } catch (ScrException e) {
      assertThat(e.fault()).as(e.getMessage()).isEqualTo(fault);
      assertThat(e.getMessage()).contains(named);
    }
  }

  @Override
  public void close() {
    transport.close();
  }
}

package io.vertxscr.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DrainState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Job;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.AbortRequest;
import io.vertxscr.protocol.app.CallRequest;
import io.vertxscr.protocol.app.CompleteOutputRequest;
import io.vertxscr.protocol.app.CompleteReply;
import io.vertxscr.protocol.app.CompleteRequest;
import io.vertxscr.protocol.app.ConfigReply;
import io.vertxscr.protocol.app.ConfigRequest;
import io.vertxscr.protocol.app.DrainReply;
import io.vertxscr.protocol.app.DrainRequest;
import io.vertxscr.protocol.app.EventCursor;
import io.vertxscr.protocol.app.EventsRequest;
import io.vertxscr.protocol.app.HaveRestartReply;
import io.vertxscr.protocol.app.InitReply;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.protocol.app.NameRequest;
import io.vertxscr.protocol.app.NamedFile;
import io.vertxscr.protocol.app.RouteReply;
import io.vertxscr.protocol.app.RouteRequest;
import io.vertxscr.protocol.app.ScrubRequest;
import io.vertxscr.protocol.app.ShardReply;
import io.vertxscr.protocol.app.ShardRequest;
import io.vertxscr.protocol.app.StartOutputRequest;
import io.vertxscr.protocol.app.StartReply;
import io.vertxscr.protocol.node.Ack;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: a message means exactly what its record says, or is refused by the name of the field. */
class WireTest {
  private static final Map<String, Object> OF_WRONG_TYPE = Map.of("text", "x", "fraction", 1.5, "truth", true, "list",
      new JsonArray(), "object", new JsonObject(), "too large", Long.MAX_VALUE, "digits", "1", "number", 1);

  static Stream<Record> messages() {
    return Stream.concat(ofApplications(), NodeMessages.all().filter(message -> !message.equals(Ack.ACK)));
  }

  static Stream<Record> ofApplications() {
    return Stream.of(
        new ConfigReply(Optional.of("5")),
        new InitRequest(0, 4, "/p", "job", Optional.of(Map.of("SCR_FLUSH", "5")), Optional.of(List.of("CKPT=0"))),
        new ConfigRequest(Optional.of(Map.of("SCR_FLUSH", "5")), Optional.of(List.of()), Optional.of("SCR_FLUSH")),
        new InitRequest(3, 4, "/p", "job"),
        new InitReply(7, "n1", 1, "1.0"), new InitReply(7, "n1", 1, "1.0", Optional.of(List.of("anew"))),
        new EventCursor("n1", 0), new EventsRequest(Optional.of(List.of(new EventCursor("n1", 5))), 20),
        new CallRequest(7, 3, 1),
        new NameRequest(7, 3, 1, "a"),
        new AbortRequest(7, 3, "ValueError: no batch"),
        new CompleteRequest(7, 3, 2, true),
        new CompleteOutputRequest(7, 3, 2, true, Optional.of(List.of(new NamedFile("/p/a", "1/a"))), Optional.empty()),
        new CompleteOutputRequest(7, 3, 2, false, Optional.empty(), Optional.of("no memory")),
        new StartOutputRequest(7, 3, 2, Optional.of("a"), 3),
        new StartReply(1, "a", "/cache"),
        new StartReply(1, "a", "/cache", OptionalInt.of(1), Optional.of(List.of(new NamedFile("a", "a")))),
        new CompleteReply(1, "a"), HaveRestartReply.of(9, "b"),
        new RouteRequest(7, 3, "a/b", "/home"), new RouteReply("/cache/b"),
        new StartReply(1, "a", "/cache").writtenBy(4),
        new ShardRequest(7, 3, "a/b", "/home", OptionalInt.empty(), OptionalLong.empty(), OptionalLong.empty()),
        new ShardRequest(7, 3, "a/b", "/home", OptionalInt.of(9), OptionalLong.of(5), OptionalLong.of(1L << 40)),
        new ShardReply("/cache/b", 1L << 40, 5), new ScrubRequest(Optional.of(true), Optional.of(true)),
        DrainRequest.begin("n3", true), DrainRequest.cancel("n3"), DrainRequest.look("n3"),
        new DrainReply("n3", DrainState.DRAINED, 100, ""),
        new DrainReply("n3", DrainState.STOPPED, 43, "nodes are away").withLost(List.of(4, 7)));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void everyMessageComesBackAsItWas(Record message) {
    assertThat(Wire.read(Wire.write(message), message.getClass())).isEqualTo(message);
    assertThat(Wire.read(new JsonObject(Wire.write(message).encode()), message.getClass())).isEqualTo(message);
  }

  @ParameterizedTest
  @MethodSource("messages")
  void everyFieldIsNeededByNameUnlessOptional(Record message) {
    for (var component : message.getClass().getRecordComponents()) {
      if (component.getType() == Optional.class || component.getType() == OptionalInt.class
          || component.getType() == OptionalLong.class) {
        continue;
      }
      JsonObject without = Wire.write(message);
      without.remove(component.getName());
      assertRefused(without, message.getClass(), component.getName(), "is missing");
      assertRefused(without.copy().putNull(component.getName()), message.getClass(), component.getName());
    }
  }

  @ParameterizedTest
  @MethodSource("messages")
  void unknownFieldsAreRefusedByName(Record message) {
    assertRefused(Wire.write(message).put("surprise", 1), message.getClass(), "surprise", "is unknown");
  }

  @ParameterizedTest
  @MethodSource("messages")
  void noValueOfAnotherTypeIsTakenForAField(Record message) {
    JsonObject good = Wire.write(message);
    List<String> tried = new ArrayList<>();
    for (String field : good.fieldNames()) {
      OF_WRONG_TYPE.forEach((what, value) -> {
        Class<?> is = good.getValue(field).getClass();
        if (!sameKind(is, value)) {
          assertRefused(good.copy().put(field, value), message.getClass(), field);
          tried.add(field + " " + what);
        }
      });
    }
    assertThat(tried).isNotEmpty();
  }

  @Test
  void constructorsRefuseWhatIsOutOfRange() {
    List<JsonObject> bad = List.of(
        new JsonObject().put("rank", -1).put("ranks", 2).put("prefix", "/p").put("jobName", ""),
        new JsonObject().put("rank", 2).put("ranks", 2).put("prefix", "/p").put("jobName", ""),
        new JsonObject().put("rank", 0).put("ranks", 0).put("prefix", "/p").put("jobName", ""),
        new JsonObject().put("rank", 0).put("ranks", (1 << 20) + 1).put("prefix", "/p").put("jobName", ""),
        new JsonObject().put("rank", 0).put("ranks", 1).put("prefix", "p").put("jobName", ""),
        new JsonObject().put("rank", 0).put("ranks", 1).put("prefix", "").put("jobName", ""),
        new JsonObject().put("rank", 0).put("ranks", 1).put("prefix", "/" + "p".repeat(1023)).put("jobName", ""),
        new JsonObject().put("rank", 0).put("ranks", 1).put("prefix", "/p\0").put("jobName", ""));
    List<String> fields = List.of("rank", "rank", "ranks", "ranks", "prefix", "prefix", "prefix", "prefix");
    for (int i = 0; i < bad.size(); i++) {
      assertRefused(bad.get(i), InitRequest.class, fields.get(i));
    }
    JsonObject start = Wire.write(new StartOutputRequest(1, 0, 1, Optional.empty(), 1));
    assertThat(start.containsKey("name")).isFalse();
    for (int flags : new int[] {-1, 0, 4}) {
      assertRefused(start.copy().put("flags", flags), StartOutputRequest.class, "flags");
    }
    assertRefused(start.copy().put("name", ""), StartOutputRequest.class, "name");
    assertRefused(start.copy().put("call", 0), StartOutputRequest.class, "call");
    assertRefused(start.copy().put("run", 1L << 53), StartOutputRequest.class, "run");
    assertRefused(new JsonObject().put("available", true), HaveRestartReply.class, "dataset");
    assertRefused(new JsonObject().put("available", false).put("dataset", 1), HaveRestartReply.class, "dataset");
    assertThat(Wire.read(new JsonObject().put("available", false), HaveRestartReply.class))
        .isEqualTo(HaveRestartReply.NONE);
  }

  @Test
  void nestedRecordsOfTheDomainTravelAndAreRefusedByTheirPath() {
    RankFiles files = new RankFiles(2, List.of(
        new FileMeta("rank.2/a", "x/a", 1L << 40, OptionalInt.of(-5)),
        new FileMeta("rank.2/b", "x/b", 0, OptionalInt.empty()),
        new FileMeta("rank.2/d", "x/d", 7, OptionalInt.of(1)).asShared(),
        new FileMeta("rank.2/e", "x/e", 7, OptionalInt.of(1), Optional.of(new FileMeta.Stamp(0, 0, 0))).asShared(),
        new FileMeta("rank.2/c", "x/c", 0, OptionalInt.of(1), Optional.of(new FileMeta.Stamp(0640, -1L << 40, 5)))));
    DatasetDescriptor dataset = new DatasetDescriptor(1, "a", DatasetFlags.CHECKPOINT, 1, 1_700_000_000_000_000L,
        new Job("u", "j", "1", "c"), DatasetDescriptor.Totals.NONE);
    RedundancyHeader header = new RedundancyHeader(
        dataset, 4, new RedundancySet(List.of(0, 2)), 512, files, List.of(files));

    JsonObject json = Wire.write(header);

    assertThat(Wire.read(new JsonObject(json.encode()), RedundancyHeader.class)).isEqualTo(header);
    json.getJsonArray("partners").getJsonObject(0).remove("rank");
    assertRefused(json, RedundancyHeader.class, "partners[0].rank", "is missing");
  }

  @Test
  void noRowOfAFileIsTakenThatIsShorterOrLongerOrHasAnotherType() {
    FileMeta file = new FileMeta(
        "rank.2/a", "a", 1, OptionalInt.of(-5), Optional.of(new FileMeta.Stamp(0640, 1L << 33, 5)));
    JsonObject good = Wire.write(new RankFiles(2, List.of(file)));
    JsonArray row = good.getJsonArray("files").getJsonArray(0);
    assertThat(row.encode()).isEqualTo("[\"rank.2/a\",\"a\",1,-5,416,8589934592,5]");

    for (int values = 0; values < row.size(); values++) {
      if (values != 4) {                                  // so many have a file without a stamp
        assertRefused(withRow(new JsonArray(row.getList().subList(0, values))), RankFiles.class, "files[0]");
      }
      for (var wrong : OF_WRONG_TYPE.entrySet()) {
        JsonArray spoilt = row.copy().set(values, wrong.getValue());
        boolean stillGood = wrong.getValue() instanceof String && values < 2
            || wrong.getValue() instanceof Integer && values >= 2 || wrong.getValue() instanceof Long && values == 2
            || wrong.getValue() instanceof Long && values == 5;
        if (!stillGood) {
          assertRefused(withRow(spoilt), RankFiles.class, "files[0]");
        }
      }
    }
    for (Object surplus : List.of(1, false, "true")) {
      assertRefused(withRow(row.copy().add(surplus)), RankFiles.class, "files[0]");
    }
    assertRefused(withRow(row.copy().add(true).add(true)), RankFiles.class, "files[0]");
    assertRefused(withRow(new JsonObject()), RankFiles.class, "files[0]");
  }

  private static JsonObject withRow(Object row) {
    return new JsonObject().put("rank", 2).put("files", new JsonArray().add(row));
  }

  @Test
  void bytesTravelAsInVertx() {
    byte[] bytes = {(byte) 0xfb, (byte) 0xff, 0, 1};
    JsonObject json = Wire.write(new Bytes(bytes));
    assertThat(Wire.read(json, Bytes.class).content()).isEqualTo(bytes);
    assertThat(Wire.read(new JsonObject(json.encode()), Bytes.class).content()).isEqualTo(bytes);
  }

  @Test
  void aRecordWithoutComponentsIsAnEmptyObjectAndNothingElse() {
    assertThat(Wire.toBytes(Ack.ACK)).asString().isEqualTo("{}");
    assertThat(Wire.fromBytes("{}".getBytes(), Ack.class)).isEqualTo(Ack.ACK);
    assertThat(Wire.fromBytes(" { } ".getBytes(), Ack.class)).isEqualTo(Ack.ACK);
    for (String text : List.of("", "[]", "{", "{\"rank\":1}")) {
      assertThat(catchThrowableOfType(ScrException.class, () -> Wire.fromBytes(text.getBytes(), Ack.class))).as(text)
          .isNotNull().extracting(ScrException::fault).isEqualTo(Fault.BAD_REQUEST);
    }
  }

  @Test
  void textThatIsNotOneObjectIsRefused() {
    for (String text : List.of("", " ", "null", "1", "\"\"", "\"x\"", "[]", "[{}]", "{", "{}x", "{} {}", "{\"a\":}")) {
      assertThat(catchThrowableOfType(ScrException.class, () -> Wire.decode(text.getBytes()))).as(text)
          .isNotNull().extracting(ScrException::fault).isEqualTo(Fault.BAD_REQUEST);
    }
    JsonObject tree = new JsonObject()
        .put("ä", "\u0000€").put("a", new JsonArray().add(1).add(new JsonObject().putNull("b")));
    assertThat(Wire.decode(Wire.encode(tree))).isEqualTo(tree);
    assertThat(new JsonObject(new String(Wire.encode(tree)))).isEqualTo(tree);
  }

  record Bytes(byte[] content) {}

  private static boolean sameKind(Class<?> is, Object value) {
    boolean whole = value instanceof Integer || value instanceof Long;
    return is == value.getClass() || (Number.class.isAssignableFrom(is) && whole);
  }

  private static void assertRefused(JsonObject json, Class<?> type, String... words) {
    ScrException refused = catchThrowableOfType(ScrException.class, () -> Wire.read(json, type));
    assertThat(refused).as("%s from %s", type, json).isNotNull();
    assertThat(refused.fault()).isEqualTo(Fault.BAD_REQUEST);
    assertThat(refused.getMessage()).contains(words);
  }
}

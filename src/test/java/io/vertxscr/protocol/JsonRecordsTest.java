package io.vertxscr.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.HaveRestartReply;
import io.vertxscr.protocol.app.NeedCheckpointReply;
import io.vertxscr.protocol.json.JsonRecords;
import io.vertxscr.protocol.json.JsonText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: the client's own codec says and understands what the daemon's does, and is as strict. Field by field. */
class JsonRecordsTest {
  static Stream<Record> messages() {
    return Stream.concat(WireTest.ofApplications(), Stream.of(new ClientClosed("c"),
        new NeedCheckpointReply(true, OptionalLong.of(1L << 40), Optional.of(List.of("ü \"\\\n\t\r\u0001 €"))),
        HaveRestartReply.NONE));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void bothWriteTheSameBytes(Record message) {
    assertThat(new String(JsonText.write(JsonRecords.write(message)))).isEqualTo(new String(Wire.toBytes(message)));
    assertThat(new JsonObject(JsonRecords.write(message))).isEqualTo(Wire.write(message));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void eachReadsWhatTheOtherHasWritten(Record message) {
    assertThat(JsonRecords.read(JsonText.read(Wire.toBytes(message)), message.getClass())).isEqualTo(message);
    assertThat(Wire.fromBytes(JsonText.write(JsonRecords.write(message)), message.getClass())).isEqualTo(message);
  }

  @ParameterizedTest
  @MethodSource("messages")
  void bothRefuseTheSame(Record message) {
    List<String> tried = new ArrayList<>();
    Map<String, Object> good = JsonRecords.write(message);
    assertSameOutcome(with(good, "surprise", 1), message.getClass());
    for (var component : message.getClass().getRecordComponents()) {
      Map<String, Object> without = new LinkedHashMap<>(good);
      without.remove(component.getName());
      tried.add(assertSameOutcome(without, message.getClass()));
      for (Object other : new Object[] {null, "x", "", "1", 1.5, true, 1, -1, 1L << 31, 1L << 53, List.of(), List.of(1),
          List.of("a"), List.of(Map.of()), Map.of(), Map.of("SCR_A", "1"), Map.of("SCR_A", 1)}) {
        tried.add(assertSameOutcome(with(good, component.getName(), other), message.getClass()));
      }
    }
    assertThat(tried).contains("BAD_REQUEST");
  }

  /** The outcome of both: taken, or refused with the fault. */
  private static String assertSameOutcome(Map<String, Object> json, Class<?> type) {
    String ours = outcome(() -> JsonRecords.read(json, type));
    assertThat(ours).as("%s as %s", json, type).isEqualTo(outcome(() -> Wire.read(new JsonObject(json), type)));
    return ours.startsWith("taken") ? "taken" : ours;
  }

  private static String outcome(Supplier<Object> call) {
    try {
      return "taken as " + call.get();
    } catch (ScrException e) {
      return e.fault().name();
    }
  }

  private static Map<String, Object> with(Map<String, Object> good, String name, Object value) {
    Map<String, Object> spoilt = new LinkedHashMap<>(good);
    spoilt.put(name, value);
    return spoilt;
  }

  @Test
  void aRefusalNamesTheFieldByItsPath() {
    assertRefused(Map.of(), "NeedCheckpointReply: field 'need' is missing");
    assertRefused(Map.of("need", 1), "NeedCheckpointReply: field 'need' is refused: Integer where boolean belongs");
    assertRefused(Map.of("need", true, "more", 1), "NeedCheckpointReply: field 'more' is unknown");
    assertRefused(Map.of("need", true, "remarks", List.of("a", 1)),
        "NeedCheckpointReply: field 'remarks[1]' is refused: Integer where String belongs");
  }

  private static void assertRefused(Map<String, Object> json, String message) {
    ScrException refused =
        catchThrowableOfType(ScrException.class, () -> JsonRecords.read(json, NeedCheckpointReply.class));
    assertThat(refused.fault()).isEqualTo(Fault.BAD_REQUEST);
    assertThat(refused).hasMessage(message);
  }
}

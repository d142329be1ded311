package io.vertxscr.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: the client's JSON is that of the daemons, which is Jackson's. Method: both read and write the same. */
@Execution(ExecutionMode.CONCURRENT)
class JsonTextTest {
  @ParameterizedTest
  @ValueSource(strings = {"{}", " { } ", "{\"a\":[]}", "{\"a\" : [ 1 , -2 ,0 ]}", "{\"\":\"\"}",
      "{\"a\":1e3,\"b\":-0.5,\"c\":2E-2,\"d\":0,\"e\":-0}", "{\"a\":2147483647,\"b\":2147483648,\"c\":-2147483649}",
      "{\"a\":9223372036854775807,\"b\":9223372036854775808,\"c\":-9223372036854775809}",
      "{\"a\":true,\"b\":false,\"c\":null}", "{\"a\":1,\"a\":2}", "{\"a\":{\"b\":[{\"c\":[[]]}]}}\r\n\t",
      "{\"a\":\"\\u00fc\\ud83d\\ude00\\/\\b\\f\\n\\r\\t\\\\\\\"\"}", "{\"\u00fc\":\"\u20ac\ud83d\ude00\u007f\"}",
      // What is not one object of JSON:
      "", "null", "1", "[]", "\"a\"", "{", "}", "{}{}", "{},", "{a:1}", "{'a':1}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
      "{,}", "{\"a\":01}", "{\"a\":1.}", "{\"a\":.5}", "{\"a\":+1}", "{\"a\":-}", "{\"a\":1e}", "{\"a\":0x1}",
      "{\"a\":NaN}", "{\"a\":Infinity}", "{\"a\":tru}", "{\"a\":nul}", "{\"a\":[1,]}", "{\"a\":[1 2]}", "{\"a\":[}",
      "{\"a\":\"\n\"}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12g4\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"", "{\"a\":\"\\",
      "{/**/}", "{\"a\":1}//", "{\"a\":1 \"b\":2}", "{1:1}", "{\"a\":\u00a01}"})
  void itReadsWhatTheDaemonsReadAndRefusesWhatTheyRefuse(String text) {
    assertSame(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void itIsStrictAboutUtf8AndDepth() {
    byte[] good = "{\"a\":\"\u20ac\"}".getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < good.length; i++) {
      byte[] spoilt = good.clone();
      spoilt[i] = (byte) 0xff;
      assertThatThrownBy(() -> JsonText.read(spoilt)).isInstanceOf(ScrException.class);
    }
    for (int depth : new int[] {10, 999, 1000, 1001, 100_000}) {
      assertSame(("{\"a\":" + "[".repeat(depth - 1) + "]".repeat(depth - 1) + "}").getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Every text that is one change away from a good one. */
  @Test
  void everyChangedByteHasTheSameMeaningForBoth() {
    String message = "{\"type\":\"err\",\"address\":\"12\",\"code\":7,\"x\":[1.5,null,true,{\"y\":\"\\n\\u0041\"}]}";
    byte[] good = message.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < good.length; i++) {
      for (int value = 0; value < 128; value++) {
        byte[] changed = good.clone();
        changed[i] = (byte) value;
        assertSame(changed);
      }
    }
  }

  @Test
  void whatItWritesIsReadAsItWas() {
    long seed = Long.getLong("seed", 7);
    Random random = new Random(seed);
    for (int i = 0; i < 2000; i++) {
      Map<String, Object> object = object(random, 4);
      byte[] text = JsonText.write(object);
      assertThat(JsonText.read(text)).as("seed %s", seed).isEqualTo(object);
      assertThat(plain(Wire.decode(text))).as("seed %s", seed).isEqualTo(object);
    }
  }

  @Test
  void halfOfASurrogatePairIsRefused() {
    assertThatThrownBy(() -> JsonText.write(Map.of("a", "\ud83d")))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_REQUEST));
  }

  private static void assertSame(byte[] text) {
    Object theirs;
    try {
      theirs = plain(Wire.decode(text));
    } catch (ScrException e) {
      assertThatThrownBy(() -> JsonText.read(text)).as(new String(text, StandardCharsets.UTF_8))
          .isInstanceOfSatisfying(ScrException.class, refused -> assertThat(refused.fault()).isEqualTo(e.fault()))
          .hasMessageStartingWith("not a JSON object: ");
      return;
    }
    assertThat(JsonText.read(text)).as(new String(text, StandardCharsets.UTF_8)).isEqualTo(theirs);
  }

  private static Map<String, Object> object(Random random, int depth) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      object.put(text(random), value(random, depth - 1));
    }
    return object;
  }

  private static Object value(Random random, int depth) {
    return switch (random.nextInt(depth > 0 ? 8 : 6)) {
      case 0 -> null;
      case 1 -> random.nextBoolean();
      case 2 -> random.nextInt();
      case 3 -> (1L << 32) + random.nextInt();
      case 4 -> random.nextGaussian();
      case 5 -> text(random);
      case 6 -> object(random, depth);
      default -> new ArrayList<>(List.of(text(random), random.nextInt()));
    };
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(6); i > 0; i--) {
      text.appendCodePoint(new int[] {random.nextInt(128), random.nextInt(0xd800), 0x10000 + random.nextInt(999)}[
          random.nextInt(3)]);
    }
    return text.toString();
  }

  private static Object plain(Object value) {
    return switch (value) {
      case JsonObject object -> {
        Map<String, Object> plain = new LinkedHashMap<>();
        object.forEach(field -> plain.put(field.getKey(), plain(field.getValue())));
        yield plain;
      }
      case JsonArray array -> {
        List<Object> plain = new ArrayList<>();
        array.forEach(element -> plain.add(plain(element)));
        yield plain;
      }
      case null, default -> value;
    };
  }
}

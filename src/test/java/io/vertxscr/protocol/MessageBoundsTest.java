package io.vertxscr.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.management.ThreadMXBean;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.flush.CompressedSizes;
import io.vertxscr.protocol.node.run.Pulse;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: a member can say nothing that no message says. Method: every message between nodes, with each of its values
 * replaced in turn by what it cannot be. Each is refused by a fault and a short sentence, for memory in proportion to
 * the message.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class MessageBoundsTest {
  private static final JsonNodeFactory NEW = JsonNodeFactory.instance;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final Set<Fault> REFUSALS = Set.of(Fault.BAD_REQUEST, Fault.OUTSIDE_PREFIX, Fault.BAD_CONFIGURATION);
  private static final int MOST_BYTES_PER_BYTE = 100;
  private static final int MOST_BYTES = 8 << 20;
  private static final int LONG_LIST_BYTES = 4 << 20;
  private static final String GIANT = "x".repeat(2 << 20);
  /** Checksums have all values of 32 bits; nobody has made a call yet. */
  private static final Set<String> MAY_BE_MINUS_1 = Set.of("crcs", "forget");
  /** Counts of many leaders, rates without a limit, and what a site may set to as much as it wants. */
  private static final Set<String> MAY_BE_LARGEST =
      Set.of("version", "forming", "bytesPerSecond", "remainingMs", "sizeBytes");
  private static final Set<String> MAY_BE_FRACTION = Set.of("overheadPercent");
  /** Texts that have another text in them, which is checked when that is read. */
  private static final Set<String> MAY_BE_GIANT = Set.of("json");
  private static final Set<Integer> ROW_NUMBERS_OF_ANY_SIGN = Set.of(3, 5);

  static Stream<Record> messages() {
    return NodeMessages.all();
  }

  /** The first messages of all kinds load classes, which is no memory of theirs. */
  @BeforeAll
  static void readEach() {
    messages().forEach(message -> {
      Wire.fromBytes(Wire.toBytes(message), message.getClass());
      assertThat(refusal(() -> Wire.fromBytes(new byte[] {'['}, message.getClass()))).isEqualTo(Fault.BAD_REQUEST);
    });
  }

  /** Returns what is read, or nothing if it is refused as it should be. */
  private static <T> Optional<T> read(String what, byte[] text, Class<T> type) {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    try {
      return Optional.of(Wire.fromBytes(text, type));
    } catch (ScrException e) {
      assertThat(e.fault()).as(what).isIn(REFUSALS);
      assertThat(e.getMessage()).as(what).isNotBlank().hasSizeLessThan(8192);
      return Optional.empty();
    } catch (RuntimeException | Error e) {
      throw new AssertionError(what + " of " + type, e);
    } finally {
      long bytes = THREADS.getCurrentThreadAllocatedBytes() - before;
      assertThat(bytes).as("memory that %s of %s has taken", what, type)
          .isLessThan(MOST_BYTES + (long) MOST_BYTES_PER_BYTE * text.length);
    }
  }

  private static void assertRefused(String what, byte[] text, Class<?> type) {
    assertThat(read(what, text, type)).as("%s: %s", what, shown(text)).isEmpty();
  }

  private static String shown(byte[] text) {
    return new String(text, 0, Math.min(text.length, 2000), StandardCharsets.UTF_8);
  }

  private static HostileJson json(Record message) {
    return new HostileJson(Wire.toBytes(message));
  }

  /** The name of the field that a value is in, also in a list. */
  private static String field(HostileJson json, JsonPointer place) {
    JsonPointer up = place;
    while (json.at(up.head()) instanceof ArrayNode) {
      up = up.head();
    }
    return up.last().getMatchingProperty();
  }

  /** Index of a value in the row of a file; -1 elsewhere. */
  private static int inRow(HostileJson json, JsonPointer place) {
    boolean row = json.at(place.head()) instanceof ArrayNode parent && parent.size() >= 4 && parent.get(0).isTextual()
        && parent.get(2).isNumber();
    return row ? place.last().getMatchingIndex() : -1;
  }

  private static void collect(Object value, Set<Class<?>> types) {
    switch (value) {
      case Record message -> {
        types.add(message.getClass());
        for (RecordComponent component : message.getClass().getRecordComponents()) {
          try {
            component.getAccessor().setAccessible(true);
            collect(component.getAccessor().invoke(message), types);
          } catch (IllegalAccessException | InvocationTargetException e) {
            throw new AssertionError(e);
          }
        }
      }
      case Collection<?> all -> all.forEach(one -> collect(one, types));
      case Map<?, ?> all -> all.values().forEach(one -> collect(one, types));
      case Optional<?> one -> one.ifPresent(there -> collect(there, types));
      default -> {}
    }
  }

  @Test
  void everyRecordBetweenNodesIsTriedHere() {
    Set<Class<?>> tried = new HashSet<>();
    messages().forEach(message -> collect(message, tried));
    Set<String> records = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
        .importPackages("io.vertxscr.protocol.node").stream().filter(JavaClass::isRecord).map(JavaClass::getName)
        .collect(Collectors.toSet());
    assertThat(records).hasSizeGreaterThan(55);
    assertThat(tried).extracting(Class::getName).containsAll(records);
    assertThat(tried).containsAll(DomainChecks.types());
  }

  @ParameterizedTest
  @MethodSource("messages")
  void whatIsNoMessageOrMoreThanOneIsRefused(Record message) {
    byte[] good = Wire.toBytes(message);
    assertThat(Wire.fromBytes(good, message.getClass())).isEqualTo(message);
    for (String text : List.of("", " ", "null", "true", "0", "\"\"", "[]", "[null]", "[{}]", "\0", "{")) {
      assertRefused("the text", text.getBytes(StandardCharsets.UTF_8), message.getClass());
    }
    for (String more : List.of("x", "0", "null", "{}", "[]", "}", ",", "\0", "\"", new String(good))) {
      byte[] text = (new String(good, StandardCharsets.UTF_8) + more).getBytes(StandardCharsets.UTF_8);
      assertRefused("behind it " + shown(more.getBytes(StandardCharsets.UTF_8)), text, message.getClass());
    }
    for (int bytes = 0; bytes < good.length; bytes++) {
      assertRefused("the first " + bytes + " bytes", Arrays.copyOf(good, bytes), message.getClass());
    }
  }

  /** Where null is taken, it means what a missing value means. */
  @ParameterizedTest
  @MethodSource("messages")
  void noValueIsNullOrMissingThatMustBeThere(Record message) {
    HostileJson json = json(message);
    for (JsonPointer place : json.places()) {
      Optional<?> withNull = read("null at " + place, json.with(place, NEW.nullNode()), message.getClass());
      if (inRow(json, place) == 3) {
        assertThat(withNull).as("a file whose checksum is not known").isPresent();
      } else if (withNull.isPresent()) {
        assertThat(json.at(place.head())).as("no element is null at %s of %s", place, message)
            .isInstanceOf(ObjectNode.class);
        assertThat(read("nothing at " + place, json.with(place, null), message.getClass())).as("%s", place)
            .isEqualTo(withNull);
      }
      if (json.at(place) instanceof ArrayNode list) {
        assertRefused("[null] at " + place, json.with(place, NEW.arrayNode().addNull()), message.getClass());
        assertRefused("one null more at " + place, json.with(place, list.deepCopy().addNull()), message.getClass());
      } else if (json.at(place).isObject()) {
        assertRefused("a surplus null at " + place,
            json.with(place, ((ObjectNode) json.at(place).deepCopy()).putNull("x")), message.getClass());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("messages")
  void noNumberIsOutOfItsRange(Record message) {
    HostileJson json = json(message);
    for (JsonPointer place : json.places()) {
      if (json.at(place).isNumber()) {
        String field = field(json, place);
        boolean anySign = ROW_NUMBERS_OF_ANY_SIGN.contains(inRow(json, place));
        for (JsonNode number : List.of(NEW.numberNode(Long.MIN_VALUE), NEW.numberNode(-1),
            NEW.numberNode(Long.MAX_VALUE), NEW.numberNode(BigInteger.TWO.pow(63)), NEW.numberNode(1e300),
            NEW.numberNode(0.5), NEW.textNode("1"), NEW.booleanNode(true), NEW.arrayNode(), NEW.objectNode())) {
          boolean allowed = number.isDouble() && number.doubleValue() < 1 && MAY_BE_FRACTION.contains(field)
              || number.isInt() && (anySign || MAY_BE_MINUS_1.contains(field))
              || number.isLong() && inRow(json, place) == 5
              || number.isLong() && number.longValue() > 0 && MAY_BE_LARGEST.contains(field);
          if (allowed) {
            read(number + " at " + place, json.with(place, number), message.getClass());
          } else {
            assertRefused(number + " at " + place, json.with(place, number), message.getClass());
          }
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("messages")
  void noTextIsLongerThanItsBoundAndNoPathLeadsElsewhere(Record message) {
    HostileJson json = json(message);
    for (JsonPointer place : json.places()) {
      JsonNode value = json.at(place);
      if (value.isTextual() && !MAY_BE_GIANT.contains(field(json, place))) {
        assertRefused("a giant text at " + place, json.with(place, NEW.textNode(GIANT)), message.getClass());
        for (String odd : List.of("", "a\0b", "\u001b[2J\n")) {
          read("odd text at " + place, json.with(place, NEW.textNode(odd)), message.getClass());
        }
        if (value.textValue().startsWith("/")) {
          for (String path : List.of("", "relative", "../up", "/a\0b", "/" + "x".repeat(Limits.MAX_PATH_CHARS))) {
            assertRefused(path + " at " + place, json.with(place, NEW.textNode(path)), message.getClass());
          }
        }
        if (value.textValue().startsWith(NodeMessages.RELATIVE)) {
          for (String path : List.of("", "/etc/passwd", "..", "../up", "a/../../up", "a/..", "a\0b",
              "x".repeat(Limits.MAX_PATH_CHARS))) {
            assertRefused(path + " at " + place, json.with(place, NEW.textNode(path)), message.getClass());
          }
        }
      } else if (value instanceof ObjectNode object && !object.isEmpty()) {
        ObjectNode renamed = object.deepCopy();
        JsonNode first = renamed.remove(object.fieldNames().next());
        for (String name : List.of(GIANT, GIANT.substring(0, 20_000))) {
          assertRefused("a giant name at " + place,
              json.with(place, renamed.deepCopy().set(name, first)), message.getClass());
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("messages")
  void noListIsLongerThanItsBound(Record message) {
    HostileJson json = json(message);
    for (JsonPointer place : json.places()) {
      if (json.at(place) instanceof ArrayNode list && inRow(json, place.appendIndex(0)) < 0) {
        JsonNode one = list.isEmpty() ? NEW.numberNode(0) : list.get(0);
        int most = LONG_LIST_BYTES / (HostileJson.text(one).length + 1);
        int count = Math.min(most, (1 << 20) + 2);
        ArrayNode longer = NEW.arrayNode(count);
        IntStream.range(0, count).forEach(_ -> longer.add(one));
        byte[] text = json.with(place, longer);
        if (count < most) {
          assertRefused(count + " elements at " + place, text, message.getClass());
        } else {
          read(count + " elements at " + place, text, message.getClass());
        }
      }
    }
  }

  /** Empty lists in lists are what makes most of few bytes. */
  @Test
  void aTextOfMoreValuesOrBytesThanAMessageHasIsRefused() {
    String many = "[],".repeat(Limits.MAX_NODE_MESSAGE_TOKENS / 2) + "[]";
    assertRefused("many lists", ("{\"files\":[],\"storedBytes\":[" + many + "]}").getBytes(StandardCharsets.UTF_8),
        CompressedSizes.class);
    byte[] longer = new byte[Limits.MAX_NODE_MESSAGE_BYTES + 1];
    Arrays.fill(longer, (byte) ' ');
    assertRefused("a longer text than a message", longer, Pulse.class);
    String deep = "[".repeat(100_000);
    assertRefused("deep lists", ("{\"files\":" + deep).getBytes(StandardCharsets.UTF_8),
        CompressedSizes.class);
  }

  @Test
  void aBodyOfAnotherKindIsRefused() {
    Pulse pulse = new Pulse(0, 1, List.of(2), Optional.empty());
    assertThat(Wire.fromBody(Buffer.buffer(Wire.toBytes(pulse)), Pulse.class)).isEqualTo(pulse);
    for (Object body : new Object[] {null, "text", 1, new JsonObject(), new byte[1]}) {
      assertThat(refusal(() -> Wire.fromBody(body, Pulse.class))).isEqualTo(Fault.BAD_REQUEST);
    }
    for (Object body : new Object[] {null, "text", 1, Buffer.buffer("{}"), new byte[1]}) {
      assertThat(refusal(() -> Wire.fromCall(body, Pulse.class))).isEqualTo(Fault.BAD_REQUEST);
    }
  }

  private static Fault refusal(Runnable what) {
    try {
      what.run();
      throw new AssertionError("taken");
    } catch (ScrException e) {
      return e.fault();
    }
  }
}

package io.vertxscr.protocol;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** The JSON of a message, with a value changed that stays JSON: the message is read to that place. */
public final class HostileJson {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final JsonNodeFactory NEW = JsonNodeFactory.instance;
  private static final int MOST_CHANGES = 3;

  private final JsonNode root;
  private final List<JsonPointer> places = new ArrayList<>();

  /** @param text of a message as it should be */
  public HostileJson(byte[] text) {
    try {
      root = MAPPER.readTree(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    collect(root, JsonPointer.empty());
  }

  private void collect(JsonNode node, JsonPointer at) {
    if (!at.matches()) {
      places.add(at);
    }
    if (node instanceof ObjectNode object) {
      object.properties().forEach(field -> collect(field.getValue(), at.appendProperty(field.getKey())));
    }
    for (int i = 0; node instanceof ArrayNode && i < node.size(); i++) {
      collect(node.get(i), at.appendIndex(i));
    }
  }

  /** Of all values, but for the message itself. */
  List<JsonPointer> places() {
    return places;
  }

  JsonNode at(JsonPointer place) {
    return root.at(place);
  }

  /** The message with this value there; with none, without the field or element. */
  byte[] with(JsonPointer place, JsonNode value) {
    JsonNode changed = root.deepCopy();
    set(changed, place, value);
    return text(changed);
  }

  private static void set(JsonNode in, JsonPointer place, JsonNode value) {
    JsonNode parent = in.at(place.head());
    if (parent instanceof ObjectNode object) {
      String field = place.last().getMatchingProperty();
      if (value == null) {
        object.remove(field);
      } else {
        object.set(field, value);
      }
    } else if (parent instanceof ArrayNode array && array.has(place.last().getMatchingIndex())) {
      if (value == null) {
        array.remove(place.last().getMatchingIndex());
      } else {
        array.set(place.last().getMatchingIndex(), value);
      }
    }
  }

  static byte[] text(JsonNode node) {
    try {
      return MAPPER.writeValueAsBytes(node);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The message with one to three values replaced by hostile ones. @param path that is to be left alone */
  public byte[] next(SplittableRandom random, String path) {
    JsonNode changed = root.deepCopy();
    for (int changes = random.nextInt(MOST_CHANGES) + 1; changes > 0 && !places.isEmpty(); changes--) {
      set(changed, places.get(random.nextInt(places.size())), hostile(random, path));
    }
    return text(changed);
  }

  private JsonNode hostile(SplittableRandom random, String path) {
    return switch (random.nextInt(16)) {
      case 0 -> null;
      case 1 -> NEW.nullNode();
      case 2 -> NEW.numberNode(-1);
      case 3 -> NEW.numberNode(0);
      case 4 -> NEW.numberNode(Long.MAX_VALUE);
      case 5 -> NEW.numberNode(Long.MIN_VALUE);
      case 6 -> NEW.numberNode(BigInteger.TWO.pow(80));
      case 7 -> NEW.numberNode(0.5);
      case 8 -> NEW.textNode("");
      case 9 -> NEW.textNode("../../" + path);
      case 10 -> NEW.textNode(path);
      case 11 -> NEW.textNode("a\0b\u001b[2J\n");
      case 12 -> NEW.textNode("x".repeat(1 + random.nextInt(5000)));
      case 13 -> NEW.arrayNode().addNull();
      case 14 -> at(places.get(random.nextInt(places.size()))).deepCopy();
      default -> NEW.numberNode(random.nextInt(8));
    };
  }
}

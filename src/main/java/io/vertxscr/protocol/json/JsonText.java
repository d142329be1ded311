package io.vertxscr.protocol.json;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Objects to JSON text (RFC 8259) in UTF-8 and back.
 *
 * <p>In memory an object is a {@link Map} in the order of the text, an array a {@link java.util.List}, a whole number
 * an Integer, a Long or a BigInteger, the first of them that holds it, any other number a Double; null is null.
 */
public final class JsonText {
  private JsonText() {}

  /**
   * The object that this text says; where a name comes twice, the last one counts.
   *
   * @throws ScrException {@link Fault#BAD_REQUEST} if it is anything else than exactly one JSON object
   */
  public static Map<String, Object> read(byte[] utf8) {
    try {
      return new JsonReader(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString()).object();
    } catch (CharacterCodingException e) {
      throw new ScrException(Fault.BAD_REQUEST, "not a JSON object: not UTF-8", e);
    }
  }

  /**
   * The text of an object of maps with text as keys, lists, text, numbers, truth values and nulls.
   *
   * @throws ScrException {@link Fault#BAD_REQUEST} where a text has half of a surrogate pair, which UTF-8 cannot say
   */
  public static byte[] write(Map<String, ?> object) {
    StringBuilder text = new StringBuilder();
    append(text, object);
    try {
      ByteBuffer utf8 = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      byte[] bytes = new byte[utf8.remaining()];
      utf8.get(bytes);
      return bytes;
    } catch (CharacterCodingException e) {
      throw new ScrException(Fault.BAD_REQUEST, "a text is not Unicode: it has half of a surrogate pair", e);
    }
  }

  private static void append(StringBuilder text, Object value) {
    switch (value) {
      case null -> text.append("null");
      case String words -> appendQuoted(text, words);
      case Boolean truth -> text.append(truth);
      case Double number when !Double.isFinite(number) ->
          throw new IllegalArgumentException("JSON has no " + number);
      case Number number -> text.append(number);
      case Map<?, ?> object -> {
        char before = '{';
        for (Map.Entry<?, ?> field : object.entrySet()) {
          appendQuoted(text.append(before), (String) field.getKey());
          append(text.append(':'), field.getValue());
          before = ',';
        }
        text.append(object.isEmpty() ? "{}" : "}");
      }
      case Iterable<?> array -> {
        text.append('[');
        String before = "";
        for (Object element : array) {
          append(text.append(before), element);
          before = ",";
        }
        text.append(']');
      }
      default -> throw new IllegalArgumentException("JSON has no " + value.getClass());
    }
  }

  private static void appendQuoted(StringBuilder text, String words) {
    text.append('"');
    for (int i = 0; i < words.length(); i++) {
      char c = words.charAt(i);
      switch (c) {
        case '"', '\\' -> text.append('\\').append(c);
        case '\n' -> text.append("\\n");
        case '\t' -> text.append("\\t");
        case '\r' -> text.append("\\r");
        default -> {
          if (c < ' ') {
            text.append("\\u00").append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16));
          } else {
            text.append(c);
          }
        }
      }
    }
    text.append('"');
  }
}

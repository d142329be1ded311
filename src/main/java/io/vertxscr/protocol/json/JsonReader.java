package io.vertxscr.protocol.json;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A recursive-descent parser of one JSON text; strict, and no deeper than {@value #MAX_DEPTH} levels. One use. */
final class JsonReader {
  /** As the daemons' parser: far more than any message has, and far from the end of a thread's stack. */
  static final int MAX_DEPTH = 1000;
  /** A longer number means nothing to anybody, and takes quadratic time to read. */
  private static final int MAX_NUMBER_CHARS = 1000;
  private static final Pattern NUMBER = Pattern.compile("-?(?:0|[1-9][0-9]*+)(\\.[0-9]++)?([eE][+-]?[0-9]++)?");

  private final String text;
  private int at;
  private int depth;

  JsonReader(String text) {
    this.text = text;
  }

  /** The one object that the whole text is. */
  Map<String, Object> object() {
    skipSpace();
    Map<String, Object> object = readObject();
    skipSpace();
    if (at < text.length()) {
      throw refused("something follows it");
    }
    return object;
  }

  private Map<String, Object> readObject() {
    expect('{');
    enter();
    Map<String, Object> object = new LinkedHashMap<>();
    skipSpace();
    if (!skip('}')) {
      do {
        skipSpace();
        String name = readString();
        skipSpace();
        expect(':');
        object.put(name, readValue());
      } while (skip(','));
      expect('}');
    }
    depth--;
    return object;
  }

  private List<Object> readArray() {
    expect('[');
    enter();
    List<Object> array = new ArrayList<>();
    skipSpace();
    if (!skip(']')) {
      do {
        array.add(readValue());
      } while (skip(','));
      expect(']');
    }
    depth--;
    return array;
  }

  /** A value with the space around it. */
  private Object readValue() {
    skipSpace();
    Object value = switch (peek()) {
      case '{' -> readObject();
      case '[' -> readArray();
      case '"' -> readString();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> readNumber();
    };
    skipSpace();
    return value;
  }

  private Object word(String word, Object value) {
    if (!text.startsWith(word, at)) {
      throw refused("no value");
    }
    at += word.length();
    return value;
  }

  private Number readNumber() {
    Matcher number = NUMBER.matcher(text).region(at, text.length());
    if (!number.lookingAt() || number.end() - at > MAX_NUMBER_CHARS) {
      throw refused("no value");
    }
    at = number.end();
    if (number.group(1) != null || number.group(2) != null) {
      return Double.valueOf(number.group());
    }
    BigInteger whole = new BigInteger(number.group());
    if (whole.bitLength() >= Long.SIZE) {
      return whole;
    }
    long value = whole.longValue();
    if (value == (int) value) {
      return (int) value;
    }
    return value;
  }

  private String readString() {
    expect('"');
    StringBuilder words = new StringBuilder();
    while (true) {
      char c = next();
      if (c == '"') {
        return words.toString();
      }
      if (c < ' ') {
        throw refused("a control character in a text");
      }
      words.append(c == '\\' ? readEscape() : c);
    }
  }

  private char readEscape() {
    char c = next();
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> {
        int code = 0;
        for (int i = 0; i < 4; i++) {
          int digit = Character.digit(next(), 16);
          if (digit < 0) {
            throw refused("no escape");
          }
          code = 16 * code + digit;
        }
        yield (char) code;
      }
      default -> throw refused("no escape");
    };
  }

  private void enter() {
    if (++depth > MAX_DEPTH) {
      throw refused("more than " + MAX_DEPTH + " levels");
    }
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private boolean skip(char wanted) {
    if (at < text.length() && text.charAt(at) == wanted) {
      at++;
      return true;
    }
    return false;
  }

  private void expect(char wanted) {
    if (!skip(wanted)) {
      throw refused("no '" + wanted + "'");
    }
  }

  private char peek() {
    if (at >= text.length()) {
      throw refused("it ends");
    }
    return text.charAt(at);
  }

  private char next() {
    char c = peek();
    at++;
    return c;
  }

  private ScrException refused(String why) {
    return new ScrException(Fault.BAD_REQUEST, "not a JSON object: " + why + " at character " + at);
  }
}

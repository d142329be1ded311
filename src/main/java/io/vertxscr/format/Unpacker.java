package io.vertxscr.format;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;

/**
 * Decodes one packed hash from untrusted input. Every count is checked against the remaining bytes before its use, and
 * nesting is bounded, so memory stays in proportion to the input's length.
 */
final class Unpacker {
  /** The shortest element: an empty key's NUL and the count of a child without children. */
  private static final int LEAST_ELEMENT_BYTES = 1 + Integer.BYTES;
  private static final Hash LEFT_OUT = new Hash();

  private final CharsetDecoder utf8 = UTF_8.newDecoder();
  private final ByteBuffer in;
  private final String kind;
  private final Excerpt excerpt;

  /** @param in an array-backed buffer without offset: its positions are the byte numbers of messages */
  Unpacker(ByteBuffer in, String kind) {
    this(in, kind, Excerpt.WHOLE);
  }

  /** Decodes an excerpt; omitted parts are validated as hashes, but not kept. */
  Unpacker(ByteBuffer in, String kind, Excerpt excerpt) {
    this.in = in;
    this.kind = kind;
    this.excerpt = excerpt;
  }

  /** The hash, which must end where the buffer does. */
  Hash file() {
    Hash hash = hash(0, false);
    if (in.hasRemaining()) {
      throw corrupt(in.position(), in.remaining() + " bytes behind the hash");
    }
    return hash;
  }

  /** @param section whether this is the one of which only some children are wanted */
  private Hash hash(int depth, boolean section) {
    Hash hash = new Hash();
    long count = count(depth);
    for (long i = 0; i < count; i++) {
      int keyAt = in.position();
      String key = key();
      if (hash.children().containsKey(key)) {
        throw corrupt(keyAt, "key '" + key + "' stands twice in one hash");
      }
      if (section && !excerpt.wanted().test(key)) {
        skip(depth + 1);
        hash.put(key, LEFT_OUT);
      } else {
        hash.put(key, hash(depth + 1, depth == 0 && key.equals(excerpt.section())));
      }
    }
    return hash;
  }

  private void skip(int depth) {
    long count = count(depth);
    for (long i = 0; i < count; i++) {
      skipKey();
      skip(depth + 1);
    }
  }

  private void skipKey() {
    int from = in.position();
    while (in.hasRemaining()) {
      if (in.get() == 0) {
        return;
      }
    }
    throw corrupt(from, "key without its NUL");
  }

  private long count(int depth) {
    int at = in.position();
    if (in.remaining() < Integer.BYTES) {
      throw corrupt(at, "ends inside a count");
    }
    long count = Integer.toUnsignedLong(in.getInt());
    if (count > in.remaining() / LEAST_ELEMENT_BYTES) {
      throw corrupt(at, "count " + count + " runs past the end, only " + in.remaining() + " bytes follow");
    }
    if (count > 0 && depth == Limits.MAX_HASH_DEPTH) {
      throw corrupt(at, "nested deeper than " + Limits.MAX_HASH_DEPTH);
    }
    return count;
  }

  private String key() {
    int from = in.position();
    int to = from;
    boolean plain = true;
    while (to < in.limit() && in.get(to) != 0) {
      plain &= in.get(to) > 0;
      to++;
    }
    if (to == in.limit()) {
      throw corrupt(from, "key without its NUL");
    }
    if (plain) {                                          // nearly all: a byte for each character
      in.position(to + 1);
      return new String(in.array(), in.arrayOffset() + from, to - from, ISO_8859_1);
    }
    try {
      String key = utf8.decode(in.slice(from, to - from)).toString();
      in.position(to + 1);
      return key;
    } catch (CharacterCodingException e) {
      throw corrupt(from, "key is not UTF-8");
    }
  }

  private ScrException corrupt(int at, String what) {
    return HashFile.corrupt(kind, "byte " + at + ": " + what);
  }
}

package io.vertxscr.protocol;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import io.vertxscr.model.FileMeta.Stamp;
import io.vertxscr.model.FileMeta;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Compact form of files in messages: a row for each instead of an object. A dataset may have thousands of files for
 * each rank, and every node of a redundancy set gets all of them. Strict as all messages are.
 * <pre>
 *   ["rank.2/1/a.ckpt", "run7/out/a.ckpt", 524296, -1955822993,  420, 1312850690, 668536000]
 *    name               path               bytes   crc or null   mode, seconds, nanos: a stamp, or nothing
 * </pre>
 * One that another rank has written too, and counts, has {@code true} at its end.
 */
final class FileRows {
  private FileRows() {}

  /** To be added to a mapper. */
  static Module module() {
    return new SimpleModule()
        .addSerializer(FileMeta.class, new Writer())
        .addDeserializer(FileMeta.class, new Reader());
  }

  private static final class Writer extends StdSerializer<FileMeta> {
    private static final long serialVersionUID = 1L;

    Writer() {
      super(FileMeta.class);
    }

    @Override
    public void serialize(FileMeta file, JsonGenerator to, SerializerProvider provider) throws IOException {
      to.writeStartArray();
      to.writeString(file.name());
      to.writeString(file.path());
      to.writeNumber(file.bytes());
      if (file.crc().isPresent()) {
        to.writeNumber(file.crc().getAsInt());
      } else {
        to.writeNull();
      }
      if (file.stamp().isPresent()) {
        Stamp stamp = file.stamp().get();
        to.writeNumber(stamp.mode());
        to.writeNumber(stamp.modifiedSeconds());
        to.writeNumber(stamp.modifiedNanos());
      }
      if (file.shared()) {
        to.writeBoolean(true);
      }
      to.writeEndArray();
    }
  }

  private static final class Reader extends StdDeserializer<FileMeta> {
    private static final long serialVersionUID = 1L;

    Reader() {
      super(FileMeta.class);
    }

    @Override
    public FileMeta deserialize(JsonParser from, DeserializationContext context) throws IOException {
      if (!from.isExpectedStartArrayToken()) {
        throw context.wrongTokenException(from, FileMeta.class, JsonToken.START_ARRAY, "a file is a row");
      }
      String name = text(from, context, "name");
      String path = text(from, context, "path");
      long bytes = number(from, from.nextToken(), context, "bytes");
      JsonToken crc = from.nextToken();
      OptionalInt known =
          crc == JsonToken.VALUE_NULL ? OptionalInt.empty() : OptionalInt.of(integer(from, crc, context, "crc"));
      Optional<Stamp> stamp = stamp(from, from.nextToken(), context);
      boolean shared = from.currentToken() == JsonToken.VALUE_TRUE;
      expect(shared ? from.nextToken() : from.currentToken(), JsonToken.END_ARRAY, from, context,
          "a file has 4 or 7 values, and true if it is shared");
      return checked(new FileMeta(name, path, bytes, known, stamp, shared));
    }

    /** Empty names are those of small files that stand for all of a rank. */
    private static FileMeta checked(FileMeta file) {
      if (!file.name().isEmpty() || !file.path().isEmpty()) {
        FieldChecks.inside("name", file.name());
        FieldChecks.inside("path", file.path());
      }
      FieldChecks.bytes("bytes", file.bytes());
      return file;
    }

    /** Leaves the parser at what follows. */
    private static Optional<Stamp> stamp(JsonParser from, JsonToken mode, DeserializationContext context)
        throws IOException {
      if (mode == JsonToken.END_ARRAY || mode == JsonToken.VALUE_TRUE) {
        return Optional.empty();
      }
      Stamp stamp = new Stamp(integer(from, mode, context, "mode"),
          number(from, from.nextToken(), context, "modifiedSeconds"),
          integer(from, from.nextToken(), context, "modifiedNanos"));
      from.nextToken();
      return Optional.of(stamp);
    }

    private static String text(JsonParser from, DeserializationContext context, String what) throws IOException {
      expect(from.nextToken(), JsonToken.VALUE_STRING, from, context, what);
      return from.getText();
    }

    private static int integer(JsonParser from, JsonToken token, DeserializationContext context, String what)
        throws IOException {
      expect(token, JsonToken.VALUE_NUMBER_INT, from, context, what);
      return from.getIntValue();                          // refuses what is out of range
    }

    private static long number(JsonParser from, JsonToken token, DeserializationContext context, String what)
        throws IOException {
      expect(token, JsonToken.VALUE_NUMBER_INT, from, context, what);
      return from.getLongValue();
    }

    private static void expect(JsonToken token, JsonToken wanted, JsonParser from, DeserializationContext context,
        String what) throws IOException {
      if (token != wanted) {
        throw context.wrongTokenException(from, FileMeta.class, wanted, what);
      }
    }
  }
}

package io.vertxscr.protocol;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.Base64Variants;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.ObjectCodec;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.core.json.jackson.VertxModule;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Messages, from records to JSON and back. One field for each component, by its name.
 *
 * <p>Strict, because a field that is not understood is a call that is not understood: unknown fields, missing fields,
 * null, also as an element of a list, fractions or strings where whole numbers belong, numbers out of range, and what
 * follows the record are refused with the name of the field. Only components of type {@link Optional} and the like may
 * be missing, or null; where empty, they are not written. A record's constructor may refuse with a {@link ScrException}
 * of its own, which is passed on; {@link DomainChecks} refuses for records that cannot know that they travel.
 *
 * <p>What a text makes of memory is in proportion to it: a text is at most as long as a message, and has at most
 * {@link Limits#MAX_NODE_MESSAGE_TOKENS}.
 *
 * <p>Byte arrays travel as base64url, as in {@link JsonObject}. Any thread; readers and writers are built once for each
 * type.
 */
public final class Wire {
  private static final int MAX_REFUSAL_CHARS = 2048;
  private static final Set<Class<?>> MAY_BE_MISSING =
      Set.of(Optional.class, OptionalInt.class, OptionalLong.class, OptionalDouble.class);

  private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
          .streamReadConstraints(StreamReadConstraints.builder()
              .maxStringLength(Limits.MAX_NODE_MESSAGE_BYTES).maxTokenCount(Limits.MAX_NODE_MESSAGE_TOKENS).build())
          .build())
      .addModule(new Jdk8Module())
      .addModule(new VertxModule())
      .addModule(FileRows.module())
      .addModule(new SimpleModule("checks").setDeserializerModifier(new DomainChecks()))
      .annotationIntrospector(new RequiredUnlessOptional())
      .defaultBase64Variant(Base64Variants.MODIFIED_FOR_URL)
      // Empty components are left out; nulls within JSON that passes through are kept.
      .defaultPropertyInclusion(JsonInclude.Value.construct(JsonInclude.Include.NON_ABSENT, JsonInclude.Include.ALWAYS))
      .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
      .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
      .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
      .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
      .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
      .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
      .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
      .withCoercionConfig(LogicalType.Textual, config -> config
          .setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
          .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
          .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
      .build();

  private static final ObjectReader TO_MAP =
      MAPPER.readerFor(LinkedHashMap.class).with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  private static final ObjectWriter FROM_JSON = MAPPER.writer();
  /** Of records, whose lists have no null elements; JSON that passes through may. */
  private static final JsonMapper STRICT = MAPPER.rebuild()
      .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
      .defaultSetterInfo(JsonSetter.Value.forContentNulls(Nulls.FAIL))
      .build();

  private static final ClassValue<ObjectReader> READERS = new ClassValue<>() {
    @Override
    protected ObjectReader computeValue(Class<?> type) {
      return STRICT.readerFor(type);
    }
  };

  private static final ClassValue<ObjectWriter> WRITERS = new ClassValue<>() {
    @Override
    protected ObjectWriter computeValue(Class<?> type) {
      return MAPPER.writerFor(type);
    }
  };

  private static final byte[] NOTHING = {'{', '}'};

  /** The only value of a record without components, as most answers between nodes are. */
  private static final ClassValue<Optional<Object>> ONLY = new ClassValue<>() {
    @Override
    protected Optional<Object> computeValue(Class<?> type) {
      return type.isRecord() && type.getRecordComponents().length == 0 ? Optional.of(parsed(NOTHING, type))
          : Optional.empty();
    }
  };

  private Wire() {}

  /**
   * The record that this JSON says.
   *
   * @throws ScrException {@link Fault#BAD_REQUEST} naming the field; or what the record's constructor threw
   */
  public static <T> T read(JsonObject json, Class<T> type) {
    if (json == null) {
      throw new ScrException(Fault.BAD_REQUEST, type.getSimpleName() + ": the message has no body");
    }
    try (TokenBuffer tokens = new TokenBuffer((ObjectCodec) MAPPER, false)) {
      FROM_JSON.writeValue(tokens, json);
      return READERS.get(type).readValue(tokens.asParser());
    } catch (IOException | ScrException e) {
      throw refusal(type, e);
    }
  }

  /** The JSON of a record. */
  public static JsonObject write(Object message) {
    try (TokenBuffer tokens = new TokenBuffer((ObjectCodec) MAPPER, false)) {
      WRITERS.get(message.getClass()).writeValue(tokens, message);
      Map<String, Object> fields = TO_MAP.readValue(tokens.asParser());
      return new JsonObject(fields);
    } catch (IOException e) {
      throw new IllegalStateException(message.getClass() + " cannot be written as JSON", e);
    }
  }

  /**
   * The object that this text says, in UTF-8.
   *
   * @throws ScrException {@link Fault#BAD_REQUEST} if it is anything else than exactly one JSON object
   */
  public static JsonObject decode(byte[] text) {
    try {
      Map<String, Object> fields = TO_MAP.readValue(text);
      if (fields != null) {
        return new JsonObject(fields);
      }
    } catch (JsonProcessingException e) {
      throw new ScrException(Fault.BAD_REQUEST, "not a JSON object: " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new ScrException(Fault.BAD_REQUEST, "not a JSON object: " + e.getMessage(), e);
    }
    throw new ScrException(Fault.BAD_REQUEST, "not a JSON object: null");
  }

  /**
   * The text of an object, in UTF-8. As {@link JsonObject#encode}, whose codec would start a logging system in every
   * small program.
   */
  public static byte[] encode(JsonObject json) {
    try {
      return FROM_JSON.writeValueAsBytes(json);
    } catch (IOException e) {
      throw new IllegalStateException("not writable as JSON: " + json.fieldNames(), e);
    }
  }

  /**
   * The record that these bytes of JSON text say; refuses as {@link #read} does.
   *
   * @throws ScrException {@link Fault#BAD_REQUEST} naming the field
   */
  public static <T> T fromBytes(byte[] text, Class<T> type) {
    Optional<Object> only = ONLY.get(type);
    return only.isPresent() && Arrays.equals(text, NOTHING) ? type.cast(only.get()) : parsed(text, type);
  }

  private static <T> T parsed(byte[] text, Class<T> type) {
    if (text.length > Limits.MAX_NODE_MESSAGE_BYTES) {
      throw new ScrException(Fault.BAD_REQUEST, type.getSimpleName() + ": a text of " + text.length + " bytes");
    }
    T read;
    try {
      read = READERS.get(type).readValue(text);
    } catch (IOException | ScrException e) {
      throw refusal(type, e);
    }
    if (read == null) {
      throw new ScrException(Fault.BAD_REQUEST, type.getSimpleName() + ": the message is null");
    }
    return read;
  }

  /**
   * The record that the body of a message between nodes says; refuses as {@link #read} does.
   *
   * @param body as the event bus gives it: of any kind, if a member wants so
   * @throws ScrException {@link Fault#BAD_REQUEST}
   */
  public static <T> T fromBody(Object body, Class<T> type) {
    if (body instanceof Buffer text) {
      return fromBytes(text.getBytes(), type);
    }
    throw new ScrException(Fault.BAD_REQUEST, type.getSimpleName() + ": the body of the message is "
        + (body == null ? "missing" : "a " + body.getClass().getSimpleName()) + ", expected bytes");
  }

  /** The same where an application calls: its body is a JSON object. */
  public static <T> T fromCall(Object body, Class<T> type) {
    if (body == null || body instanceof JsonObject) {
      return read((JsonObject) body, type);
    }
    throw new ScrException(Fault.BAD_REQUEST, type.getSimpleName() + ": the body of the message is a "
        + body.getClass().getSimpleName() + ", expected a JSON object");
  }

  /** The JSON text of a record: the short way between nodes, which need no tree in between. */
  public static byte[] toBytes(Object message) {
    if (ONLY.get(message.getClass()).isPresent()) {
      return NOTHING.clone();
    }
    try {
      return WRITERS.get(message.getClass()).writeValueAsBytes(message);
    } catch (IOException e) {
      throw new IllegalStateException(message.getClass() + " cannot be written as JSON", e);
    }
  }

  private static ScrException refusal(Class<?> type, Exception e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof ScrException refused) {
        String said = String.valueOf(refused.getMessage());
        return isBrief(said) ? refused : new ScrException(refused.fault(), brief(said));
      }
    }
    String where = e instanceof JsonMappingException mapping ? fieldOf(mapping) : "";
    return new ScrException(Fault.BAD_REQUEST, brief(type.getSimpleName() + ": " + where + reason(e)), e);
  }

  /** What is refused may be quoted, and is as long as its sender wants. */
  private static String brief(String refusal) {
    return isBrief(refusal) ? refusal : refusal.substring(0, MAX_REFUSAL_CHARS) + "...";
  }

  private static boolean isBrief(String refusal) {
    return refusal.length() <= MAX_REFUSAL_CHARS;
  }

  private static String fieldOf(JsonMappingException e) {
    String path = e.getPath().stream()
        .map(step -> step.getFieldName() == null ? "[" + step.getIndex() + "]" : "." + step.getFieldName())
        .collect(Collectors.joining());
    return path.isEmpty() ? "" : "field '" + (path.startsWith(".") ? path.substring(1) : path) + "' ";
  }

  private static String reason(Exception e) {
    if (e instanceof UnrecognizedPropertyException) {
      return "is unknown";
    }
    String message = e instanceof JsonProcessingException parsing ? parsing.getOriginalMessage() : e.getMessage();
    return message != null && message.startsWith("Missing") ? "is missing" : "is refused: " + message;
  }

  /** Every component must be there, but those whose type can say that it is not. */
  private static final class RequiredUnlessOptional extends JacksonAnnotationIntrospector {
    private static final long serialVersionUID = 1L;

    @Override
    public Boolean hasRequiredMarker(AnnotatedMember member) {
      return !MAY_BE_MISSING.contains(member.getRawType());
    }
  }
}

package io.vertxscr.protocol.json;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Messages of applications, from records to maps and back. The same fields as {@link io.vertxscr.protocol.Wire} has,
 * and as strict: unknown fields, missing fields, nulls, values of another type and numbers out of range are refused
 * with the name of the field. Only components of type {@link Optional} and the like may be missing.
 *
 * <p>Components are int, long, boolean, String, constants by their names, other records, lists and maps of these, and
 * optional ones. Any thread.
 */
public final class JsonRecords {
  private static final Set<Class<?>> OPTIONAL = Set.of(Optional.class, OptionalInt.class, OptionalLong.class);

  private static final ClassValue<Shape> SHAPES = new ClassValue<>() {
    @Override
    protected Shape computeValue(Class<?> type) {
      return Shape.of(type);
    }
  };

  private JsonRecords() {}

  /** What is looked up once for each type. */
  private record Shape(List<RecordComponent> components, Set<String> names, Constructor<?> constructor) {
    static Shape of(Class<?> type) {
      List<RecordComponent> components = List.of(type.getRecordComponents());
      try {
        return new Shape(components, Set.copyOf(components.stream().map(RecordComponent::getName).toList()),
            type.getDeclaredConstructor(components.stream().map(RecordComponent::getType).toArray(Class<?>[]::new)));
      } catch (NoSuchMethodException e) {
        throw new IllegalStateException("every record has its canonical constructor", e);
      }
    }
  }

  /** The fields of a record, in its order; empty ones are left out. */
  public static Map<String, Object> write(Record message) {
    Map<String, Object> json = new LinkedHashMap<>();
    for (RecordComponent component : SHAPES.get(message.getClass()).components()) {
      Object value;
      try {
        value = written(component.getAccessor().invoke(message));
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(message.getClass() + " cannot be written as JSON", e);
      }
      if (value != null) {
        json.put(component.getName(), value);
      }
    }
    return json;
  }

  /** Null where there is nothing. */
  private static Object written(Object value) {
    return switch (value) {
      case Optional<?> some -> some.isPresent() ? written(some.get()) : null;
      case OptionalInt some -> some.isPresent() ? some.getAsInt() : null;
      case OptionalLong some -> some.isPresent() ? some.getAsLong() : null;
      case Record message -> write(message);
      case List<?> list -> list.stream().map(JsonRecords::written).toList();
      case Map<?, ?> map -> {
        Map<Object, Object> fields = new LinkedHashMap<>();
        map.forEach((name, of) -> fields.put(name, written(of)));
        yield fields;
      }
      case String _, Integer _, Long _, Boolean _ -> value;
      case Enum<?> constant -> constant.name();
      default -> throw new IllegalArgumentException("no component of a message: " + value.getClass());
    };
  }

  /**
   * The record that this object says.
   *
   * @throws ScrException {@link Fault#BAD_REQUEST} naming the field; or what the record's constructor threw
   */
  public static <T> T read(Map<String, Object> json, Class<T> type) {
    return type.cast(record(type.getSimpleName() + ": ", "", json, type));
  }

  private static Object record(String message, String path, Map<?, ?> json, Class<?> type) {
    Shape shape = SHAPES.get(type);
    for (Object name : json.keySet()) {
      if (!shape.names().contains(name)) {
        throw refused(message, path + name, "is unknown");
      }
    }
    Object[] values = new Object[shape.components().size()];
    Arrays.setAll(values, i -> {
      RecordComponent component = shape.components().get(i);
      String field = path + component.getName();
      Object value = json.get(component.getName());
      if (value == null && !OPTIONAL.contains(component.getType())) {
        throw refused(message, field, json.containsKey(component.getName()) ? "is refused: null" : "is missing");
      }
      return read(message, field, value, component.getGenericType());
    });
    try {
      return shape.constructor().newInstance(values);
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof ScrException refused ? refused
          : new ScrException(Fault.BAD_REQUEST, message + e.getCause(), e);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(type + " cannot be made from JSON", e);
    }
  }

  private static Object read(String message, String field, Object value, Type type) {
    Class<?> kind = (Class<?>) (type instanceof ParameterizedType generic ? generic.getRawType() : type);
    if (kind == Optional.class) {
      return value == null ? Optional.empty() : Optional.of(read(message, field, value, argument(type, 0)));
    }
    if (kind == OptionalInt.class) {
      return value == null ? OptionalInt.empty() : OptionalInt.of((int) read(message, field, value, int.class));
    }
    if (kind == OptionalLong.class) {
      return value == null ? OptionalLong.empty() : OptionalLong.of((long) read(message, field, value, long.class));
    }
    if ((kind == int.class || kind == Integer.class) && value instanceof Integer
        || (kind == boolean.class || kind == Boolean.class) && value instanceof Boolean
        || kind == String.class && value instanceof String) {
      return value;
    }
    if (kind == long.class && (value instanceof Integer || value instanceof Long)) {
      return ((Number) value).longValue();
    }
    Optional<?> constant = kind.isEnum() ? Arrays.stream(kind.getEnumConstants())
        .filter(one -> ((Enum<?>) one).name().equals(value)).findFirst() : Optional.empty();
    if (constant.isPresent()) {
      return constant.get();
    }
    if (kind == List.class && value instanceof List<?> list) {
      List<Object> elements = new ArrayList<>();
      for (Object element : list) {
        elements.add(read(message, field + "[" + elements.size() + "]", element, argument(type, 0)));
      }
      return elements;
    }
    if (kind == Map.class && value instanceof Map<?, ?> map) {
      Map<Object, Object> fields = new LinkedHashMap<>();
      map.forEach((name, of) -> fields.put(name, read(message, field + "." + name, of, argument(type, 1))));
      return fields;
    }
    if (kind.isRecord() && value instanceof Map<?, ?> map) {
      return record(message, field + ".", map, kind);
    }
    throw refused(message, field, "is refused: " + (value == null ? "null" : value.getClass().getSimpleName()
        + " where " + kind.getSimpleName() + " belongs"));
  }

  private static Type argument(Type type, int index) {
    return ((ParameterizedType) type).getActualTypeArguments()[index];
  }

  private static ScrException refused(String message, String field, String why) {
    return new ScrException(Fault.BAD_REQUEST, message + "field '" + field + "' " + why);
  }
}

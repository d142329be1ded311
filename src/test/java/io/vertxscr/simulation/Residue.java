package io.vertxscr.simulation;

import io.vertxscr.service.Loop;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * What the objects of a daemon remember. These are the sizes of all collections that their fields hold, by class and
 * field.
 *
 * <p>Records are what they were made as, so what they hold is not counted; objects in it are looked into. What only a
 * lambda holds is not seen.
 */
final class Residue {
  private static final String PROGRAM = "io.vertxscr.";
  private static final String MODEL = Residue.class.getPackageName() + ".";
  private static final Map<Class<?>, List<Field>> FIELDS = new ConcurrentHashMap<>();

  private final Map<String, Integer> sizes = new TreeMap<>();
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Queue<Object> next = new ArrayDeque<>();

  private Residue() {}

  /** Returns the sizes of those that are not empty, below some objects of the program. */
  static Map<String, Integer> of(Collection<?> roots) {
    Residue found = new Residue();
    roots.forEach(found::reach);
    for (Object at = found.next.poll(); at != null; at = found.next.poll()) {
      found.look(at);
    }
    return found.sizes;
  }

  private void reach(Object value) {
    switch (value) {
      case null -> { }
      case Optional<?> some -> some.ifPresent(this::reach);
      case Map<?, ?> entries -> {
        if (seen.add(entries)) {
          entries.keySet().forEach(this::reach);
          entries.values().forEach(this::reach);
        }
      }
      case Collection<?> entries -> {
        if (seen.add(entries)) {
          entries.forEach(this::reach);
        }
      }
      default -> {
        String name = value.getClass().getName();
        boolean isOfProgram = name.startsWith(PROGRAM) && !name.startsWith(MODEL) && !value.getClass().isHidden()
            && !(value instanceof Enum<?>) && !(value instanceof Loop);
        if (isOfProgram && seen.add(value)) {
          next.add(value);
        }
      }
    }
  }

  private void look(Object at) {
    for (Field field : FIELDS.computeIfAbsent(at.getClass(), Residue::fields)) {
      Object value = valueOf(field, at);
      int size = value instanceof Map<?, ?> map ? map.size() : value instanceof Collection<?> some ? some.size() : 0;
      if (size > 0 && !at.getClass().isRecord()) {
        String name = field.getDeclaringClass().getName();
        sizes.merge(name.substring(name.lastIndexOf('.') + 1) + "." + field.getName(), size, Integer::sum);
      }
      reach(value);
    }
  }

  private static Object valueOf(Field field, Object of) {
    try {
      return field.get(of);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<Field> fields(Class<?> type) {
    Stream<Field> mine = Arrays.stream(type.getDeclaredFields())
        .filter(field -> !Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive());
    List<Field> all = Stream.concat(mine,
        type.getSuperclass().getName().startsWith(PROGRAM) ? fields(type.getSuperclass()).stream() : Stream.empty())
        .toList();
    all.forEach(field -> field.setAccessible(true));
    return all;
  }
}

package io.vertxscr.config;

import io.vertxscr.config.Layer.Said;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The value that each parameter has in the end, the entries, and where all that came from.
 *
 * @param values one for each parameter that has a value, in the order of {@link Parameter}
 * @param entries STORE by base, GROUPS by node, CKPT by number; each allowed store has one
 * @param ignored what has no effect, in sentences: names in the environment that look like ours and are not, with what
 *     may have been meant, and CKPT entries that are not used
 */
public record Effective(List<Value> values, List<DescriptorEntry> entries, List<String> ignored) {
  /** Source of defaults. */
  static final String DEFAULT = "default";

  /** One parameter's value and, in words, its source. */
  public record Value(Parameter parameter, String text, String source) {}

  /**
   * An entry such as {@code CKPT=0 TYPE=XOR}.
   *
   * @param place where it begins; empty for a store that only SCR_CACHE_BASE names
   */
  record DescriptorEntry(Section section, String key, SortedMap<String, Said> fields, String place) {
    DescriptorEntry {
      fields = Collections.unmodifiableSortedMap(new TreeMap<>(fields));
    }

    Optional<String> text(String field) {
      return Optional.ofNullable(fields.get(field)).map(Said::text);
    }

    int number(String field, int ifUnset) {
      return text(field).map(Integer::parseInt).orElse(ifUnset);
    }

    boolean flag(String field, boolean ifUnset) {
      return text(field).map("1"::equals).orElse(ifUnset);
    }

    OptionalLong bytes(String field) {
      return text(field).map(ByteSize::parse).orElse(OptionalLong.empty());
    }

    /** Returns the place of the setting, for messages. */
    String where() {
      return (place.isEmpty() ? "" : place + ": ") + section + "=" + key;
    }
  }

  public Effective {
    values = List.copyOf(values);
    entries = List.copyOf(entries);
    ignored = List.copyOf(ignored);
  }

  /** This parameter's value; empty where it has none. */
  public Optional<Value> value(Parameter parameter) {
    return values.stream().filter(v -> v.parameter() == parameter).findFirst();
  }

  /** Whether it is set by any source. */
  boolean isSet(Parameter parameter) {
    return value(parameter).filter(value -> !value.source().equals(DEFAULT)).isPresent();
  }

  /** Returns the set value with its place. */
  String said(Parameter parameter) {
    return value(parameter).map(value -> parameter + "=" + value.text() + " (" + value.source() + ")").orElse("");
  }

  /** Each value set by a source, with its place. */
  public List<String> lines() {
    return Stream.concat(
        values.stream().map(Value::parameter).filter(this::isSet).map(this::said),
        entries.stream().flatMap(entry -> entry.fields().entrySet().stream()
            .map(field -> entry.section() + "=" + entry.key() + " " + field.getKey() + "=" + field.getValue().text()
                + " (" + field.getValue().where() + ")"))).toList();
  }

  List<DescriptorEntry> of(Section section) {
    return entries.stream().filter(entry -> entry.section() == section).toList();
  }

  /** The text of its value; empty where it has none. */
  String text(Parameter parameter) {
    return value(parameter).map(Value::text).orElse("");
  }

  int number(Parameter parameter) {
    return Integer.parseInt(text(parameter));
  }

  long bytes(Parameter parameter) {
    return ByteSize.parse(text(parameter)).orElseThrow();  // checked with its kind
  }

  boolean flag(Parameter parameter) {
    return text(parameter).equals("1");
  }

  Path path(Parameter parameter) {
    return Path.of(text(parameter)).normalize();
  }
}

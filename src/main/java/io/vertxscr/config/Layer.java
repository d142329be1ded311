package io.vertxscr.config;

import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Settings of one source: a file, the environment of a process, the calls of an application.
 *
 * @param entries by section, key and field; a key may be there without fields
 * @param places where each entry begins, by section and key
 * @param others names without an effect, as they were written
 * @param remarks on what was said without an effect, or more than once, in sentences
 */
record Layer(Map<Parameter, Said> parameters, Map<Section, SortedMap<String, Map<String, Said>>> entries,
    Map<Section, Map<String, String>> places, Map<String, Said> others, List<String> remarks) {
  /** A value, interpolated and checked by its kind, and where it stands. */
  record Said(String text, String where) {}

  Layer {
    parameters = Collections.unmodifiableMap(new EnumMap<>(parameters));
    others = Map.copyOf(others);
    remarks = List.copyOf(remarks);
  }

  /** The entries of a section, by key. */
  SortedMap<String, Map<String, Said>> of(Section section) {
    return entries.getOrDefault(section, new TreeMap<>());
  }

  /** Returns the place of an entry's first setting; empty if it is not here. */
  Optional<String> place(Section section, String key) {
    return Optional.ofNullable(places.getOrDefault(section, Map.of()).get(key));
  }

  Optional<Said> said(Parameter parameter) {
    return Optional.ofNullable(parameters.get(parameter));
  }

  Optional<Said> said(Section section, String key, String field) {
    return Optional.ofNullable(of(section).getOrDefault(key, new LinkedHashMap<>()).get(field));
  }
}

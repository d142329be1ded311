package io.vertxscr.config;

import io.vertxscr.config.Layer.Said;
import io.vertxscr.config.policy.Checks;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads one layer of a configuration. A value that is not of its parameter's kind, and a name that looks like a known
 * one, are refused with {@link Fault#BAD_CONFIGURATION}, the place and the nearest known name; other names have no
 * effect, and a remark says so. Of what is said more than once the last counts. {@code $NAME} and {@code ${NAME}} are
 * replaced.
 */
final class LayerReader {
  /** Names in other releases of SCR, with our names for them. */
  private static final Map<String, String> FORMER =
      Map.of("SCR_XOR_SIZE", "SCR_SET_SIZE", "SCR_CONTROL_BASE", "SCR_CNTL_BASE");
  private static final Pattern VARIABLE =
      Pattern.compile("\\$(?:\\{(?<braced>[^}]*)}|(?<plain>[A-Za-z_][A-Za-z0-9_]*))");

  /** Value of a variable; null for none. */
  private final UnaryOperator<String> variables;
  /** Whether a later value replaces an earlier one without a remark, and an empty one takes it back. */
  private final boolean replaces;
  private final Map<Parameter, Said> parameters = new EnumMap<>(Parameter.class);
  private final Map<Section, SortedMap<String, Map<String, Said>>> entries = new EnumMap<>(Section.class);
  private final Map<Section, Map<String, String>> places = new EnumMap<>(Section.class);
  private final Map<String, Said> others = new TreeMap<>();
  private final List<String> remarks = new ArrayList<>();

  private LayerReader(UnaryOperator<String> variables, boolean replaces) {
    this.variables = variables;
    this.replaces = replaces;
  }

  /** The names of variables that a text refers to. */
  static List<String> variablesIn(String text) {
    return VARIABLE.matcher(text).results().map(LayerReader::name).toList();
  }

  private static String name(MatchResult variable) {
    return variable.group("braced") != null ? variable.group("braced") : variable.group("plain");
  }

  /** The parameters of an environment; what else is in there is left alone. */
  static Layer environment(Map<String, String> environment, UnaryOperator<String> variables, String where) {
    LayerReader reader = new LayerReader(variables, false);
    for (Parameter parameter : Parameter.values()) {
      String text = environment.getOrDefault(parameter.name(), "");
      if (!text.isEmpty()) {
        reader.parameter(parameter, text, where);
      }
    }
    return reader.layer();
  }

  /** The parameters and entries of a file. */
  static Layer file(ConfText text, UnaryOperator<String> variables) {
    ConfFile file = ConfFile.parse(text.place(), text.lines());
    LayerReader reader = new LayerReader(variables, false);
    file.lines().forEach(line -> reader.line(line.pairs(), file.place() + " line " + line.number()));
    return reader.layer();
  }

  /**
   * Reads the calls of an application in order. The last call of a parameter counts, an empty value undoes an earlier
   * one.
   */
  static Layer calls(List<String> calls, UnaryOperator<String> variables) {
    LayerReader reader = new LayerReader(variables, true);
    for (String call : calls) {
      String where = "config call \"" + call + "\"";
      ConfFile parsed = ConfFile.parse(where, List.of(call));
      if (parsed.lines().isEmpty()) {
        throw Checks.bad(where + ": expected KEY=VALUE");
      }
      reader.line(parsed.lines().getFirst().pairs(), where);
    }
    return reader.layer();
  }

  private Layer layer() {
    return new Layer(parameters, entries, places, others, remarks);
  }

  private void line(List<ConfFile.Pair> pairs, String where) {
    Optional<Section> section = Section.named(pairs.getFirst().key());
    if (section.isPresent()) {
      entry(section.get(), pairs, where);
      return;
    }
    if (WithoutEffect.named(pairs.getFirst().key()).filter(WithoutEffect::isEntry).isPresent()) {
      other(pairs.getFirst(), where);
      return;
    }
    for (ConfFile.Pair pair : pairs) {
      Parameter.named(pair.key()).ifPresentOrElse(
          parameter -> parameter(parameter, pair.value(), where), () -> other(pair, where));
    }
  }

  /** A name without an effect. */
  private void other(ConfFile.Pair pair, String where) {
    Optional<WithoutEffect> known = WithoutEffect.named(pair.key());
    if (known.isEmpty() && looksLikeKnown(pair.key())) {
      throw unknown(pair.key(), where);
    }
    if (replaces && pair.value().isEmpty()) {
      others.remove(pair.key());
      return;
    }
    others.put(pair.key(), new Said(pair.value(), where));
    remarks.add(known.map(one -> where + ": " + one + " has no effect here: " + one.reason())
        .orElseGet(() -> where + ": " + pair.key() + " has no effect: there is no such parameter"));
  }

  /** Whether a name that is not known may be meant for one that is. */
  static boolean looksLikeKnown(String name) {
    return Section.named(name).isPresent() || !hint(name, names()).isEmpty();
  }

  static ScrException unknown(String name, String where) {
    if (Section.named(name).isPresent()) {
      return Checks.bad(where + ": " + name + "=... must stand first on its line");
    }
    return Checks.bad(where + ": unknown parameter " + name + hint(name, names()));
  }

  private static List<String> names() {
    return Stream.of(Arrays.stream(Parameter.values()).map(Parameter::name), WithoutEffect.names().stream(),
        Arrays.stream(Section.values()).map(Section::name)).flatMap(names -> names).toList();
  }

  private static String hint(String name, Collection<String> known) {
    return FORMER.containsKey(name) ? "; it is called " + FORMER.get(name) + " here" : Nearest.hint(name, known);
  }

  private void parameter(Parameter parameter, String raw, String where) {
    String name = parameter.name();
    if (replaces && raw.isEmpty()) {
      parameters.remove(parameter);
      return;
    }
    String text = interpolate(raw, where);
    check(parameter.kind(), name, text, where);
    put(parameters, parameter, new Said(text, where), name);
  }

  private void entry(Section section, List<ConfFile.Pair> pairs, String where) {
    String key = interpolate(pairs.getFirst().value(), where);
    check(section.key(), section.name(), key, where);
    String known = section.key(key);
    Map<String, Said> fields = entries.computeIfAbsent(section, _ -> new TreeMap<>())
        .computeIfAbsent(known, _ -> new LinkedHashMap<>());
    places.computeIfAbsent(section, _ -> new TreeMap<>()).putIfAbsent(known, where);
    for (ConfFile.Pair pair : pairs.subList(1, pairs.size())) {
      Optional<Section.Field> field = section.field(pair.key());
      if (field.isPresent()) {
        field(fields, field.get(), pair.value(), where);
      } else {
        withoutEffect(section, pair.key(), where);
      }
    }
  }

  private void withoutEffect(Section section, String key, String where) {
    Optional<String> reason = section.withoutEffect(key);
    String hint = Nearest.hint(key, section.fieldNames());
    if (reason.isEmpty() && !hint.isEmpty()) {
      throw Checks.bad(where + ": " + section + " has no " + key + hint);
    }
    remarks.add(where + ": " + key + " has no effect here: " + reason.orElse(section + " has no such key"));
  }

  private void field(Map<String, Said> fields, Section.Field field, String raw, String where) {
    if (replaces && raw.isEmpty()) {
      fields.remove(field.name());
      return;
    }
    String text = interpolate(raw, where);
    check(field.kind(), field.name(), text, where);
    put(fields, field.name(), new Said(text, where), field.name());
  }

  private <K> void put(Map<K, Said> into, K key, Said said, String name) {
    Said earlier = into.put(key, said);
    if (earlier != null && !replaces) {
      remarks.add(said.where() + ": " + name + "=" + said.text() + " counts, and not " + name + "=" + earlier.text()
          + " before it (" + earlier.where() + ")");
    }
  }

  private static void check(Kind kind, String name, String text, String where) {
    kind.complaint(text).ifPresent(complaint -> {
      throw Checks.bad(where + ": " + name + "=" + text + ": " + complaint);
    });
  }

  private String interpolate(String text, String where) {
    Matcher variable = VARIABLE.matcher(text);
    return variable.replaceAll(match -> {
      String name = name(match);
      String value = variables.apply(name);
      if (value == null) {
        throw Checks.bad(where + ": '" + text + "' uses " + name + ", which the environment does not have");
      }
      return Matcher.quoteReplacement(value);
    });
  }

  /** Names that look like ours and are not, with what may have been meant. */
  static List<String> strangers(Collection<String> names, Collection<String> known) {
    List<String> parameters = Arrays.stream(Parameter.values()).map(Parameter::name).toList();
    return names.stream().sorted()
        .filter(name -> name.startsWith("SCR_") && !known.contains(name) && !parameters.contains(name))
        .map(name -> name + " in the environment " + WithoutEffect.named(name)
            .map(one -> "has no effect here: " + one.reason())
            .orElseGet(() -> "is not a parameter" + hint(name, parameters)))
        .toList();
  }
}

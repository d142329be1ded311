package io.vertxscr.config;

import io.vertxscr.config.Effective.Entry;
import io.vertxscr.config.Effective.Value;
import io.vertxscr.config.Layer.Said;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Decides whose word counts, and refuses what a user may not say. */
final class Resolver {
  private static final List<String> JOB_IDS = List.of("SLURM_JOB_ID", "FLUX_JOB_ID", "PBS_JOBID", "LSB_JOBID");
  /** What a user may say of a store: how much of it to use, not what it is. */
  private static final List<String> USERS_STORE_FIELDS = List.of("COUNT", "SIZE");

  private final Configuration all;
  private final Map<Parameter, Value> values = new EnumMap<>(Parameter.class);

  Resolver(Configuration all) {
    this.all = all;
  }

  Effective effective() {
    for (Parameter parameter : Parameter.values()) {
      ofSystem(parameter).ifPresent(value -> values.put(parameter, value));
    }
    SortedSet<String> bases = new TreeSet<>();
    all.system().forEach(layer -> bases.addAll(layer.of(Section.STORE).keySet()));
    bases.add(base(values.get(Parameter.SCR_CACHE_BASE).text()));
    all.user().forEach(layer -> checkUser(layer, bases));
    for (Parameter parameter : Parameter.values()) {
      said(all.user().stream(), parameter).ifPresent(value -> values.put(parameter, value));
    }
    List<Entry> entries = new ArrayList<>();
    bases.forEach(base -> entries.add(entry(Section.STORE, base, all.layers())));
    keys(Section.GROUPS).forEach(node -> entries.add(entry(Section.GROUPS, node, all.layers())));
    all.layers().filter(layer -> !layer.of(Section.CKPT).isEmpty()).findFirst().ifPresent(layer ->
        layer.of(Section.CKPT).keySet().stream().sorted((a, b) -> Integer.parseInt(a) - Integer.parseInt(b))
            .forEach(key -> entries.add(entry(Section.CKPT, key, Stream.of(layer)))));
    return new Effective(List.copyOf(values.values()), entries,
        Stream.concat(all.ignored().stream(), unused().stream()).toList());
  }

  /**
   * CKPT entries that somebody meant to be used: the user's own, and those of the system where nobody says how datasets
   * are protected. Else they are a choice that was not taken.
   */
  private Optional<String> unused() {
    Value type = values.get(Parameter.SCR_COPY_TYPE);
    return all.layers().filter(layer -> !layer.of(Section.CKPT).isEmpty()).findFirst()
        .filter(layer -> all.user().contains(layer) || type.source().equals(Effective.DEFAULT))
        .filter(_ -> !type.text().equalsIgnoreCase(DescriptorReader.FILE))
        .map(layer -> entry(Section.CKPT, layer.of(Section.CKPT).firstKey(), Stream.of(layer)).where()
            + ": no CKPT entry is used, because SCR_COPY_TYPE is " + type.text() + " (" + type.source()
            + "); with SCR_COPY_TYPE=FILE they are");
  }

  private Optional<Value> ofSystem(Parameter parameter) {
    return said(all.system().stream(), parameter).or(() -> builtIn(parameter));
  }

  private static Optional<Value> said(Stream<Layer> layers, Parameter parameter) {
    return layers.flatMap(layer -> layer.said(parameter).stream()).findFirst()
        .map(said -> new Value(parameter, said.text(), said.where()));
  }

  private void checkUser(Layer layer, SortedSet<String> bases) {
    layer.parameters().forEach((parameter, said) -> {
      Value system = values.get(parameter);
      if (parameter.scope() == Parameter.Scope.NODE && (system == null || !system.text().equals(said.text()))) {
        throw Checks.bad(said.where() + ": " + parameter + "=" + said.text() + ": only the system may set it"
            + (system == null ? "" : ", and it has " + system.text() + " (" + system.source() + ")"));
      }
      if (parameter.scope() == Parameter.Scope.PROCESS && layer != all.user().getFirst()) {
        checkProcess(parameter, said);
      }
      if (parameter.scope() == Parameter.Scope.LAUNCHER && layer == all.user().getLast()) {
        throw Checks.bad(said.where() + ": " + parameter + "=" + said.text() + ": scr run has read it already;"
            + " set it in its environment or in the user's file");
      }
      if (parameter == Parameter.SCR_CACHE_BASE) {
        checkBase(said.text(), "SCR_CACHE_BASE", said.where(), bases);
      }
    });
    layer.of(Section.STORE).forEach((base, fields) -> {
      String where = fields.values().stream().map(Said::where).findFirst().orElse("a store of the user");
      checkBase(base, "STORE", where, bases);
      fields.forEach((field, said) -> {
        if (!USERS_STORE_FIELDS.contains(field)) {
          throw Checks.bad(said.where() + ": STORE=" + base + " " + field + "=" + said.text()
              + ": only the system may say so");
        }
      });
    });
  }

  /** The processes have taken it from their environment already, and had SCR_ENABLE=1. */
  private void checkProcess(Parameter parameter, Said said) {
    String theirs = all.user().getFirst().said(parameter).map(Said::text).orElse(parameter.standard());
    if (!theirs.isEmpty() && !said.text().equals(theirs)) {
      throw Checks.bad(said.where() + ": " + parameter + "=" + said.text() + ": the processes have " + theirs
          + "; set it in their environment");
    }
  }

  private static void checkBase(String path, String name, String where, SortedSet<String> bases) {
    if (!bases.contains(base(path))) {
      throw Checks.bad(where + ": " + name + "=" + path + ": the system allows " + String.join(", ", bases)
          + "; others need a STORE line in its configuration");
    }
  }

  private SortedSet<String> keys(Section section) {
    SortedSet<String> keys = new TreeSet<>();
    all.layers().forEach(layer -> keys.addAll(layer.of(section).keySet()));
    return keys;
  }

  private static Entry entry(Section section, String key, Stream<Layer> layers) {
    SortedMap<String, Said> fields = new TreeMap<>();
    List<Layer> all = layers.toList();
    all.forEach(layer -> layer.of(section).getOrDefault(key, Map.of()).forEach(fields::putIfAbsent));
    return new Entry(section, key, fields,
        all.stream().flatMap(layer -> layer.place(section, key).stream()).findFirst().orElse(""));
  }

  private Optional<Value> builtIn(Parameter parameter) {
    List<String> names = switch (parameter) {
      case SCR_JOB_ID -> JOB_IDS;
      case SCR_USER_NAME -> List.of("USER", "LOGNAME");
      case SCR_END_TIME -> List.of("SLURM_JOB_END_TIME");
      default -> List.of();
    };
    for (String name : names) {
      String text = all.variables().getOrDefault(name, "");
      if (!text.isEmpty()) {
        return Optional.of(new Value(parameter, text, name));
      }
    }
    String standard = parameter == Parameter.SCR_USER_NAME ? System.getProperty("user.name") : parameter.standard();
    return standard.isEmpty() ? Optional.empty() : Optional.of(new Value(parameter, standard, Effective.DEFAULT));
  }

  private static String base(String path) {
    return Path.of(path).normalize().toString();
  }
}

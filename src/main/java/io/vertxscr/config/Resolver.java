package io.vertxscr.config;

import io.vertxscr.config.Effective.DescriptorEntry;
import io.vertxscr.config.Effective.Value;
import io.vertxscr.config.Layer.Said;
import io.vertxscr.config.policy.Checks;
import io.vertxscr.model.Limits;
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

/** Resolves precedence between sources, and reports settings that their source may not make. */
final class Resolver {
  private static final List<String> JOB_IDS = List.of("SLURM_JOB_ID", "FLUX_JOB_ID", "PBS_JOBID", "LSB_JOBID");

  private final Configuration all;
  private final Map<Parameter, Value> values = new EnumMap<>(Parameter.class);
  private final List<String> remarks;

  Resolver(Configuration all) {
    this.all = all;
    this.remarks = new ArrayList<>(all.ignored());
  }

  Effective effective() {
    for (Parameter parameter : Parameter.values()) {
      ofSystem(parameter).ifPresent(value -> values.put(parameter, value));
    }
    SortedSet<String> bases = new TreeSet<>();
    bases.add(base(values.get(Parameter.SCR_CACHE_BASE).text()));
    checkBases();
    all.user().forEach(this::tellOfOthers);
    for (Parameter parameter : Parameter.values()) {
      said(all.user().stream().filter(layer -> maySay(layer, parameter)), parameter)
          .ifPresent(value -> values.put(parameter, value));
    }
    bases.add(base(values.get(Parameter.SCR_CACHE_BASE).text()));
    bases.addAll(keys(Section.STORE));
    pieces().ifPresent(remarks::add);
    List<DescriptorEntry> entries = new ArrayList<>();
    bases.forEach(base -> entries.add(entry(Section.STORE, base, all.layers())));
    keys(Section.GROUPS).forEach(node -> entries.add(entry(Section.GROUPS, node, all.layers())));
    all.layers().filter(layer -> !layer.of(Section.CKPT).isEmpty()).findFirst().ifPresent(layer ->
        layer.of(Section.CKPT).keySet().stream().sorted((a, b) -> Integer.parseInt(a) - Integer.parseInt(b))
            .forEach(key -> entries.add(entry(Section.CKPT, key, Stream.of(layer)))));
    unused().ifPresent(remarks::add);
    return new Effective(List.copyOf(values.values()), entries, remarks);
  }

  /**
   * Checks that stores and control directories are below SCR_ALLOWED_BASES or the system file's own. That list is the
   * file's, where it has one: an environment is its user's, also that of a daemon.
   */
  private void checkBases() {
    boolean inFile = all.files().stream().anyMatch(file -> file.said(Parameter.SCR_ALLOWED_BASES).isPresent());
    List<Layer> trusted = inFile ? all.files() : all.system();
    Optional<Said> list = trusted.stream().flatMap(layer -> layer.said(Parameter.SCR_ALLOWED_BASES).stream())
        .findFirst();
    if (list.isEmpty()) {
      return;
    }
    SortedSet<String> allowed = new TreeSet<>();
    Stream.of(list.get().text().split(",")).forEach(path -> allowed.add(base(path.strip())));
    SortedSet<String> named = new TreeSet<>(allowed);
    trusted.forEach(layer -> named.addAll(wanted(layer).keySet()));
    all.layers().filter(layer -> !trusted.contains(layer)).forEach(layer -> wanted(layer).forEach((path, where) -> {
      boolean free = named.contains(path)
          || allowed.stream().anyMatch(above -> Path.of(path).startsWith(Path.of(above)));
      if (!free) {
        throw Checks.bad(where + "=" + path + ": the system allows " + String.join(", ", named)
            + " and what is below " + String.join(", ", allowed) + " (SCR_ALLOWED_BASES, " + list.get().where() + ")");
      }
    }));
  }

  /** Directories that a layer wants to be used, each with the place and the name under which it says so. */
  private SortedMap<String, String> wanted(Layer layer) {
    SortedMap<String, String> bases = new TreeMap<>();
    Stream.of(Parameter.SCR_CACHE_BASE, Parameter.SCR_CNTL_BASE)
        .filter(parameter -> all.system().contains(layer) || maySay(layer, parameter))
        .forEach(parameter -> layer.said(parameter)
            .ifPresent(said -> bases.put(base(said.text()), said.where() + ": " + parameter)));
    layer.of(Section.STORE).keySet().forEach(path ->
        bases.put(path, layer.place(Section.STORE, path).orElse("") + ": STORE"));
    layer.of(Section.CKPT).values().forEach(fields -> Optional.ofNullable(fields.get("STORE"))
        .ifPresent(said -> bases.putIfAbsent(base(said.text()), said.where() + ": STORE")));
    return bases;
  }

  /** Whether what a layer of the user says of a parameter has an effect. */
  private boolean maySay(Layer layer, Parameter parameter) {
    return switch (parameter.scope()) {
      case NODE -> false;
      case PROCESS -> layer == all.user().getFirst();
      case LAUNCHER -> layer != all.user().getLast();
      case RUN -> true;
    };
  }

  private void tellOfOthers(Layer layer) {
    layer.parameters().forEach((parameter, said) -> {
      if (!maySay(layer, parameter)) {
        String has = values.containsKey(parameter) ? values.get(parameter).text() : "";
        withoutEffect(parameter, said, has).ifPresent(why ->
            remarks.add(said.where() + ": " + parameter + "=" + said.text() + " has no effect: " + why));
      }
    });
  }

  /** Why; empty where it is so anyway. */
  private Optional<String> withoutEffect(Parameter parameter, Said said, String system) {
    return switch (parameter.scope()) {
      case NODE -> system.equals(said.text()) ? Optional.empty()
          : Optional.of("the daemons have read it when they started, and have "
              + (system.isEmpty() ? "none" : system + " (" + values.get(parameter).source() + ")"));
      case LAUNCHER -> Optional.of("scr run has read it already; set it in its environment or in the user's file");
      case PROCESS -> {
        String theirs = all.user().getFirst().said(parameter).map(Said::text).orElse(parameter.standard());
        yield theirs.isEmpty() || isSame(parameter, said.text(), theirs) ? Optional.empty()
            : Optional.of("the processes have " + theirs + "; set it in their environment");
      }
      case RUN -> Optional.empty();
    };
  }

  /** Processes send an absolute prefix, resolved against a working directory that is not known here. */
  private static boolean isSame(Parameter parameter, String said, String theirs) {
    if (parameter != Parameter.SCR_PREFIX || said.startsWith("/")) {
      return theirs.equals(said);
    }
    Path end = Path.of(said).normalize();
    while (end.startsWith("..")) {
      end = end.getNameCount() > 1 ? end.subpath(1, end.getNameCount()) : Path.of("");
    }
    return end.toString().isEmpty() || Path.of(theirs).endsWith(end);
  }

  private Optional<String> pieces() {
    Value said = values.get(Parameter.SCR_FILE_BUF_SIZE);
    long bytes = ByteSize.parse(said.text()).orElseThrow();
    return bytes >= Limits.MIN_PIECE_BYTES && bytes <= Limits.MAX_PIECE_BYTES ? Optional.empty()
        : Optional.of(said.parameter() + "=" + said.text() + " (" + said.source() + "): pieces have "
            + Limits.MIN_PIECE_BYTES + " to " + Limits.MAX_PIECE_BYTES + " bytes, the nearest counts");
  }

  /**
   * Reports unused CKPT entries. The user's own, and the system's if nobody sets how datasets are protected. Else they
   * are a choice that was not taken.
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

  private SortedSet<String> keys(Section section) {
    SortedSet<String> keys = new TreeSet<>();
    all.layers().forEach(layer -> keys.addAll(layer.of(section).keySet()));
    return keys;
  }

  private static DescriptorEntry entry(Section section, String key, Stream<Layer> layers) {
    SortedMap<String, Said> fields = new TreeMap<>();
    List<Layer> all = layers.toList();
    all.forEach(layer -> layer.of(section).getOrDefault(key, Map.of()).forEach(fields::putIfAbsent));
    return new DescriptorEntry(section, key, fields,
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

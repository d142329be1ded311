package io.vertxscr.config;

import io.vertxscr.config.Layer.Said;
import io.vertxscr.config.policy.Checks;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Configuration by source. The first source that sets a parameter has precedence:
 * <pre>
 *   the user's     environment of the application        sent by its client
 *                  file                                  SCR_CONF_FILE, else .scrconf in the prefix directory
 *                  calls                                 of the application, before it comes into its run
 *   the system's   environment of the daemon
 *                  file                                  --config of the daemon, else conf/scr.conf
 *   built in                                             {@link Parameter#standard}
 * </pre>
 * What is of the daemons has its effect in the system's places only (see {@link Parameter.Scope}).
 * STORE and GROUPS entries are put together field by field in that order, CKPT entries are those of the first that has
 * any. {@code $NAME} of a user's source is a variable of the application, or of the daemon of its node.
 *
 * @param user from the first to be heard; empty for the system's own view
 * @param system from the first to be heard
 * @param variables of the daemon
 * @param ignored what has no effect, in sentences. Names in an environment are never refused: other installations and
 *     launchers leave theirs there; those of the daemon's are in the system's own view only.
 */
public record Configuration(List<Layer> user, List<Layer> system, Map<String, String> variables,
    List<String> ignored) {
  /** Which {@code scr run} has started a daemon, in its environment. */
  public static final String LAUNCH = "SCR_LAUNCH";

  /** Names that the launcher, the logging and the clients of ranks understand: about one process. */
  private static final Set<String> OF_PROCESSES = Set.of("SCR_JAVA_HOME", "SCR_JAVA_OPTIONS", "SCR_HOME",
      "SCR_CONF_FILE", "SCR_AOT", "SCR_VECTOR", "SCR_ISAL", "SCR_LOG_LEVEL", "SCR_LOG_LEVEL_CLUSTER", "SCR_SOCKET",
      "SCR_RANK", "SCR_RANKS", "SCR_END_TIME", "SCR_NODELIST", LAUNCH);

  /**
   * Fields that may follow the key of an entry.
   *
   * @param entry such as {@code CKPT}
   * @param values that it takes, in words
   */
  public record EntryKey(String entry, String name, String values, String help) {}

  public Configuration {
    user = List.copyOf(user);
    system = List.copyOf(system);
    ignored = List.copyOf(ignored);
  }

  /** All keys of all entries of a file; the names of groups are free. */
  public static List<EntryKey> entryKeys() {
    return Stream.of(Section.values()).flatMap(section -> section.fields().stream()
        .map(field -> new EntryKey(section.name(), field.name(), field.kind().expected(), field.help()))).toList();
  }

  /**
   * Returns the configuration of the system alone.
   *
   * @throws ScrException {@link Fault#BAD_CONFIGURATION}, naming file, line and the nearest known name
   */
  public static Configuration ofSystem(Map<String, String> environment, Optional<Path> file) {
    UnaryOperator<String> variables = environment::get;
    List<Layer> layers = new ArrayList<>();
    layers.add(LayerReader.environment(environment, variables, "environment"));
    file.ifPresent(path -> layers.add(LayerReader.file(ConfText.read(path), variables)));
    return new Configuration(List.of(), layers, environment, remarks(environment, layers));
  }

  /** The configuration file of an installation, {@code conf/scr.conf} below SCR_HOME, if there is one. */
  public static Optional<Path> systemFile(Map<String, String> environment) {
    return Optional.ofNullable(environment.get("SCR_HOME"))
        .map(home -> Path.of(home, "conf", "scr.conf"))
        .filter(Files::exists);
  }

  /**
   * Returns the configuration with a user's settings, which have been made on this node. Reads the user's file: not for
   * event loops.
   *
   * @throws ScrException {@link Fault#BAD_CONFIGURATION}
   */
  public Configuration with(UserSettings settings) {
    return with(settings, settings.sources(settings.text(), variables));
  }

  /**
   * Returns the configuration with a user's settings. Nothing of the environment of this process is in it that the
   * system's configuration does not have.
   *
   * @param sources from the node where the settings have been made
   * @throws ScrException {@link Fault#BAD_CONFIGURATION}
   */
  public Configuration with(UserSettings settings, SettingsSources sources) {
    UnaryOperator<String> known =
        name -> settings.environment().getOrDefault(name, sources.variables().get(name));
    List<Layer> layers = new ArrayList<>();
    layers.add(LayerReader.environment(settings.environment(), known, "environment of the application"));
    sources.file().ifPresent(text -> layers.add(LayerReader.file(text, known)));
    layers.add(LayerReader.calls(settings.calls(), known));
    return new Configuration(layers, system, variables,
        remarks(settings.environment(), Stream.concat(layers.stream(), system.stream()).toList()));
  }

  private static List<String> remarks(Map<String, String> environment, List<Layer> layers) {
    return Stream.concat(LayerReader.strangers(environment.keySet(), OF_PROCESSES).stream(),
        layers.stream().flatMap(layer -> layer.remarks().stream())).toList();
  }

  /** @throws ScrException {@link Fault#BAD_CONFIGURATION} for a directory that the system does not allow */
  public Effective effective() {
    return new Resolver(this).effective();
  }

  /**
   * Answers a query for a set value; empty if it is not set, or cannot be. A name that looks like a known one is
   * refused.
   *
   * @param query a parameter, {@code SCR_FLUSH}, or a field of an entry, {@code CKPT=0 TYPE}
   */
  public Optional<String> said(String query) {
    String[] words = query.strip().split("\\s+");
    int equals = words[0].indexOf('=');
    if (words.length == 1 && equals < 0) {
      Optional<Parameter> parameter = Parameter.named(words[0]);
      Optional<String> other = layers().flatMap(layer -> Optional.ofNullable(layer.others().get(words[0])).stream())
          .findFirst().map(Said::text);
      if (parameter.isEmpty() && other.isEmpty() && WithoutEffect.named(words[0]).isEmpty()
          && LayerReader.looksLikeKnown(words[0])) {
        throw LayerReader.unknown(words[0], "config query");
      }
      return parameter.map(known -> layers().flatMap(layer -> layer.said(known).stream()).findFirst().map(Said::text))
          .orElse(other);
    }
    if (words.length != 2 || equals < 0 || words[1].indexOf('=') >= 0) {
      throw Checks.bad("config query \"" + query + "\": expected a parameter such as SCR_FLUSH, or an entry and a field"
          + " such as CKPT=0 TYPE");
    }
    String name = words[0].substring(0, equals);
    Section section = Section.named(name).orElseThrow(() -> LayerReader.unknown(name, "config query"));
    String key = section.key(words[0].substring(equals + 1));
    Stream<Layer> asked = section == Section.CKPT       // entries of others are not used, not even field by field
        ? layers().filter(layer -> !layer.of(section).isEmpty()).limit(1) : layers();
    return asked.flatMap(layer -> layer.said(section, key, words[1]).stream()).findFirst().map(Said::text);
  }

  /** The configuration files of the system. */
  List<Layer> files() {
    return system.subList(Math.min(1, system.size()), system.size());
  }

  Stream<Layer> layers() {
    return Stream.concat(user.stream(), system.stream());
  }
}

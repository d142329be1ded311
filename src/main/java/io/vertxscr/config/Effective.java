package io.vertxscr.config;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The value that each parameter has in the end, and where it came from: the environment, else the configuration file,
 * else the batch system (job id) or the login (user), else the value that is built in. {@code $NAME} and
 * {@code ${NAME}} in values are replaced from the environment.
 *
 * @param values one for each parameter that has a value, in the order of {@link Parameter}
 * @param ignored names in the environment that look like ours and are not, with what may have been meant. They are no
 *     error as those in a file are: other installations and launchers leave theirs there.
 */
public record Effective(List<Value> values, List<String> ignored) {
  /** One parameter's value and, in words, its source. */
  public record Value(Parameter parameter, String text, String source) {}

  private static final String ENVIRONMENT = "environment";
  private static final Pattern VARIABLE =
      Pattern.compile("\\$(?:\\{(?<braced>[^}]*)}|(?<plain>[A-Za-z_][A-Za-z0-9_]*))");
  private static final List<String> JOB_IDS = List.of("SLURM_JOB_ID", "FLUX_JOB_ID", "PBS_JOBID", "LSB_JOBID");
  /** Names that the launcher, the logging and the clients of ranks understand: about one process, not about a node. */
  private static final Set<String> OF_PROCESSES = Set.of("SCR_JAVA_HOME", "SCR_JAVA_OPTIONS",
      "SCR_HOME", "SCR_CONF_FILE", "SCR_AOT", "SCR_LOG_LEVEL", "SCR_LOG_LEVEL_CLUSTER",
      "SCR_SOCKET", "SCR_RANK", "SCR_RANKS");

  public Effective {
    values = List.copyOf(values);
    ignored = List.copyOf(ignored);
  }

  /** @throws ScrException {@link Fault#BAD_CONFIGURATION}, naming file, line and the nearest known name */
  public static Effective load(Map<String, String> environment, Optional<Path> systemFile) {
    Map<Parameter, Value> found = new EnumMap<>(Parameter.class);
    systemFile.map(ConfFile::read).ifPresent(file -> fromFile(file, environment, found));
    for (Parameter parameter : Parameter.values()) {
      String text = environment.getOrDefault(parameter.name(), "");
      if (!text.isEmpty()) {
        found.put(parameter, checked(parameter, interpolate(text, environment, ENVIRONMENT), ENVIRONMENT));
      } else if (!found.containsKey(parameter)) {
        builtIn(parameter, environment).ifPresent(value -> found.put(parameter, value));
      }
    }
    return new Effective(new ArrayList<>(found.values()), ignored(environment));
  }

  /** The configuration file in force: {@code SCR_CONF_FILE}, else {@code conf/scr.conf} of the installation, if any. */
  public static Optional<Path> systemFile(Map<String, String> environment) {
    String named = environment.getOrDefault("SCR_CONF_FILE", "");
    if (!named.isEmpty()) {
      return Optional.of(Path.of(named));
    }
    return Optional.ofNullable(environment.get("SCR_HOME"))
        .map(home -> Path.of(home, "conf", "scr.conf"))
        .filter(Files::exists);
  }

  /** This parameter's value; empty where it has none. */
  public Optional<Value> value(Parameter parameter) {
    return values.stream().filter(v -> v.parameter() == parameter).findFirst();
  }

  /** The text of its value; empty where it has none. */
  String text(Parameter parameter) {
    return value(parameter).map(Value::text).orElse("");
  }

  int number(Parameter parameter) {
    return Integer.parseInt(text(parameter));
  }

  boolean flag(Parameter parameter) {
    return text(parameter).equals("1");
  }

  Path path(Parameter parameter) {
    return Path.of(text(parameter)).normalize();
  }

  private static void fromFile(ConfFile file, Map<String, String> environment, Map<Parameter, Value> found) {
    for (ConfFile.Line line : file.lines()) {
      String where = file.file() + " line " + line.number();
      for (ConfFile.Pair pair : line.pairs()) {
        Parameter parameter = Parameter.named(pair.key())
            .orElseThrow(() -> bad(where + ": unknown parameter " + pair.key() + Nearest.hint(pair.key(), names())));
        Value earlier = found.get(parameter);
        if (earlier != null) {
          throw bad(where + ": " + pair.key() + " is set already by " + earlier.source());
        }
        found.put(parameter, checked(parameter, interpolate(pair.value(), environment, where), where));
      }
    }
  }

  private static Value checked(Parameter parameter, String text, String where) {
    parameter.kind().complaint(text).ifPresent(complaint -> {
      throw bad(where + ": " + parameter + "=" + text + ": " + complaint);
    });
    if (!parameter.supported() && !text.equalsIgnoreCase(parameter.standard())) {
      throw bad(where + ": " + parameter + "=" + text + ": not supported yet; leave it at "
          + (parameter.standard().isEmpty() ? "nothing" : parameter.standard()));
    }
    return new Value(parameter, text, where);
  }

  private static Optional<Value> builtIn(Parameter parameter, Map<String, String> environment) {
    List<String> variables = switch (parameter) {
      case SCR_JOB_ID -> JOB_IDS;
      case SCR_USER_NAME -> List.of("USER", "LOGNAME");
      default -> List.of();
    };
    for (String variable : variables) {
      String text = environment.getOrDefault(variable, "");
      if (!text.isEmpty()) {
        return Optional.of(new Value(parameter, text, variable));
      }
    }
    String standard = parameter == Parameter.SCR_USER_NAME ? System.getProperty("user.name") : parameter.standard();
    return standard.isEmpty() ? Optional.empty() : Optional.of(new Value(parameter, standard, "default"));
  }

  private static String interpolate(String text, Map<String, String> environment, String where) {
    Matcher variable = VARIABLE.matcher(text);
    return variable.replaceAll(match -> {
      String name = match.group("braced") != null ? match.group("braced") : match.group("plain");
      String value = environment.get(name);
      if (value == null) {
        throw bad(where + ": '" + text + "' uses " + name + ", which the environment does not have");
      }
      return Matcher.quoteReplacement(value);
    });
  }

  private static List<String> ignored(Map<String, String> environment) {
    return new TreeSet<>(environment.keySet()).stream()
        .filter(name -> name.startsWith("SCR_") && !OF_PROCESSES.contains(name) && Parameter.named(name).isEmpty())
        .map(name -> name + " in the environment is not a parameter" + Nearest.hint(name, names()))
        .toList();
  }

  private static List<String> names() {
    return Arrays.stream(Parameter.values()).map(Parameter::name).toList();
  }

  private static ScrException bad(String message) {
    return new ScrException(Fault.BAD_CONFIGURATION, message);
  }
}

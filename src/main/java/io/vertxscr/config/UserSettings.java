package io.vertxscr.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Settings of a run's user.
 *
 * @param prefix absolute path of the prefix directory; empty where it is not known yet
 * @param environment the SCR_* variables of the application; its SCR_PREFIX is the prefix, made absolute
 * @param calls of the application before it came into the run, in their order: {@code SCR_FLUSH=5},
 *     {@code CKPT=0 TYPE=XOR}, {@code SCR_FLUSH=} to take the first back
 * @param named text of the file that SCR_CONF_FILE names, where another node has read it
 */
public record UserSettings(Optional<Path> prefix, Map<String, String> environment, List<String> calls,
    Optional<ConfText> named) {
  private static final String NAMED = "SCR_CONF_FILE";
  private static final String IN_PREFIX = ".scrconf";

  public UserSettings {
    Map<String, String> copy = new TreeMap<>(environment);
    prefix.ifPresent(path -> copy.put(Parameter.SCR_PREFIX.name(), path.toString()));
    environment = copy;
    calls = List.copyOf(calls);
  }

  /** Settings whose file this process reads. */
  public UserSettings(Optional<Path> prefix, Map<String, String> environment, List<String> calls) {
    this(prefix, environment, calls, Optional.empty());
  }

  /** The file that SCR_CONF_FILE names. */
  public Optional<Path> namedFile() {
    return Optional.ofNullable(environment.get(NAMED)).filter(name -> !name.isEmpty())
        .map(name -> prefix.map(path -> path.resolve(name)).orElseGet(() -> Path.of(name)));
  }

  /** The user's file: SCR_CONF_FILE, which must exist, else {@code .scrconf} in the prefix. */
  public Optional<Path> file() {
    return namedFile().or(() -> prefix.map(path -> path.resolve(IN_PREFIX)).filter(Files::exists));
  }

  /** Returns the settings with what another node has read. */
  public UserSettings with(ConfText text) {
    return new UserSettings(prefix, environment, calls, Optional.of(text));
  }

  /** Returns the text of the user's file. Blocks where it is to be read. */
  Optional<ConfText> text() {
    return named.or(() -> file().map(ConfText::read));
  }
}

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
 */
public record UserSettings(Optional<Path> prefix, Map<String, String> environment, List<String> calls) {
  private static final String IN_PREFIX = ".scrconf";

  public UserSettings {
    Map<String, String> copy = new TreeMap<>(environment);
    prefix.ifPresent(path -> copy.put(Parameter.SCR_PREFIX.name(), path.toString()));
    environment = copy;
    calls = List.copyOf(calls);
  }

  /**
   * Returns the user's file. That is SCR_CONF_FILE, which must exist, else {@code .scrconf} in the prefix directory, if
   * present.
   */
  public Optional<Path> file() {
    String named = environment.getOrDefault("SCR_CONF_FILE", "");
    return named.isEmpty() ? prefix.map(path -> path.resolve(IN_PREFIX)).filter(Files::exists)
        : Optional.of(prefix.map(path -> path.resolve(named)).orElseGet(() -> Path.of(named)));
  }
}

package io.vertxscr.config;

import io.vertxscr.config.policy.UserFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Settings of a run's user, as the application has sent them.
 *
 * @param prefix absolute path of the prefix directory; empty where it is not known yet
 * @param environment the SCR_* variables of the application; its SCR_PREFIX is the prefix, made absolute
 * @param calls of the application before it came into the run, in their order: {@code SCR_FLUSH=5},
 *     {@code CKPT=0 TYPE=XOR}, {@code SCR_FLUSH=} to take the first back
 */
public record UserSettings(Optional<Path> prefix, Map<String, String> environment, List<String> calls) {
  private static final String NAMED = "SCR_CONF_FILE";
  private static final String IN_PREFIX = ".scrconf";

  public UserSettings {
    Map<String, String> copy = new TreeMap<>(environment);
    prefix.ifPresent(path -> copy.put(Parameter.SCR_PREFIX.name(), path.toString()));
    environment = copy;
    calls = List.copyOf(calls);
  }

  /** The file that SCR_CONF_FILE names. */
  private Optional<Path> named() {
    return Optional.ofNullable(environment.get(NAMED)).filter(name -> !name.isEmpty())
        .map(name -> prefix.map(path -> path.resolve(name)).orElseGet(() -> Path.of(name)));
  }

  /** The user's file: SCR_CONF_FILE, which must exist, else {@code .scrconf} in the prefix. Looks for that. */
  public Optional<Path> file() {
    return named().or(() -> prefix.map(path -> path.resolve(IN_PREFIX)).filter(Files::exists));
  }

  /** Where the user's file is, if there is one. */
  public Optional<Path> place() {
    return named().or(() -> prefix.map(path -> path.resolve(IN_PREFIX)));
  }

  /** The user's file, with what was read there. */
  public Optional<UserFile> file(Optional<ConfText> text) {
    return place().map(path -> new UserFile(path.toString(), text.map(ConfText::lines)));
  }

  /** Reads the user's file. Blocks. */
  public Optional<ConfText> text() {
    return file().map(ConfText::read);
  }

  /** @param daemon environment of the daemon of this node; of it only what is referred to is taken */
  public SettingsSources sources(Optional<ConfText> file, Map<String, String> daemon) {
    Map<String, String> used = new TreeMap<>();
    Stream.of(environment.values(), calls, file.map(ConfText::lines).orElse(List.of())).flatMap(Collection::stream)
        .flatMap(text -> LayerReader.variablesIn(text).stream())
        .filter(name -> !environment.containsKey(name) && daemon.containsKey(name))
        .forEach(name -> used.put(name, daemon.get(name)));
    return new SettingsSources(file, used);
  }
}

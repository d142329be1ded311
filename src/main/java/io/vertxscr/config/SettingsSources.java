package io.vertxscr.config;

import java.util.Map;
import java.util.Optional;

/**
 * What a user's settings refer to, as it is on the node where the application has made them.
 *
 * @param file the user's configuration file; empty if there is none
 * @param variables of the daemon of that node: those of {@link UserSettings} and file that the application has not
 *     sent, where they are set
 */
public record SettingsSources(Optional<ConfText> file, Map<String, String> variables) {
  public SettingsSources {
    variables = Map.copyOf(variables);
  }
}

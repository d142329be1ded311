package io.vertxscr.cli.text;

import java.io.Console;
import java.util.Map;

/**
 * Whether somebody looks on, and what may be drawn: the one place where the program decides that.
 *
 * @param interactive input and output are a terminal that can move its cursor
 * @param colours it is one, and the user has not set NO_COLOR (no-color.org)
 */
public record Terminal(boolean interactive, boolean colours) {
  /** The terminal of this process, in this environment. */
  public static Terminal of(Map<String, String> environment) {
    Console console = System.console();
    return of(environment, console != null && console.isTerminal());
  }

  /** @param isTerminal whether this process reads from and writes to a terminal */
  public static Terminal of(Map<String, String> environment, boolean isTerminal) {
    boolean interactive = isTerminal && !environment.getOrDefault("TERM", "dumb").equals("dumb");
    return new Terminal(interactive, interactive && environment.getOrDefault("NO_COLOR", "").isEmpty());
  }

  /** A line as this terminal shows it. */
  public String text(StyledLine line) {
    return colours ? line.coloured() : line.plain();
  }
}

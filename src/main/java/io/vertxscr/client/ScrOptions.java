package io.vertxscr.client;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.protocol.app.InitRequest;
import java.nio.file.Path;
import java.util.Map;

/**
 * How a process comes into its run.
 *
 * @param socket of the daemon on this node (SCR_SOCKET)
 * @param rank from 0 (SCR_RANK)
 * @param ranks size of the run (SCR_RANKS)
 * @param prefix prefix directory, made absolute (SCR_PREFIX)
 * @param jobName may be empty (SCR_JOB_NAME)
 */
public record ScrOptions(Path socket, int rank, int ranks, Path prefix, String jobName) {
  public ScrOptions {
    Addresses.socket(socket);
    prefix = prefix.toAbsolutePath().normalize();
  }

  /**
   * As the environment says.
   *
   * @throws ScrException {@link Fault#BAD_CONFIGURATION} naming the variable
   */
  public static ScrOptions of(Map<String, String> environment) {
    return new ScrOptions(
        Path.of(needed(environment, "SCR_SOCKET")),
        number(environment, "SCR_RANK"),
        number(environment, "SCR_RANKS"),
        Path.of(needed(environment, "SCR_PREFIX")),
        environment.getOrDefault("SCR_JOB_NAME", ""));
  }

  InitRequest init() {
    return new InitRequest(rank, ranks, prefix.toString(), jobName);
  }

  private static String needed(Map<String, String> environment, String name) {
    String value = environment.get(name);
    if (value == null || value.isEmpty()) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "environment variable " + name + " is not set");
    }
    return value;
  }

  private static int number(Map<String, String> environment, String name) {
    String value = needed(environment, name);
    try {
      return Integer.parseInt(value.strip());
    } catch (NumberFormatException e) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "environment variable " + name + " is '" + value
          + "', expected a whole number", e);
    }
  }
}

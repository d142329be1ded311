package io.vertxscr.launch;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The command line that runs a command on another host. Pure; the one place that quotes.
 *
 * <p>What ends in a shell over there (ssh, rsh) gets quoted words, what passes words on as they are (srun, flux,
 * blaunch) gets them so. Of anything else nobody knows: it gets only words that mean the same either way. A host is a
 * plain name, and never an option.
 */
public final class RemoteCommand {
  private static final Set<String> SHELLS = Set.of("ssh", "rsh");
  private static final Set<String> DIRECT = Set.of("srun", "flux", "blaunch");
  /** What no shell interprets. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:@%+,=-]+");

  private RemoteCommand() {}

  /**
   * Returns the words.
   *
   * @param remote words before the command; {@code {host}} stands for the host
   * @throws ScrException BAD_REQUEST for what cannot be a host; BAD_CONFIGURATION for a word that an unknown command
   *     might give to a shell
   */
  public static List<String> line(String remote, String host, List<String> command) {
    Names.node(host);
    List<String> line = new ArrayList<>();
    for (String word : remote.strip().split("\\s+")) {
      line.add(word.replace("{host}", host));
    }
    String by = line.getFirst().substring(line.getFirst().lastIndexOf('/') + 1);
    for (String word : command) {
      line.add(DIRECT.contains(by) ? word : SHELLS.contains(by) ? quoted(word) : plain(word, line.getFirst()));
    }
    return List.copyOf(line);
  }

  /** Returns a word as a shell reads it. */
  static String quoted(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  private static String plain(String word, String by) {
    if (!PLAIN.matcher(word).matches()) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "'" + word + "' cannot be passed on by " + by + ": a shell might"
          + " interpret it, and only of ssh, rsh, srun, flux and blaunch is known whether there is one");
    }
    return word;
  }
}

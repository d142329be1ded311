package io.vertxscr.launch;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The command of the user, {@code srun -n 512 ./program}, and how its launcher is told to leave nodes out. A launcher
 * that is not known here, such as a script, is started as it is and reads {@code SCR_NODELIST}.
 *
 * @param words launcher and arguments
 * @param launcher which one it is
 */
public record Program(List<String> words, Launcher launcher) {
  /** Known launchers. */
  public enum Launcher { SRUN, FLUX, JSRUN, OPEN_MPI, HYDRA, OTHER }

  private static final Map<Launcher, Set<String>> OURS = Map.of(
      Launcher.SRUN, Set.of("-x", "--exclude"),
      Launcher.FLUX, Set.of("--requires"),
      Launcher.JSRUN, Set.of("--exclude_hosts"),
      Launcher.OPEN_MPI, Set.of("--host", "-host", "-H"),
      Launcher.HYDRA, Set.of("-host", "-hosts", "--hosts"),
      Launcher.OTHER, Set.of());

  public Program {
    words = List.copyOf(words);
    if (words.isEmpty()) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "a program is missing: scr run [options] <launcher> <arguments>");
    }
  }

  /** Whether the first word is a launcher of which only {@code --version} tells whose it is. */
  public static boolean mustBeAsked(List<String> words) {
    return !words.isEmpty() && Set.of("mpirun", "mpiexec").contains(base(words.getFirst()));
  }

  /** @param version what the launcher prints for {@code --version}, where it {@link #mustBeAsked}; else empty */
  public static Program of(List<String> words, String version) {
    return new Program(words, words.isEmpty() ? Launcher.OTHER : launcher(words, version));
  }

  /** Returns the program with a text substituted in all its words. */
  public Program with(String word, String text) {
    return new Program(words.stream().map(one -> one.replace(word, text)).toList(), launcher);
  }

  private static Launcher launcher(List<String> words, String version) {
    return switch (base(words.getFirst())) {
      case "srun" -> Launcher.SRUN;
      case "flux" -> words.size() > 1 && words.get(1).equals("run") ? Launcher.FLUX : Launcher.OTHER;
      case "jsrun", "lrun" -> Launcher.JSRUN;
      case "orterun", "prterun" -> Launcher.OPEN_MPI;
      case "mpiexec.hydra" -> Launcher.HYDRA;
      case "mpirun", "mpiexec" -> version.contains("Open MPI") || version.contains("OpenRTE") ? Launcher.OPEN_MPI
          : version.contains("HYDRA") || version.contains("Intel(R) MPI") ? Launcher.HYDRA : Launcher.OTHER;
      default -> Launcher.OTHER;
    };
  }

  private static String base(String word) {
    return word.substring(word.lastIndexOf('/') + 1);
  }

  /**
   * The command of one run.
   *
   * @param up the nodes that it may use, in the order of the allocation
   * @param down the nodes of the allocation that it may not use
   * @param names whether the launcher knows the nodes from us alone, and must be given them all
   * @param variables what a launcher is to pass on that passes nothing on by itself
   * @throws ScrException {@link Fault#BAD_CONFIGURATION} where the user has set the option that we need
   */
  public List<String> command(List<Node> up, Collection<String> down, boolean names, Collection<String> variables) {
    List<String> command = new ArrayList<>(words);
    int place = launcher == Launcher.FLUX ? 2 : 1;
    if (launcher == Launcher.OPEN_MPI) {
      variables.forEach(variable -> command.addAll(1, List.of("-x", variable)));
    }
    if (down.isEmpty() && !names) {
      return List.copyOf(command);
    }
    refuseOwn();
    String out = String.join(",", down);
    List<String> option = switch (launcher) {
      case SRUN -> down.isEmpty() ? List.of() : List.of("--exclude=" + out);
      case FLUX -> down.isEmpty() ? List.of() : List.of("--requires=-host:" + out);
      case JSRUN -> down.isEmpty() ? List.of() : List.of("--exclude_hosts", out);
      case OPEN_MPI -> List.of("--host", up.stream().map(Program::withSlots).collect(Collectors.joining(",")));
      case HYDRA -> List.of("-hosts", up.stream().map(Node::name).collect(Collectors.joining(",")));
      case OTHER -> List.of();
    };
    command.addAll(place, option);
    return List.copyOf(command);
  }

  private static String withSlots(Node node) {
    return node.slots() > 0 ? node.name() + ":" + node.slots() : node.name();
  }

  /**
   * The user's own choice of nodes would be heard instead of ours.
   *
   * @throws ScrException {@link Fault#BAD_CONFIGURATION}
   */
  public void refuseOwn() {
    for (String word : words) {
      if (OURS.get(launcher).contains(word.split("=", 2)[0])) {
        throw new ScrException(Fault.BAD_CONFIGURATION, "option " + word + " of " + words.getFirst() + " is what"
            + " scr run itself needs to leave nodes out; use --exclude or --hosts of scr run instead");
      }
    }
  }
}

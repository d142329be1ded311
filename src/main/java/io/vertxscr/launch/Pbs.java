package io.vertxscr.launch;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * PBS and its relatives: a file with a line for each slot. Their own remote execution passes no standard input on, by
 * which our daemons live; therefore ssh.
 */
record Pbs(Map<String, String> environment) implements ResourceManager {
  @Override
  public String name() {
    return "PBS";
  }

  @Override
  public Source nodeSource() {
    String file = environment.getOrDefault("PBS_NODEFILE", "");
    if (file.isEmpty()) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "PBS_JOBID is set, PBS_NODEFILE is not: run this in the batch"
          + " script, or name the nodes with --hosts");
    }
    return new Source.Content(Path.of(file));
  }

  @Override
  public List<Node> nodes(String answer) {
    return Lsf.perLine(answer.lines());
  }

  @Override
  public Optional<List<String>> downQuestion(Collection<String> nodes) {
    return Optional.of(List.of("pbsnodes", "-l"));
  }

  /** Lines are {@code n003  state-unknown,down}; names may be with or without their domain. Drained nodes serve on. */
  @Override
  public Set<String> down(String answer, Collection<String> nodes) {
    Set<String> down = new TreeSet<>();
    for (String line : answer.lines().toList()) {
      String[] words = line.strip().split("\\s+");
      if (words.length > 1 && List.of(words[1].split(",")).contains("down")) {
        nodes.stream().filter(node -> host(node).equals(host(words[0]))).forEach(down::add);
      }
    }
    return down;
  }

  private static String host(String name) {
    return name.split("\\.", 2)[0];
  }

  @Override
  public Optional<Remote> remote() {
    return Optional.of(Hosts.SSH);
  }
}

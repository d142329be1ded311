package io.vertxscr.launch;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Slurm: all that we need is in the environment of the batch script. */
record Slurm(Map<String, String> environment) implements ResourceManager {
  /** {@code 4(x3),2}: four on each of three nodes, two on the next. */
  private static final Pattern SLOTS = Pattern.compile("(?<slots>[0-9]{1,6})(?:\\(x(?<nodes>[0-9]{1,6})\\))?");

  @Override
  public String name() {
    return "Slurm";
  }

  @Override
  public Source nodeSource() {
    for (String variable : List.of("SLURM_JOB_NODELIST", "SLURM_NODELIST")) {
      if (!environment.getOrDefault(variable, "").isEmpty()) {
        return new Source.Text(environment.get(variable));
      }
    }
    throw new ScrException(Fault.BAD_CONFIGURATION, "SLURM_JOB_ID is set, SLURM_JOB_NODELIST is not: run this in the"
        + " batch script, or name the nodes with --hosts");
  }

  @Override
  public List<Node> nodes(String answer) {
    List<String> names = Hostlist.expand(answer);
    List<Integer> slots = slots(environment.getOrDefault("SLURM_JOB_CPUS_PER_NODE", ""));
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      nodes.add(new Node(names.get(i), slots.size() == names.size() ? slots.get(i) : 0));
    }
    return List.copyOf(nodes);
  }

  private static List<Integer> slots(String text) {
    List<Integer> slots = new ArrayList<>();
    for (String part : text.split(",")) {
      Matcher matcher = SLOTS.matcher(part.strip());
      if (!matcher.matches()) {
        return List.of();
      }
      int nodes = matcher.group("nodes") == null ? 1 : Integer.parseInt(matcher.group("nodes"));
      for (int i = 0; i < nodes; i++) {
        slots.add(Integer.parseInt(matcher.group("slots")));
      }
    }
    return slots;
  }

  @Override
  public Optional<List<String>> downQuestion(Collection<String> nodes) {
    return Optional.of(List.of("sinfo", "-h", "-o", "%N", "-t", "down", "-n", String.join(",", nodes)));
  }

  @Override
  public Set<String> down(String answer, Collection<String> nodes) {
    return ResourceManagers.among(nodes, answer);
  }

  @Override
  public Optional<Remote> remote() {
    return Optional.of(new Remote("srun --quiet --overlap --nodes=1 --ntasks=1 --mem=0 --unbuffered"
        + " --nodelist={host}"));
  }
}

package io.vertxscr.launch;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * LSF: a file with a line for each slot, or a variable with hosts and counts. On machines with CSM the first line
 * is the node of the batch script, on which nothing runs.
 */
record Lsf(Map<String, String> environment) implements ResourceManager {
  @Override
  public String name() {
    return "LSF";
  }

  @Override
  public Source nodeSource() {
    String file = environment.getOrDefault("LSB_DJOB_HOSTFILE", "");
    String counts = environment.getOrDefault("LSB_MCPU_HOSTS", "");
    if (!file.isEmpty()) {
      return new Source.Content(Path.of(file));
    }
    if (!counts.isEmpty()) {
      return new Source.Text(lines(counts));
    }
    throw new ScrException(Fault.BAD_CONFIGURATION, "LSB_JOBID is set, but neither LSB_DJOB_HOSTFILE nor"
        + " LSB_MCPU_HOSTS: run this in the batch script, or name the nodes with --hosts");
  }

  /** {@code a 2 b 1} as the file would have it: a, a, b. */
  private static String lines(String counts) {
    String[] words = counts.strip().split("\\s+");
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i + 1 < words.length; i += 2) {
      if (!words[i + 1].matches("[1-9][0-9]{0,5}")) {
        throw new ScrException(Fault.BAD_CONFIGURATION, "LSB_MCPU_HOSTS='" + counts + "': '" + words[i + 1]
            + "' is no number of slots");
      }
      lines.append((words[i] + "\n").repeat(Integer.parseInt(words[i + 1])));
    }
    return lines.toString();
  }

  @Override
  public List<Node> nodes(String answer) {
    boolean launchNodeFirst = !environment.getOrDefault("CSM_ALLOCATION_ID", "").isEmpty();
    return perLine(answer.lines().skip(launchNodeFirst ? 1 : 0));
  }

  /** Nodes of a file with a line for each slot. */
  static List<Node> perLine(Stream<String> lines) {
    Map<String, Integer> slots = new LinkedHashMap<>();
    lines.map(String::strip).filter(line -> !line.isEmpty())
        .flatMap(line -> Arrays.stream(line.split("\\s+")).limit(1))
        .forEach(host -> slots.merge(host, 1, Integer::sum));
    return slots.entrySet().stream().map(entry -> new Node(entry.getKey(), entry.getValue())).toList();
  }

  @Override
  public Optional<Remote> remote() {
    return Optional.of(new Remote("blaunch -no-shell {host}"));
  }
}

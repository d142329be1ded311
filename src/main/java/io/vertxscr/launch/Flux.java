package io.vertxscr.launch;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Flux: its broker is asked. The broker's host list is in the order of its ranks, by which commands are sent. */
record Flux() implements ResourceManager {
  @Override
  public String name() {
    return "Flux";
  }

  @Override
  public Source nodeSource() {
    return new Source.Output(List.of("flux", "getattr", "hostlist"));
  }

  @Override
  public List<Node> nodes(String answer) {
    return ResourceManagers.named(answer);
  }

  @Override
  public Optional<List<String>> downQuestion(Collection<String> nodes) {
    return Optional.of(List.of("flux", "resource", "list", "-n", "-s", "down", "-o", "{nodelist}"));
  }

  @Override
  public Set<String> down(String answer, Collection<String> nodes) {
    return ResourceManagers.among(nodes, answer);
  }

  @Override
  public Optional<Remote> remote() {
    return Optional.of(new Remote("flux exec --quiet --rank={host}"));
  }

  @Override
  public String target(int index, String node) {
    return Integer.toString(index);
  }
}

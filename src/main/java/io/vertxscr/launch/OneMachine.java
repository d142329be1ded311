package io.vertxscr.launch;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** No resource manager and no hosts: daemons of this machine play the nodes. */
record OneMachine(int count) implements ResourceManager {
  @Override
  public String name() {
    return "one machine";
  }

  @Override
  public Source nodeSource() {
    return new Source.Text("");
  }

  @Override
  public List<Node> nodes(String answer) {
    return IntStream.rangeClosed(1, count).mapToObj(i -> new Node("node" + i)).toList();
  }

  @Override
  public Optional<Remote> remote() {
    return Optional.empty();
  }
}

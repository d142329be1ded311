package io.vertxscr.launch;

import java.util.List;
import java.util.Optional;

/** No resource manager: the user names the hosts. */
record Hosts(String list) implements ResourceManager {
  /** Never asks for a password; gives up soon. */
  static final Remote SSH = new Remote("ssh -o BatchMode=yes -o ConnectTimeout=10 -- {host}");

  @Override
  public String name() {
    return "ssh";
  }

  @Override
  public Source nodeSource() {
    return new Source.Text(list);
  }

  @Override
  public List<Node> nodes(String answer) {
    return ResourceManagers.named(answer);
  }

  @Override
  public Optional<Remote> remote() {
    return Optional.of(SSH);
  }
}

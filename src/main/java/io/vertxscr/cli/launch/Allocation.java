package io.vertxscr.cli.launch;

import io.vertxscr.config.AllocationEnd;
import io.vertxscr.launch.Node;
import io.vertxscr.launch.Program;
import io.vertxscr.launch.RemoteCommand;
import io.vertxscr.launch.ResourceManager;
import io.vertxscr.launch.ResourceManagers;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Nodes of the allocation, and their resource manager.
 *
 * @param nodes in the manager's order
 * @param remote words before a command that is run on a node, where the user gives them; empty for the manager's
 */
public record Allocation(ResourceManager manager, List<Node> nodes, String remote, Map<String, String> environment) {
  /** That of a process with this environment, without options. @throws ScrException BAD_CONFIGURATION */
  public static Allocation of(Map<String, String> environment) {
    return read(ResourceManagers.find(environment, "", OptionalInt.empty()), "", environment);
  }

  /** @throws ScrException BAD_CONFIGURATION if there are none, or they are unknown */
  public static Allocation read(ResourceManager manager, String remote, Map<String, String> environment) {
    List<Node> nodes = manager.nodes(answer(manager, environment));
    if (nodes.isEmpty()) {
      throw new ScrException(Fault.BAD_CONFIGURATION, manager.name() + " names no nodes");
    }
    if (nodes.stream().map(Node::name).distinct().count() < nodes.size()) {
      throw new ScrException(Fault.BAD_CONFIGURATION, manager.name() + " names a node twice");
    }
    return new Allocation(manager, nodes, remote, environment);
  }

  private static String answer(ResourceManager manager, Map<String, String> environment) {
    switch (manager.nodeSource()) {
      case ResourceManager.Source.Text(String text) -> {
        return text;
      }
      case ResourceManager.Source.Content(var file) -> {
        try {
          return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
          throw new ScrException(Fault.BAD_CONFIGURATION, "the list of nodes of " + manager.name()
              + ", " + file + ", cannot be read: " + ScrException.reason(e), e);
        }
      }
      case ResourceManager.Source.Output(List<String> command) -> {
        return new Outside(environment).ask(command).orElseThrow(() -> new ScrException(Fault.BAD_CONFIGURATION,
            "`" + String.join(" ", command) + "`, which should list the nodes, fails"));
      }
    }
  }

  /** Whether the nodes are daemons of this machine. */
  public boolean isHere() {
    return manager.remote().isEmpty();
  }

  public List<String> names() {
    return nodes.stream().map(Node::name).toList();
  }

  /** The nodes that the manager calls down; none where it cannot be asked. */
  public Set<String> downByManager(Collection<String> names) {
    return manager.downQuestion(names).flatMap(new Outside(environment)::ask)
        .map(answer -> manager.down(answer, names)).orElse(Set.of());
  }

  /**
   * The user's program as it is started here. A launcher that several projects have is asked whose it is.
   *
   * @throws ScrException BAD_CONFIGURATION for options by which it would choose other nodes
   */
  Program program(List<String> words) {
    String version = Program.mustBeAsked(words)
        ? new Outside(environment).ask(List.of(words.getFirst(), "--version")).orElse("") : "";
    Program program = Program.of(words, version);
    if (!isHere()) {
      program.refuseOwn();
    }
    return program;
  }

  /** The command that runs another one on a node, with the variables given. */
  List<String> on(String node, Map<String, String> variables, List<String> command) {
    List<String> all = new ArrayList<>(List.of("env"));
    variables.forEach((name, value) -> all.add(name + "=" + value));
    all.addAll(command);
    if (isHere()) {
      return all;
    }
    return RemoteCommand.line(remoteWords(), target(node), all);
  }

  /** The words before a command; <code>{host}</code> stands for {@link #target}. */
  String remoteWords() {
    return remote.isEmpty() ? manager.remote().map(ResourceManager.Remote::words).orElse("") : remote.strip();
  }

  /** The word by which the remote execution calls a node. */
  String target(String node) {
    return remote.isEmpty() ? manager.target(names().indexOf(node), node) : node;
  }

  /** When it ends, in seconds since 1970; empty if unknown. */
  OptionalLong endSeconds(long nowSeconds) {
    OptionalLong said = AllocationEnd.of(environment);
    if (said.isPresent()) {
      return said;
    }
    return AllocationEnd.question(environment)
        .flatMap(command -> new Outside(environment).ask(command)
            .map(answer -> AllocationEnd.answer(command, answer, nowSeconds, ZoneId.systemDefault())))
        .orElse(OptionalLong.empty());
  }
}

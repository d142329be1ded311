package io.vertxscr.launch;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Interface to the resource manager of the nodes. Pure: it says what to read or run, and understands the answer; the
 * caller reads and runs. When the allocation ends: {@link io.vertxscr.config.AllocationEnd}.
 */
public interface ResourceManager {
  /** Source of an answer. */
  sealed interface Source {
    /** It is here already. */
    record Text(String text) implements Source {}

    /** The content of a file. */
    record Content(Path file) implements Source {}

    /** Output of a command. */
    record Output(List<String> command) implements Source {}
  }

  /**
   * Way to run a command on a node.
   *
   * @param words before the command, as {@link RemoteCommand} takes them; <code>{host}</code> stands for
   *     {@link #target}
   */
  record Remote(String words) {}

  /** For people. */
  String name();

  /** Source of the node list. */
  Source nodeSource();

  /**
   * The nodes of the allocation, each once, in the order in which the manager names them.
   *
   * @param answer what the source says
   * @throws io.vertxscr.model.ScrException BAD_CONFIGURATION for what is no list
   */
  List<Node> nodes(String answer);

  /** The command that lists down nodes; empty if there is none. */
  default Optional<List<String>> downQuestion(Collection<String> nodes) {
    return Optional.empty();
  }

  /** The nodes, of these, that the answer to {@link #downQuestion} calls down; none where it is not understood. */
  default Set<String> down(String answer, Collection<String> nodes) {
    return Set.of();
  }

  /** Way to run commands on a node; empty if all nodes are daemons of this machine. */
  Optional<Remote> remote();

  /**
   * The word by which {@link #remote} calls a node.
   *
   * @param index its place in {@link #nodes}, from 0
   */
  default String target(int index, String node) {
    return node;
  }
}

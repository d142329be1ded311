package io.vertxscr.launch;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a launcher asks of whoever gave it the nodes. Pure: it says what to read or run, and understands the answer;
 * somebody else reads and runs. When the allocation ends: {@link io.vertxscr.config.AllocationEnd}.
 */
public interface ResourceManager {
  /** Where an answer comes from. */
  sealed interface Source {
    /** It is here already. */
    record Text(String text) implements Source {}

    /** The content of a file. */
    record Content(Path file) implements Source {}

    /** What a command prints. */
    record Output(List<String> command) implements Source {}
  }

  /**
   * How a command is run on a node.
   *
   * @param words before the command; <code>{host}</code> stands for {@link #target}
   * @param shell whether a shell over there reads the command, so that its words must be quoted
   */
  record Remote(String words, boolean shell) {}

  /** For people. */
  String name();

  /** Where the list of nodes is. */
  Source nodeSource();

  /**
   * The nodes of the allocation, each once, in the order in which the manager names them.
   *
   * @param answer what the source says
   * @throws io.vertxscr.model.ScrException BAD_CONFIGURATION for what is no list
   */
  List<Node> nodes(String answer);

  /** The command that tells which nodes are down; empty where nobody can be asked. */
  default Optional<List<String>> downQuestion(Collection<String> nodes) {
    return Optional.empty();
  }

  /** The nodes, of these, that the answer to {@link #downQuestion} calls down; none where it is not understood. */
  default Set<String> down(String answer, Collection<String> nodes) {
    return Set.of();
  }

  /** How commands are run on a node; empty where all nodes are daemons of this machine. */
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

package io.vertxscr.scavenge;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.scavenge.ScavengeCopy.CopyProblem;
import io.vertxscr.scavenge.ScavengeCopy.NodeCopy;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.NodeLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Copies what nodes of this machine hold of a dataset to the prefix directory. Their daemons must not be running. */
public final class LocalCopies implements DatasetCopies {
  private final PrefixPaths paths;
  private final List<NodeCache> nodes;
  private final Consumer<Finding> findings;
  private final Map<Integer, List<String>> unread = new HashMap<>();

  public LocalCopies(PrefixPaths paths, List<NodeCache> nodes, Consumer<Finding> findings) {
    this.paths = paths;
    this.nodes = List.copyOf(nodes);
    this.findings = findings;
  }

  /**
   * Copies what is needed of a dataset: nothing of one that is published and whole.
   *
   * @return why nothing could be copied; empty where something was, or nothing had to be
   * @throws ScrException as {@link #copy}
   */
  public Optional<String> copyIfNeeded(int id, PrefixIndex index) {
    if (new Publication(paths, index).isComplete(id)) {
      List<String> missing = missing(id);
      if (missing.isEmpty()) {
        findings.accept(new Finding.NothingToCopy(id));
        return Optional.empty();
      }
      missing.forEach(problem -> findings.accept(new Finding.DefectById(id, problem)));
      findings.accept(new Finding.CopiedForRepair(id));
    }
    if (copy(id) > 0) {
      return Optional.empty();
    }
    return otherPrefix(id).or(() -> Optional.of(nodes.isEmpty() ? "no node has a control directory here"
        : "none of the nodes " + String.join(", ", nodes.stream().map(NodeCache::node).toList())
            + " has anything of dataset " + id));
  }

  /** Returns the files that a published dataset has lost, by their sizes, in sentences. */
  private List<String> missing(int id) {
    try {
      return DatasetVerification.look(paths, id).problems();
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return List.of(e.getMessage());
    }
  }

  /** Copies and says that no daemon of these nodes is left. @throws ScrException as {@link #copy} */
  @Override
  public boolean bring(int id) {
    copy(id);
    return true;
  }

  @Override
  public List<String> unread(int id) {
    return unread.getOrDefault(id, List.of());
  }

  @Override
  public Optional<String> otherPrefix(int id) {
    return OtherPrefixes.sentence(
        nodes.stream().flatMap(OtherPrefixes.CachedFor::by).toList(), dataset -> dataset.id() == id, paths);
  }

  /**
   * One node after the other. What other prefix directories have of that id stays.
   *
   * @return how many nodes had something of it
   * @throws ScrException DUPLICATE_NODE while a node's daemon runs, NO_SPACE, IO also where the prefix is read-only
   */
  int copy(int id) {
    int holders = 0;
    unread.put(id, new ArrayList<>());
    for (NodeCache node : nodes) {
      node.problems().forEach(problem -> findings.accept(new Finding.NodeDefect(node.node(), problem)));
      if (node.find(id, paths).isPresent()) {
        holders++;
        requireWritable(paths);
        copy(node, id);
      }
    }
    return holders;
  }

  private void copy(NodeCache node, int id) {
    try (NodeLock _ = NodeLock.take(
        new NodeDirectories(node.control(), node.control()), LocalFiles.ofThisMachine())) {
      boolean redundant = node.find(id, paths).stream().flatMap(record -> record.ranks().stream())
          .anyMatch(rank -> rank.redundancy().isPresent());
      NodeCopy copied = new ScavengeCopy(node, id, paths).run();
      copied.lacks().stream().filter(CopyProblem::unread).forEach(problem ->
          unread.get(id).add("node " + node.node() + ": " + problem.sentence()));
      copied.problems().forEach(problem -> findings.accept(new Finding.NodeDefect(node.node(), problem)));
      findings.accept(new Finding.PartCopied(node.node(), id, copied, redundant));
    } catch (ScrException e) {
      if (e.fault() != Fault.DUPLICATE_NODE) {
        throw e;
      }
      throw new ScrException(Fault.DUPLICATE_NODE, "node " + node.node() + ": its daemon is running and flushes by"
          + " itself; stop it first (" + e.getMessage() + ")", e);
    }
  }

  /**
   * Before anything is brought there.
   *
   * @throws ScrException IO if this user has no write permission, or the directory is read-only
   */
  static void requireWritable(PrefixPaths paths) {
    Path directory = Files.exists(paths.scr()) ? paths.scr() : paths.prefix();
    if (!Files.isWritable(directory)) {
      throw new ScrException(Fault.IO, directory + " cannot be written to, so nothing can be brought there: mount its"
          + " file system for writing, or be the user who wrote the datasets");
    }
  }
}

package io.vertxscr.cli.offline;

import io.vertxscr.cli.text.Humane;
import io.vertxscr.launch.Plural;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.NodeCache;
import io.vertxscr.scavenge.ScavengeCopy.Copied;
import io.vertxscr.scavenge.ScavengeCopy;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.NodeLock;
import java.io.PrintWriter;
import java.util.List;

/** Copies what nodes of this machine hold of a dataset to the prefix directory. Their daemons must not be running. */
final class LocalCopies {
  private LocalCopies() {}

  /**
   * One node after the other; what could not be had is printed. What other prefix directories have of that id stays.
   *
   * @return how many nodes had something of it
   * @throws ScrException DUPLICATE_NODE while a node's daemon runs, NO_SPACE, IO also where the prefix is read-only
   */
  static int copy(List<NodeCache> nodes, int id, PrefixPaths paths, PrintWriter out) {
    int holders = 0;
    for (NodeCache node : nodes) {
      node.problems().forEach(problem -> out.println("node " + node.node() + ": " + problem));
      if (node.find(id, paths).isPresent()) {
        holders++;
        PrefixOption.requireWritable(paths);
        copy(node, id, paths, out);
      }
    }
    return holders;
  }

  private static void copy(NodeCache node, int id, PrefixPaths paths, PrintWriter out) {
    try (NodeLock _ = NodeLock.take(
        new NodeDirectories(node.control(), node.control()), LocalFiles.ofThisMachine())) {
      boolean redundant = node.find(id, paths).stream().flatMap(record -> record.ranks().stream())
          .anyMatch(rank -> rank.redundancy().isPresent());
      Copied copied = new ScavengeCopy(node, id, paths).run();
      copied.problems().forEach(problem -> out.println("node " + node.node() + ": " + problem));
      out.println("node " + node.node() + ": " + Humane.ranks(copied.ranks()) + " of dataset " + id + ", "
          + Plural.of(copied.files(), "file") + ", " + Humane.bytes(copied.bytes())
          + (redundant ? ", with redundancy" : ""));
    } catch (ScrException e) {
      if (e.fault() != Fault.DUPLICATE_NODE) {
        throw e;
      }
      throw new ScrException(Fault.DUPLICATE_NODE, "node " + node.node() + ": its daemon is running and flushes by"
          + " itself; stop it first (" + e.getMessage() + ")", e);
    }
  }
}

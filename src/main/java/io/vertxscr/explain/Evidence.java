package io.vertxscr.explain;

import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.model.DatasetDescriptor;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Observations of one dataset.
 *
 * @param worldRanks ranks of the run that wrote it; 0 if unknown: then no cache has a part of it
 * @param prefix its state in the prefix directory
 * @param scavenged what was scavenged and is not, or not whole, published, as of one node that holds it all; empty if
 *     nothing was
 * @param caches inventories of the readable nodes; also those without a part of it
 * @param fallback name of the dataset that a restart would take instead
 */
public record Evidence(DatasetDescriptor dataset, int worldRanks, InPrefix prefix, Optional<Inventory> scavenged,
    List<Inventory> caches, Optional<String> fallback) {
  public Evidence {
    caches = List.copyOf(caches);
  }

  /** State in the prefix directory. */
  public sealed interface InPrefix {
    /** No summary: it was never complete there. @param flushing a flush is under way, or was when its daemon died */
    record Absent(boolean flushing) implements InPrefix {}

    /** Its summary, or else its map, is damaged or missing; its files may be whole. */
    record Damaged(String why, boolean summary) implements InPrefix {}

    /** A later dataset has written over its files, as the index says. @param by id of that one */
    record Replaced(int by) implements InPrefix {}

    /**
     * Summary and map are good.
     *
     * @param badFiles problems of its files, in sentences that name rank and path
     * @param badRanks whose files those are, each with the first of these sentences
     * @param listed whether the index has it
     * @param failed whether the index says that a fetch or a verification found it damaged
     */
    record Complete(List<String> badFiles, SortedMap<Integer, String> badRanks, boolean listed, boolean failed)
        implements InPrefix {
      public Complete {
        badFiles = List.copyOf(badFiles);
        badRanks = Collections.unmodifiableSortedMap(new TreeMap<>(badRanks));
      }
    }
  }
}

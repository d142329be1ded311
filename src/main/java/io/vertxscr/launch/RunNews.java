package io.vertxscr.launch;

import io.vertxscr.model.Plural;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Messages about a job's runs for the user, and the datasets that only the caches have. Events come in the order in
 * which the daemons told them; those of an earlier leader may be missing. Pure; to be used by one thread.
 */
public final class RunNews {
  private final Map<Integer, String> names = new HashMap<>();
  private final Set<Integer> checkpoints = new HashSet<>();
  private final Set<Integer> outputs = new HashSet<>();
  private final TreeMap<Integer, Optional<String>> cachedOnly = new TreeMap<>();
  private String restart = "";
  private boolean begun;

  /** The program is started: of a restart nothing is known yet. */
  public void started() {
    restart = "";
    begun = false;
  }

  /**
   * A checkpoint can be read; ranks by the way in which their files came to their nodes.
   *
   * @return a line, where the run has begun with another one before
   */
  public Optional<String> restored(int dataset, int kept, int moved, int rebuilt, int fetched) {
    List<String> ways = new ArrayList<>();
    add(ways, kept, "as they lay in the caches");
    add(ways, moved, "moved from another cache");
    add(ways, rebuilt, "rebuilt");
    add(ways, fetched, "from the prefix directory");
    restart = "dataset " + title(dataset) + " (files of ranks: " + String.join(", ", ways) + ")";
    return begun ? Optional.of("the next one that ranks can restart from is " + restart) : Optional.empty();
  }

  private static void add(List<String> ways, int ranks, String how) {
    if (ranks > 0) {
      ways.add(ranks + " " + how);
    }
  }

  /** All ranks are here. A script may have several such programs in a run. */
  public String begun(int ranks, int nodes) {
    begun = true;
    String from = restart.isEmpty() ? "there is no checkpoint to restart from: they begin at the start"
        : "they restart from " + restart;
    restart = "";
    return Plural.of(ranks, "rank") + " on " + Plural.of(nodes, "node") + ": " + from;
  }

  /** The program begins to write a dataset. */
  public void writing(int dataset, String name, boolean checkpoint, boolean output) {
    names.put(dataset, name);
    if (checkpoint) {
      checkpoints.add(dataset);
    }
    if (output) {
      outputs.add(dataset);
    }
  }

  /** Name of the newest checkpoint that only the caches have. Empty if there is none, or its name is unknown. */
  public Optional<String> checkpointInCaches() {
    return cachedOnly.descendingKeySet().stream().filter(checkpoints::contains).findFirst().map(names::get);
  }

  /** It is in the caches. */
  public void complete(int dataset) {
    cachedOnly.put(dataset, Optional.empty());
  }

  /** It could not be flushed, this time or for good. */
  public void flushFailed(int dataset, String cause) {
    cachedOnly.put(dataset, Optional.of(cause));
  }

  /** It is in the prefix directory: older checkpoints are not needed. */
  public void flushed(int dataset) {
    cachedOnly.remove(dataset);
    cachedOnly.headMap(dataset).keySet().removeIf(older -> !outputs.contains(older));
  }

  /** It is deleted, or not needed any more. */
  public void gone(int dataset) {
    cachedOnly.remove(dataset);
  }

  /** Returns what only the caches have: output, and checkpoints newer than those flushed. Empty if none. */
  public Optional<String> leftInCaches(List<String> nodes) {
    if (cachedOnly.isEmpty()) {
      return Optional.empty();
    }
    StringBuilder line = new StringBuilder("only in the caches of " + String.join(",", nodes) + ": ");
    line.append(cachedOnly.size() == 1 ? "dataset " : "datasets ");
    line.append(String.join(", ", cachedOnly.keySet().stream().map(this::title).toList()));
    cachedOnly.descendingMap().values().stream().flatMap(Optional::stream).findFirst()
        .ifPresent(why -> line.append("; the last flush failed: ").append(why));
    return Optional.of(line.toString());
  }

  private String title(int dataset) {
    String name = names.getOrDefault(dataset, "");
    return name.isEmpty() ? Integer.toString(dataset) : dataset + " '" + name + "'";
  }
}

package io.vertxscr.explain;

import io.vertxscr.explain.Evidence.InPrefix.Absent;
import io.vertxscr.explain.Evidence.InPrefix.Complete;
import io.vertxscr.explain.Evidence.InPrefix.Damaged;
import io.vertxscr.explain.Evidence.InPrefix.Replaced;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.flow.restart.RestorePlanner;
import io.vertxscr.model.RankMap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Diagnosis of a dataset: why it is (in)valid, what is missing, which loss is fatal, what to do next. Pure.
 *
 * @param verdict where it can be had from
 * @param reasons why, in sentences
 * @param lost ranks whose files are unrecoverable, with the reason; empty unless the verdict is LOST, and where the
 *     files may be whole in the prefix directory and only its metadata is damaged
 * @param risk which losses of nodes it survives
 * @param next what to do, in sentences; empty if there is nothing to do
 */
public record Diagnosis(
    Verdict verdict, List<String> reasons, SortedMap<Integer, String> lost, Risk risk, List<String> next) {
  /** Sources of a dataset, best first. */
  public enum Verdict {
    /** Whole in the prefix directory: a restart fetches it. */
    PUBLISHED,
    /** Whole, or to be made whole, from what was scavenged; not published yet. */
    SCAVENGED,
    /** The caches that were looked at have or can rebuild every file. */
    IN_CACHES,
    /** It was in the prefix directory; a later dataset has written over its files. */
    REPLACED,
    /** In the prefix directory, but found damaged when it was read: restarts pass it over. */
    DAMAGED,
    /** Not to be had from what was looked at. */
    LOST
  }

  /**
   * Which losses it survives; of nodes whose caches were looked at.
   *
   * @param anyNodes it survives the loss of any so many nodes at once; looked at up to {@link #MOST_LOSSES}
   * @param fatal sets of nodes, one larger, whose loss would lose it; the first few
   */
  public record Risk(int anyNodes, List<List<String>> fatal) {
    /** More losses at once are not looked at. */
    public static final int MOST_LOSSES = 2;

    static final Risk NONE = new Risk(MOST_LOSSES, List.of());
  }

  private static final int MOST_FATAL = 8;
  private static final int MOST_NODES_FOR_PAIRS = 128;

  /** Judges what was seen. */
  public static Diagnosis of(Evidence seen) {
    List<String> reasons = new ArrayList<>();
    boolean there = published(seen, reasons);
    boolean published = there && !(seen.prefix() instanceof Complete complete && complete.failed());
    List<Inventory> caches = seen.caches().stream().filter(cache -> holds(cache, seen)).toList();
    SortedMap<Integer, String> lostFromScavenged = lost(seen, seen.scavenged().stream().toList());
    SortedMap<Integer, String> lostFromCaches = lost(seen, caches);
    boolean cached = !caches.isEmpty() && lostFromCaches.isEmpty();
    boolean scavenged = seen.scavenged().isPresent() && lostFromScavenged.isEmpty();
    Verdict verdict = published ? Verdict.PUBLISHED : scavenged ? Verdict.SCAVENGED
        : cached ? Verdict.IN_CACHES : seen.prefix() instanceof Replaced ? Verdict.REPLACED
        : there ? Verdict.DAMAGED : Verdict.LOST;
    if (!published && seen.scavenged().isPresent()) {
      reasons.add(scavenged ? "what was scavenged to the prefix directory is enough to make it whole"
          : "what was scavenged to the prefix directory is not enough: " + lostFromScavenged.size() + " of "
              + seen.worldRanks() + " ranks cannot be had from it");
    }
    if (caches.isEmpty()) {
      reasons.add(seen.caches().isEmpty() ? "no caches were looked at" : "none of the caches that were looked at has"
          + " anything of it");
    } else if (!published) {
      String nodes = String.join(", ", caches.stream().map(Inventory::node).toList());
      reasons.add("the caches of " + nodes + (lostFromCaches.isEmpty() ? " have or can rebuild every file"
          : " are not enough: " + lostFromCaches.size() + " of " + seen.worldRanks()
              + " ranks cannot be had from them"));
    }
    Risk risk = verdict == Verdict.IN_CACHES ? risk(seen, caches) : Risk.NONE;
    boolean nothingElse = caches.isEmpty() && seen.scavenged().isEmpty();
    SortedMap<Integer, String> lost = verdict != Verdict.LOST || nothingElse && seen.prefix() instanceof Damaged
        ? new TreeMap<>()
        : seen.prefix() instanceof Complete complete ? complete.badRanks()
        : lostFromScavenged.size() < lostFromCaches.size() && seen.scavenged().isPresent()
            ? lostFromScavenged : lostFromCaches;
    return new Diagnosis(verdict, reasons, lost, risk, next(seen, verdict));
  }

  private static boolean published(Evidence seen, List<String> reasons) {
    switch (seen.prefix()) {
      case Absent(boolean flushing) -> reasons.add("the prefix directory has no summary of it: it was never whole"
          + " there" + (flushing ? "; the flush file says that it is being flushed" : ""));
      case Damaged(String why, _) -> reasons.add(why);
      case Replaced(int by) -> reasons.add("dataset " + by + " has written over files of it in the prefix directory:"
          + " the application has given both the same names");
      case Complete(List<String> bad, _, _, _) when !bad.isEmpty() -> {
        reasons.add("the prefix directory has all metadata of it, but " + bad.size() + " bad files:");
        reasons.addAll(bad);
      }
      case Complete(_, _, boolean listed, boolean failed) -> {
        reasons.add("the prefix directory has its summary, its map, and every file at its size;"
            + " no file was read: scr index --verify \"" + seen.dataset().name() + "\" does");
        if (failed) {
          reasons.add("a fetch or a verification has found it damaged: restarts pass it over");
        } else if (!listed) {
          reasons.add("the index does not list it: restarts do not see it");
        }
        return true;
      }
    }
    return false;
  }

  private static List<String> next(Evidence seen, Verdict verdict) {
    String id = Integer.toString(seen.dataset().id());
    return switch (verdict) {
      case PUBLISHED -> seen.prefix() instanceof Complete complete && !complete.listed()
          ? List.of("scr index --add " + id + " puts it into the index") : List.of();
      case DAMAGED -> Stream.concat(Stream.of("scr index --verify \"" + seen.dataset().name()
          + "\" says which files differ, and what to do if none does"), fallback(seen)).toList();
      case REPLACED -> fallback(seen).toList();
      case SCAVENGED -> List.of("scr index --add " + id + " rebuilds what is missing and publishes it");
      case IN_CACHES -> List.of("with the daemons running, a restart takes it from the caches, and scr flush " + id
          + " brings it to the prefix directory",
          "without them, scr scavenge --id " + id + " brings it to the prefix directory");
      case LOST -> Stream.concat(Stream.concat(mending(seen, id),
          Stream.of("look at more caches: on each node that may hold some of it, scr copy --id " + id
              + ", then scr index --add " + id)),
          Stream.concat(fallback(seen), leftovers(seen, id))).toList();
    };
  }

  /** Returns the repairs if only its metadata is damaged. */
  private static Stream<String> mending(Evidence seen, String id) {
    return seen.prefix() instanceof Damaged damaged ? Stream.of("scr index --add " + id + (damaged.summary()
        ? " reads every file, and makes the summary again if all are as the map says and the index lists it"
        : " makes the map again if it was scavenged, from the filemaps of its ranks")) : Stream.empty();
  }

  /** Returns what becomes of the parts that nothing can be made of. */
  private static Stream<String> leftovers(Evidence seen, String id) {
    boolean any = seen.caches().stream().flatMap(node -> node.datasets().stream())
        .anyMatch(held -> held.descriptor().sameAs(seen.dataset()));
    return any ? Stream.of("if nobody needs it any more, scr drop " + id + " --unflushed deletes what the caches have"
        + " of it") : Stream.empty();
  }

  private static Stream<String> fallback(Evidence seen) {
    return seen.fallback().map(name -> "otherwise a restart takes '" + name + "'").stream();
  }

  /** Smallest losses first; pairs only among a bounded number of nodes. */
  private static Risk risk(Evidence seen, List<Inventory> caches) {
    List<List<String>> fatal = new ArrayList<>();
    for (Inventory one : caches) {
      note(fatal, seen, caches, List.of(one.node()));
    }
    if (!fatal.isEmpty()) {
      return new Risk(0, fatal);
    }
    for (int i = 0; i < caches.size() && caches.size() <= MOST_NODES_FOR_PAIRS; i++) {
      for (int j = i + 1; j < caches.size() && fatal.size() < MOST_FATAL; j++) {
        note(fatal, seen, caches, List.of(caches.get(i).node(), caches.get(j).node()));
      }
    }
    boolean two = fatal.isEmpty() && caches.size() <= MOST_NODES_FOR_PAIRS;
    return new Risk(two ? Risk.MOST_LOSSES : 1, fatal);
  }

  private static void note(List<List<String>> fatal, Evidence seen, List<Inventory> caches, List<String> nodes) {
    List<Inventory> left = caches.stream().filter(cache -> !nodes.contains(cache.node())).toList();
    if (fatal.size() < MOST_FATAL && !lost(seen, left).isEmpty()) {
      fatal.add(nodes);
    }
  }

  /** Ranks whose files these cannot give, with the reason. */
  private static SortedMap<Integer, String> lost(Evidence seen, List<Inventory> holders) {
    SortedMap<Integer, String> lost = new TreeMap<>();
    if (seen.worldRanks() == 0) {
      return lost;
    }
    RankMap anywhere = new RankMap(Collections.nCopies(seen.worldRanks(), "nowhere"));
    RestorePlanner.prospects(seen.dataset(), holders, anywhere).forEach((rank, prospect) -> {
      if (prospect.plan().isEmpty()) {
        lost.put(rank, prospect.why());
      }
    });
    return lost;
  }

  private static boolean holds(Inventory cache, Evidence seen) {
    return cache.datasets().stream().anyMatch(held -> held.descriptor().id() == seen.dataset().id()
        && held.descriptor().createdUs() == seen.dataset().createdUs());
  }
}

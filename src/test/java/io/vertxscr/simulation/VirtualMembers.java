package io.vertxscr.simulation;

import io.vertxscr.model.NodeInfo;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * Membership with a view of its own on each node. News arrive late and at different times, nodes that are silent are
 * taken for lost, and parts of a cluster that have lost each other become one again some time after the heal.
 *
 * <p>As Hazelcast does it: the smaller part joins the larger, the younger one where they are of one size, and its nodes
 * are the youngest from then on.
 */
final class VirtualMembers {
  private static final int MOST_NEWS_MS = 20;
  private static final int LEAST_SILENCE_MS = 5_000;
  private static final int MOST_SILENCE_MS = 9_000;
  private static final int LEAST_MERGE_MS = 2_000;
  private static final int MOST_MERGE_MS = 10_000;

  private final Random random;
  private final Loop loop;
  private final Trace trace;
  private final Map<String, View> views = new LinkedHashMap<>();
  /** Ways that are cut, "from to", and how often. */
  private final Map<String, Integer> cuts = new HashMap<>();
  private final Map<String, Integer> paused = new HashMap<>();
  /** Who hears nothing of whom, "of by", and the number of that silence. */
  private final Map<String, Long> silences = new HashMap<>();
  /** What a cut holds up, in the order in which it was said. */
  private final List<News> heldUp = new ArrayList<>();
  private long lastSilence;
  private long changes;

  VirtualMembers(Random random, Loop loop, Trace trace) {
    this.random = random;
    this.loop = loop;
    this.trace = trace;
  }

  /** What a member tells another one: that a node has joined. */
  private record News(View from, View to, View of) {}

  /** What a node takes for the members; what it has not heard yet is in {@code decided} only. */
  final class View implements Membership {
    private final NodeInfo self;
    private final Loop turns;
    private final List<NodeInfo> heard = new ArrayList<>();
    private final List<NodeInfo> decided = new ArrayList<>();
    private final List<Listener> listeners = new ArrayList<>();
    private List<NodeInfo> snapshot = List.of();
    private long heardMs;

    private View(NodeInfo self, Loop turns) {
      this.self = self;
      this.turns = turns;
    }

    private boolean sees(View other) {
      return decided.stream().anyMatch(node -> node.name().equals(other.self.name()));
    }

    /** As far as it has heard by now. */
    private boolean knows(View other) {
      return heard.contains(other.self);
    }

    private void begin(List<NodeInfo> all) {
      heard.addAll(all);
      decided.addAll(all);
      snapshot = List.copyOf(heard);
    }

    private void joins(NodeInfo node) {
      decided.add(node);
      hears(() -> {
        heard.add(node);
        snapshot = List.copyOf(heard);
        List.copyOf(listeners).forEach(listener -> listener.joined(node));
      });
    }

    private void leaves(NodeInfo node) {
      if (decided.remove(node)) {
        trace.note(self.name() + " loses sight of " + node.name());
        hears(() -> {
          heard.remove(node);
          snapshot = List.copyOf(heard);
          List.copyOf(listeners).forEach(listener -> listener.left(node));
        });
      }
    }

    /** All others have gone, and these come, the node itself last. */
    private void joinsAnew(List<NodeInfo> others) {
      List.copyOf(decided).stream().filter(node -> !node.equals(self)).forEach(this::leaves);
      others.forEach(this::joins);
      decided.remove(self);
      decided.add(self);
      hears(() -> {
        heard.remove(self);
        heard.add(self);
        snapshot = List.copyOf(heard);
      });
    }

    /** The same as Hazelcast tells it: who has left is not told, and who comes is in the list when the first one is. */
    private void joinsUntold(List<NodeInfo> others) {
      decided.clear();
      decided.addAll(others);
      decided.add(self);
      List<NodeInfo> all = List.copyOf(decided);
      hears(() -> {
        heard.clear();
        heard.addAll(all);
        snapshot = all;
        List.copyOf(listeners).forEach(listener -> others.forEach(listener::joined));
      });
    }

    private void hears(Runnable news) {
      long nowMs = loop.nanoTime() / 1_000_000;
      heardMs = Math.max(heardMs, nowMs + random.nextInt(MOST_NEWS_MS + 1));
      turns.after(heardMs - nowMs, news);
    }

    @Override
    public NodeInfo self() {
      return self;
    }

    @Override
    public List<NodeInfo> nodes() {
      return snapshot;
    }

    @Override
    public void listen(Listener listener) {
      listeners.add(listener);
    }
  }

  View view(NodeInfo self, Loop turns) {
    return new View(self, turns);
  }

  /** A node joins the oldest one that it reaches, which tells all whom it sees. */
  void begins(View view) {
    List<View> reached = views.values().stream().filter(other -> connected(view, other)).toList();
    reached.forEach(other -> other.leaves(view.self));    // an earlier life at the same address
    Optional<View> oldest = reached.stream().findFirst();
    List<View> told = oldest.map(by -> views.values().stream().filter(by::sees).toList()).orElse(List.of());
    List<NodeInfo> all = new ArrayList<>(oldest.map(by -> by.decided).orElse(List.of()));
    all.add(view.self);
    view.begin(all);
    views.put(view.self.name(), view);
    told.forEach(other -> tell(new News(oldest.get(), other, view)));
    forgetSilence(view);
    notice();
    changed();
  }

  /** Bytes that a cut holds up arrive when it heals. */
  private void tell(News news) {
    if (cuts.containsKey(pair(news.from, news.to))) {
      heldUp.add(news);
    } else {
      news.to.leaves(news.of.self);
      news.to.joins(news.of.self);
    }
  }

  /** Who hears it tells those who have joined by it meanwhile, of whom the first one did not know. */
  private void tellWhatWasHeldUp() {
    Map<News, List<View>> all = new LinkedHashMap<>();
    heldUp.stream().filter(news -> isAlive(news.from) && isAlive(news.to) && isAlive(news.of)).forEach(news ->
        all.put(news, views.values().stream()
            .filter(other -> news.to.sees(other) && !news.from.sees(other)).toList()));
    heldUp.clear();
    all.forEach((news, others) -> {
      if (news.from.sees(news.to) && news.from.sees(news.of) && news.to.sees(news.from)) {
        tell(news);
        others.forEach(other -> tell(new News(news.to, other, news.of)));
      } else {
        news.to.leaves(news.of.self);                     // what it sees there is an earlier life
      }
    });
  }

  private boolean isAlive(View view) {
    return views.get(view.self.name()) == view;
  }

  /** A node has gone. @param silenceMs what passes before the others notice, beside the time of the news */
  void ends(String name, int silenceMs) {
    View gone = views.remove(name);
    paused.remove(name);
    if (silenceMs == 0) {
      List.copyOf(views.values()).forEach(other -> other.leaves(gone.self));
    } else {
      loop.after(silenceMs, () -> {
        if (views.get(name) == null) {
          List.copyOf(views.values()).forEach(other -> other.leaves(gone.self));
        }
      });
    }
  }

  /** Cuts the way from each of these nodes to each of those. */
  void cut(Set<String> from, Set<String> to) {
    from.forEach(one -> to.forEach(other -> cuts.merge(one + " " + other, 1, Integer::sum)));
    notice();
  }

  /** Ends a cut. */
  void heal(Set<String> from, Set<String> to) {
    from.forEach(one -> to.forEach(
        other -> cuts.computeIfPresent(one + " " + other, (_, times) -> times == 1 ? null : times - 1)));
    heard();
    tellWhatWasHeldUp();
    changed();
  }

  /** The node sends no sign of life from now on. */
  void pause(String name) {
    paused.merge(name, 1, Integer::sum);
    notice();
  }

  /** Ends a pause. A node that somebody has missed is removed by all: one of them decides for the others. */
  void resume(String name) {
    View view = views.get(name);
    paused.computeIfPresent(name, (_, times) -> times == 1 ? null : times - 1);
    heard();
    boolean missed = views.values().stream().anyMatch(other -> other != view && !other.sees(view));
    for (View other : views.values()) {
      if (missed && view != other) {
        other.leaves(view.self);
        view.leaves(other.self);
      }
    }
    changed();
  }

  /** All others take a node for lost that sends signs of life again: its silence is noticed late. */
  void miss(String name) {
    View view = views.get(name);
    views.values().stream().filter(other -> other != view).forEach(other -> {
      other.leaves(view.self);
      view.leaves(other.self);
    });
    changed();
  }

  /** Nodes that one does not see any more join its part together: none of them hears that the others have left. */
  void join(List<String> names, String one) {
    for (String name : names) {
      trace.note(name + " joins the part of " + one);
      View view = views.get(name);
      List<NodeInfo> others = List.copyOf(views.get(one).decided);
      views.values().stream().filter(other -> others.contains(other.self)).forEach(other -> other.joins(view.self));
      view.joinsUntold(others);
    }
  }

  /** Whether each node has heard of all others. */
  boolean areWhole() {
    return views.values().stream().allMatch(view -> views.values().stream().allMatch(view::knows));
  }

  /** Whether a message arrives: no cut is in its way, and not both take the other for lost. */
  boolean reaches(String from, String to) {
    View sender = views.get(from);
    View receiver = views.get(to);
    boolean strangers = sender != null && receiver != null && sender != receiver
        && !sender.knows(receiver) && !receiver.knows(sender);
    return !strangers && (cuts.isEmpty() || !cuts.containsKey(from + " " + to));
  }

  /** Whether bytes come from there to here, and requests there from here. */
  boolean areConnected(String one, String other) {
    return reaches(one, other) && reaches(other, one) && !paused.containsKey(other);
  }

  private boolean connected(View one, View other) {
    String a = one.self.name();
    String b = other.self.name();
    return !cuts.containsKey(a + " " + b) && !cuts.containsKey(b + " " + a) && !paused.containsKey(a)
        && !paused.containsKey(b);
  }

  /** Those who do not hear of each other for a while take each other for lost. */
  private void notice() {
    for (View one : views.values()) {
      for (View other : views.values()) {
        if (one != other && !connected(one, other) && !silences.containsKey(pair(one, other))) {
          silences.put(pair(one, other), ++lastSilence);
          silent(one, other, LEAST_SILENCE_MS + random.nextInt(MOST_SILENCE_MS - LEAST_SILENCE_MS));
        }
      }
    }
  }

  private static String pair(View one, View other) {
    return one.self.name() + " " + other.self.name();
  }

  private void forgetSilence(View of) {
    silences.keySet().removeIf(pair -> List.of(pair.split(" ")).contains(of.self.name()));
  }

  /** Ends the silence of those who hear of each other again. */
  private void heard() {
    views.values().forEach(one -> views.values().stream().filter(other -> connected(one, other))
        .forEach(other -> silences.remove(pair(one, other))));
  }

  private void silent(View one, View other, int afterMs) {
    long silence = lastSilence;
    loop.after(afterMs, () -> {
      if (isAlive(one) && isAlive(other) && !paused.containsKey(one.self.name())
          && silences.getOrDefault(pair(one, other), 0L) == silence) {
        one.leaves(other.self);
      }
    });
  }

  private void changed() {
    long change = ++changes;
    loop.after(LEAST_MERGE_MS + random.nextInt(MOST_MERGE_MS - LEAST_MERGE_MS), () -> {
      if (change == changes && !views.isEmpty() && merge()) {
        changed();
      }
    });
  }

  /** One node that does not see the largest part joins it. @return whether others may have to follow */
  private boolean merge() {
    List<Set<View>> parts = parts();
    Set<View> largest = parts.getFirst();
    for (Set<View> part : parts.subList(1, parts.size())) {
      for (View one : part) {
        if (largest.stream().allMatch(other -> connected(one, other))) {
          trace.note(one.self.name() + " joins the part of " + largest.iterator().next().self.name());
          // where only one of the two has lost sight, and those between the parts, who join it behind this one
          views.values().stream().filter(other -> other != one).forEach(other -> other.leaves(one.self));
          one.joinsAnew(List.copyOf(largest.iterator().next().decided));
          largest.forEach(other -> other.joins(one.self));
          merge();
          return true;
        }
      }
    }
    return false;
  }

  /** Nodes that all see each other, the largest part first, each with its oldest node first. */
  private List<Set<View>> parts() {
    List<Set<View>> parts = new ArrayList<>();
    Set<View> left = new LinkedHashSet<>(views.values());
    Map<View, Integer> ages = new HashMap<>();
    views.values().forEach(view -> ages.put(view, ages.size()));
    while (!left.isEmpty()) {
      View first = left.iterator().next();
      Set<View> part = new TreeSet<>(Comparator.comparingInt(
          (View view) -> first.decided.indexOf(view.self)).thenComparingInt(ages::get));
      left.stream().filter(other -> part.stream().allMatch(one -> one.sees(other) && other.sees(one)))
          .forEach(part::add);
      left.removeAll(part);
      parts.add(part);
    }
    parts.sort(Comparator.comparingInt((Set<View> part) -> -part.size()));
    return parts;
  }
}

package io.vertxscr.cli.drill;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** How far a run has recovered, by the events of its daemons and what they say of their caches. Pure. */
final class LiveCourse {
  private static final double MS = 1000.0;

  private final LivePlan plan;
  private final Map<LiveMilestone, Long> after = new EnumMap<>(LiveMilestone.class);
  /** By number, when each checkpoint began, by the clock of the leader then; milliseconds since 1970. */
  private final Map<Integer, Long> begins = new HashMap<>();
  private OptionalLong struckNanos = OptionalLong.empty();
  private long struckMs;
  private int newest;
  private int restored;
  private String ways = "";
  private long next;
  private final Set<String> toScrub = new TreeSet<>();
  private final Set<String> scrubbed = new HashSet<>();
  private Optional<String> difference = Optional.empty();
  private Optional<String> unverified = Optional.empty();
  private Optional<String> failure = Optional.empty();

  LiveCourse(LivePlan plan) {
    this.plan = plan;
  }

  /** Takes in an event. @param nanos now, {@code System.nanoTime} */
  void hear(JsonObject event, long nanos) {
    long run = event.getLong("run", 0L);
    int dataset = event.getInteger("dataset", 0);
    switch (event.getString("type", "")) {
      case "phase-started" -> {
        if (event.getBoolean("checkpoint", false)) {
          begins.put(dataset, event.getLong("timeMs"));
        }
      }
      case "dataset-complete" -> complete(run, dataset, nanos);
      case "node-left" -> {
        if (plan.victims().contains(event.getString("about"))) {
          mark(LiveMilestone.DETECTED, nanos);
        }
      }
      case "run-over" -> over(run, event, nanos);
      case "restored" -> restored(dataset, event.getJsonObject("ranks", new JsonObject()), nanos);
      case "run-begun" -> begun(run, nanos);
      case "restart-read" -> {
        if (next != 0 && run == next) {
          mark(LiveMilestone.READ, nanos);
        }
      }
      case "restart-anew" -> failIfOver("the program was started without a checkpoint: " + event.getString("cause"));
      case "damage-found" -> damage(dataset, event);
      case "scrub-done" -> {
        if (dataset == restored) {
          scrubbed(event.getString("about"), nanos);
        }
      }
      default -> { }                                      // nothing that a recovery depends on
    }
  }

  private void complete(long run, int dataset, long nanos) {
    if (!begins.containsKey(dataset)) {
      return;                                             // output
    }
    if (struckNanos.isEmpty()) {
      newest = Math.max(newest, dataset);
    } else if (next != 0 && run == next) {
      mark(LiveMilestone.PROTECTED, nanos);
    }
  }

  private void over(long run, JsonObject event, long nanos) {
    if (run != plan.run().run()) {
      return;
    }
    if (!event.containsKey("fault")) {
      failure = failure.or(() -> Optional.of("the run has ended by itself"));
    } else if (struckNanos.isEmpty()) {
      failure = failure.or(() -> Optional.of("the run is over before a node was lost: " + event.getString("cause")));
    } else {
      mark(LiveMilestone.DETECTED, nanos);
      mark(LiveMilestone.OVER, nanos);
    }
  }

  private void restored(int dataset, JsonObject counts, long nanos) {
    if (after.containsKey(LiveMilestone.OVER) && next == 0) {
      restored = dataset;                                 // the last one before the run begins counts
      ways = String.join(", ", Stream.of("kept", "moved", "rebuilt", "fetched")
          .filter(way -> counts.getInteger(way, 0) > 0).map(way -> counts.getInteger(way) + " " + way).toList());
      after.remove(LiveMilestone.RESTORED);
      mark(LiveMilestone.RESTORED, nanos);
    }
  }

  private void begun(long run, long nanos) {
    if (after.containsKey(LiveMilestone.OVER) && run != plan.run().run() && next == 0) {
      next = run;
      mark(LiveMilestone.BEGUN, nanos);
      if (restored == 0) {
        failIfOver("the program was started without a checkpoint");
      }
    }
  }

  private void failIfOver(String why) {
    if (after.containsKey(LiveMilestone.OVER)) {
      failure = failure.or(() -> Optional.of(why));
    }
  }

  private void damage(int dataset, JsonObject event) {
    if (restored != 0 && dataset == restored && difference.isEmpty()) {
      difference = Optional.of("dataset " + dataset + " on " + event.getString("about") + ", rank "
          + event.getInteger("rank") + ": " + event.getString("cause"));
    }
  }

  private void scrubbed(String node, long nanos) {
    scrubbed.add(node);
    if (!toScrub.isEmpty() && scrubbed.containsAll(toScrub) && difference.isEmpty()) {
      mark(LiveMilestone.VERIFIED, nanos);
    }
  }

  /** A checkpoint of the run that was protected before the drill began to listen. */
  void found(int dataset) {
    newest = Math.max(newest, dataset);
  }

  /** Newest checkpoint that was protected before the loss; 0 for none yet. */
  int checkpoint() {
    return newest;
  }

  /** The nodes are killed now. @param nowMs milliseconds since 1970 */
  void strike(long nanos, long nowMs) {
    struckNanos = OptionalLong.of(nanos);
    struckMs = nowMs;
  }

  /** These nodes have been told to read all that they hold of the restored checkpoint. None: it cannot be verified. */
  void scrubs(Collection<String> nodes) {
    toScrub.addAll(nodes);
    scrubbed.clear();
    if (nodes.isEmpty()) {
      unverified = Optional.of("the caches do not hold it any more");
    }
  }

  /** The caches hold this much of what they held of it. */
  void holds(Collection<String> nodes) {
    if (!toScrub.isEmpty() && !has(LiveMilestone.VERIFIED) && !nodes.containsAll(toScrub)) {
      unverified = Optional.of("it was evicted before all of it was read");
    }
  }

  /** Whether nothing more is to come of the check of bytes. */
  boolean isVerified() {
    return has(LiveMilestone.VERIFIED) || unverified.isPresent() || difference.isPresent();
  }

  /** Whether nothing more is to come that counts. */
  boolean isDone() {
    return failure.isPresent() || has(LiveMilestone.PROTECTED) && isVerified();
  }

  boolean has(LiveMilestone milestone) {
    return after.containsKey(milestone);
  }

  /** The restored checkpoint; 0 for none. */
  int restored() {
    return restored;
  }

  Optional<String> failure() {
    return failure;
  }

  /** What has come of it. @param cause why it came to no end, where the daemons do not say that */
  LiveOutcome outcome(Optional<String> cause) {
    Long begun = begins.get(restored);
    OptionalDouble lost = begun == null || struckNanos.isEmpty() ? OptionalDouble.empty()
        : OptionalDouble.of(Math.max(0, struckMs - begun) / MS);
    return new LiveOutcome(plan, newest, restored, ways, new EnumMap<>(after), lost,
        difference, unverified, failure.or(() -> cause));
  }

  /** The first time counts. */
  private void mark(LiveMilestone milestone, long nanos) {
    struckNanos.ifPresent(struck ->
        after.putIfAbsent(milestone, Math.max(0, TimeUnit.NANOSECONDS.toMillis(nanos - struck))));
  }

  static List<String> holders(JsonArray datasets, int dataset) {
    return datasets.stream().map(JsonObject.class::cast).filter(one -> one.getInteger("dataset") == dataset)
        .findFirst().map(one -> LivePlan.names(one.getJsonArray("nodes"))).orElse(List.of());
  }
}

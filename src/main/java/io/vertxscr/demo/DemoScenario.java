package io.vertxscr.demo;

import io.vertxscr.demo.DemoRun.Together;
import io.vertxscr.demo.RankLauncher.End;
import io.vertxscr.examples.heat.FieldImage;
import io.vertxscr.examples.heat.FinalField;
import io.vertxscr.examples.heat.HeatOptions;
import io.vertxscr.examples.heat.HeatProblem;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The demo from its first step to its verdict:
 * <pre>
 *   undisturbed run, no checkpoint system ------------------------------------> final field A
 *   run 1: checkpoint, checkpoint, ... node killed with its storage, all told
 *   run 2: spare in its place, restart from the newest checkpoint, to the end -> final field B
 *   A and B compared byte by byte
 * </pre>
 * Every wait is bounded. Nothing of a run is left running when it ends, well or not.
 */
public final class DemoScenario {
  private static final long RUN_TIMEOUT_MS = 180_000;
  private static final int IMAGE_PIXELS = 1024;

  private final DemoCluster cluster;
  private final DemoPlan plan;
  private final DemoProgress progress;
  private final DemoTable table = new DemoTable();

  private DemoScenario(DemoCluster cluster, DemoPlan plan, DemoProgress progress) {
    this.cluster = cluster;
    this.plan = plan;
    this.progress = progress;
  }

  /**
   * Runs the demo; the caller closes the cluster.
   *
   * @throws DemoException where anything but the planned failure happens
   */
  public static DemoVerdict run(DemoCluster cluster, DemoPlan plan, DemoProgress progress)
      throws DemoException, IOException {
    return new DemoScenario(cluster, plan, progress).run();
  }

  private DemoVerdict run() throws DemoException, IOException {
    FinalField undisturbed = undisturbedRun();
    startNodes();
    Together newest = firstRun();
    FinalField disturbed = secondRun(newest);
    DemoVerdict verdict = DemoVerdict.compare(undisturbed, disturbed);
    report(verdict, disturbed);
    return verdict;
  }

  private FinalField undisturbedRun() throws DemoException, IOException {
    progress.phase("undisturbed run: " + plan.ranks() + " ranks, " + plan.problem().steps() + " steps on "
        + plan.problem().size() + " x " + plan.problem().size() + " cells, no checkpoints");
    long start = System.nanoTime();
    HeatProblem problem = plan.problem().withoutCheckpoints();
    try (DemoRun run = new DemoRun(plan.ranks(), progress)) {
      launch(run, problem, "undisturbed", Collections.nCopies(plan.ranks(), Optional.empty()));
      try (DemoWait _ = new DemoWait(progress, run::state)) {
        finish(run);
      }
      table.add("undisturbed run, whole", 0, secondsSince(start));
      table.add("  computing", 0, run.computeSeconds());
    }
    FinalField field = FinalField.open(plan.directory().resolve("undisturbed"), problem.size());
    progress.line("final field sha256 " + field.digest());
    return field;
  }

  private void startNodes() {
    progress.phase("starting " + names(plan.nodes()));
    long start = System.nanoTime();
    startNodes(plan.nodes());
    table.add("start of " + plan.nodes().size() + " nodes", 0, secondsSince(start));
  }

  private void startNodes(List<String> nodes) {
    String what = nodes.size() == 1 ? nodes.getFirst() + " to be ready" : nodes.size() + " nodes to see each other";
    try (DemoWait _ = new DemoWait(progress, () -> what)) {
      cluster.startNodes(nodes);
    }
  }

  /** Until the victim is dead and everybody knows; returns the newest checkpoint that was complete. */
  private Together firstRun() throws DemoException {
    progress.phase("run 1: a checkpoint every " + plan.problem().checkpointEvery() + " steps");
    try (DemoRun run = new DemoRun(plan.ranks(), progress)) {
      launch(run, plan.problem(), "run1", plan.firstPlaces().stream().map(Optional::of).toList());
      try (DemoWait _ = new DemoWait(progress,
          () -> "checkpoint heat." + plan.killStep() + ", after which " + names(plan.victims()) + " dies")) {
        run.awaitCheckpoint(plan.killStep(), RUN_TIMEOUT_MS);
      }
      long start = System.nanoTime();
      progress.alarm("killing " + names(plan.victims()) + " with all that is stored there, and ranks "
          + plan.victimRanks());
      plan.victims().forEach(cluster::killNode);
      plan.victimRanks().forEach(run::kill);
      List<End> ends = run.awaitEnds(RUN_TIMEOUT_MS);
      double toldSeconds = secondsSince(start);
      checkAllFailed(ends);
      List<Together> complete = run.complete();
      addCheckpoints("run 1", complete);
      table.add("everybody told of the dead node", 0, toldSeconds);
      return complete.getLast();
    }
  }

  private void checkAllFailed(List<End> ends) throws DemoException {
    List<Integer> unharmed = ends.stream().filter(end -> end.failure().isEmpty()).map(End::rank).sorted().toList();
    if (!unharmed.isEmpty()) {
      throw new DemoException("ranks " + unharmed + " finished although " + names(plan.victims()) + " died");
    }
    // The results of the victims' own ranks are irrelevant.
    SortedMap<String, List<Integer>> told = ends.stream().filter(end -> !plan.victimRanks().contains(end.rank()))
        .sorted(Comparator.comparing(End::rank)).collect(Collectors.groupingBy(
            end -> end.failure().orElseThrow(), TreeMap::new, Collectors.mapping(End::rank, Collectors.toList())));
    told.forEach((words, ranks) -> progress.line("told ranks " + ranks + ": " + words));
  }

  private FinalField secondRun(Together newest) throws DemoException, IOException {
    progress.phase("run 2: " + names(plan.spares()) + " in the place of " + names(plan.victims())
        + ", with ranks " + plan.victimRanks());
    long start = System.nanoTime();
    startNodes(plan.spares());
    table.add("start of " + names(plan.spares()), 0, secondsSince(start));
    start = System.nanoTime();
    try (DemoRun run = new DemoRun(plan.ranks(), progress)) {
      launch(run, plan.problem(), "disturbed", plan.secondPlaces().stream().map(Optional::of).toList());
      try (DemoWait _ = new DemoWait(progress, run::state)) {
        finish(run);
      }
      addSecondRun(run, newest, secondsSince(start));
    }
    return FinalField.open(plan.directory().resolve("disturbed"), plan.problem().size());
  }

  private void addSecondRun(DemoRun run, Together newest, double seconds) throws DemoException {
    Together restart = run.start();
    if (restart.step() == 0) {
      throw new DemoException("no checkpoint could be restored, in no cache and not from the prefix directory: "
          + names(plan.victims()) + " held more than their redundancy set can do without");
    }
    if (plan.restartsFromNewest() && restart.step() < newest.step()) {
      throw new DemoException("restarted at step " + restart.step() + ", although the checkpoint of step "
          + newest.step() + " was complete");
    }
    table.add("restart: rebuild, verify, read", newest.bytes(), restart.seconds());
    addCheckpoints("run 2", run.complete());
    table.add("finalize, newest checkpoint flushed", newest.bytes(), run.finalizeSeconds());
    table.add("run 2, whole", 0, seconds);
    table.add("  computing", 0, run.computeSeconds());
  }

  private void report(DemoVerdict verdict, FinalField field) throws IOException {
    Path image = plan.directory().resolve("final.png");
    FieldImage.write(field, image, IMAGE_PIXELS);
    progress.line("final field sha256 " + field.digest());
    progress.block(System.lineSeparator() + table.text() + System.lineSeparator());
    progress.line("picture of the final field: " + image);
    progress.line("prefix directory: " + cluster.prefix() + " (" + flushed() + ")");
    if (verdict.identical()) {
      progress.good(verdict.text());
    } else {
      progress.alarm(verdict.text());
    }
  }

  private String flushed() {
    List<String> names = new PrefixIndex(new PrefixPaths(cluster.prefix()),
        PatientLocks.user("demo", Duration.ZERO)).read().index()
        .entries().stream().filter(Index.Entry::complete).map(Index.Entry::name).toList();
    return names.isEmpty() ? "nothing was flushed" : "flushed: " + String.join(" ", names);
  }

  private void launch(DemoRun run, HeatProblem problem, String name, List<Optional<String>> places) {
    Path rendezvous = plan.directory().resolve("rendezvous").resolve(name);
    Path output = plan.directory().resolve(name);
    for (int rank = 0; rank < plan.ranks(); rank++) {
      HeatOptions options = new HeatOptions(rank, plan.ranks(), problem, "127.0.0.1", rendezvous, output,
          HeatOptions.DEFAULT_TIMEOUT_MS);
      run.add(cluster.ranks().launch(options, places.get(rank), run));
    }
  }

  /** Waits for a run in which nothing may fail. */
  private static void finish(DemoRun run) throws DemoException {
    String failures = run.awaitEnds(RUN_TIMEOUT_MS).stream().filter(end -> end.failure().isPresent())
        .map(end -> "rank " + end.rank() + ": " + end.failure().orElseThrow()).collect(Collectors.joining("; "));
    if (!failures.isEmpty()) {
      throw new DemoException("the run failed: " + failures);
    }
  }

  private void addCheckpoints(String run, List<Together> complete) {
    long bytes = complete.stream().mapToLong(Together::bytes).sum();
    double seconds = complete.stream().mapToDouble(Together::seconds).sum();
    table.add(run + ": " + complete.size() + " checkpoints, protected", bytes, seconds);
  }

  private static String names(List<String> nodes) {
    return String.join(" ", nodes);
  }

  private static double secondsSince(long startNanos) {
    return (System.nanoTime() - startNanos) / 1e9;
  }
}

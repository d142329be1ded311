package io.vertxscr.simulation;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.simulation.Ledger.Attempt;
import io.vertxscr.simulation.Outcome.Invariant;
import io.vertxscr.simulation.Scenario.Chosen;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** When an operator gives the commands of {@link OfflineTools}. One that is killed or fails is given again. */
final class OperatorCommands {
  /** By which a command keeps daemons away. */
  private static final String LOCK = "/node.lock";

  private final Scenario scenario;
  private final Program program;
  private final OfflineTools tools;
  private final Map<String, Machine> machines;
  private final Site site;

  /**
   * Where the commands are given.
   *
   * @param hasDaemon whether the daemon of a machine lives
   * @param isWithinTolerance whether caches have what is needed of a dataset
   * @param said tells the story
   * @param check looks at the prefix directories
   * @param waits until locks are free of processes that are gone
   * @param violated is told of what does not hold
   */
  record Site(Predicate<String> hasDaemon, Predicate<Attempt> isWithinTolerance, Consumer<String> said,
      Runnable check, Runnable waits, BiConsumer<Invariant, String> violated) {}

  /** @param machines all there are at the moment of a command, by name */
  OperatorCommands(Scenario scenario, Program program, OfflineTools tools, Map<String, Machine> machines, Site site) {
    this.scenario = scenario;
    this.program = program;
    this.tools = tools;
    this.machines = machines;
    this.site = site;
  }

  /** Builds or verifies the index beside the daemons. */
  void scan(int run) {
    site.check().run();
    List<String> whole = attempts().stream().filter(attempt -> attempt.flushed && !attempt.isRotten)
        .map(Attempt::name).toList();
    List<String> marked = tools.marked();
    boolean verifies = run % 2 == 0;
    if (!verifies) {
      listsAgain(OptionalInt.empty());
    }
    give(run, "the index is " + (verifies ? "verified" : "built"), List.of(),
        verifies ? tools::verify : tools::build);
    tools.marked().stream().filter(name -> !marked.contains(name) && whole.contains(name))
        .forEach(name ->
            site.violated().accept(Invariant.LISTED_IS_WHOLE, name + " was found damaged, and is whole"));
    site.check().run();
  }

  private List<Attempt> attempts() {
    return program.ledger().attempts();
  }

  /** The machines of daemons that have ended, each by itself; where one runs, its lock refuses that. */
  void scavengeBeside(int run, String job) {
    Optional<Chosen> chosen = scenario.scavengedByNumber(run);
    machines.values().stream().filter(machine -> !site.hasDaemon().test(machine.name)).forEach(machine -> {
      List<Machine> on = List.of(machine);
      chosen.ifPresent(one -> scavengeOne(run, one, on, job, false));
      if (chosen.isEmpty() || chosen.get().thenAll()) {
        listsAgain(OptionalInt.empty());
        give(run, machine.name + " is scavenged", on,
            () -> tools.scavengeUnlessBusy(on, job, OptionalInt.empty()));
      }
    });
    site.check().run();
  }

  /**
   * All machines, when no daemon runs.
   *
   * @param run with the number of which the death of the command is drawn
   * @param atRest whether the daemons were at rest when they ended, and have left no lease in an object store;
   *     then it must succeed
   * @return whether all was scavenged, not only one that was chosen, and nobody was in the way
   */
  boolean scavengeAll(int run, String job, boolean atRest) {
    Optional<Chosen> chosen = scenario.scavengedByNumber(run);
    chosen.ifPresent(one -> scavengeOne(run, one, machines.values(), job, atRest));
    if (chosen.isPresent() && !chosen.get().thenAll()) {
      return false;
    }
    listsAgain(OptionalInt.empty());
    boolean done = scavenge(run, "what was cached", machines.values(), job, OptionalInt.empty(), atRest);
    site.check().run();
    return done;
  }

  private boolean scavenge(
      int run, String what, Collection<Machine> on, String job, OptionalInt chosen, boolean atRest) {
    return give(run, what + " is scavenged", on, () -> {
      boolean done = tools.scavengeUnlessBusy(on, job, chosen);
      if (!done && atRest) {
        site.waits().run();                               // for the lock of a command that was killed
        done = tools.scavengeUnlessBusy(on, job, chosen);
      }
      if (!done && atRest) {
        site.waits().run();                               // for that of names, which is looked at behind the first
        tools.scavenge(on, job, chosen);
      }
      return done || atRest;
    });
  }

  /** One dataset. All others stay as they are, in the caches and in the index. */
  private void scavengeOne(int run, Chosen chosen, Collection<Machine> on, String job, boolean atRest) {
    List<Integer> cached = tools.cached(on, job);
    if (cached.isEmpty()) {
      return;
    }
    int id = chosen.back() < cached.size() ? cached.get(chosen.back()) : cached.getFirst() + 1;
    site.check().run();
    Index before = tools.index();
    Map<String, byte[]> caches = contents(on);
    listsAgain(OptionalInt.of(id));
    boolean isAll = on.size() == machines.size();
    boolean done = scavenge(run, "dataset " + id + " of " + (isAll ? "all" : on.iterator().next().name), on, job,
        OptionalInt.of(id), atRest);
    site.check().run();
    Map<String, byte[]> now = contents(on);
    caches.forEach((path, bytes) -> {
      if (!Arrays.equals(bytes, now.get(path))) {
        site.violated().accept(Invariant.OTHERS_UNTOUCHED, path + (now.containsKey(path) ? " has other bytes" : " is"
            + " gone") + " behind a scavenge of dataset " + id);
      }
    });
    Set<Integer> listed = before.entries().stream().filter(Index.Entry::complete).map(Index.Entry::id)
        .collect(Collectors.toSet());
    tools.index().entries().stream().filter(entry -> entry.complete() && entry.id() != id
        && !listed.contains(entry.id()) && !before.entries().isEmpty()
        && (isAll || !isProtected(entry))).forEach(entry -> site.violated().accept(
            Invariant.OTHERS_UNTOUCHED, entry.name() + " is listed behind a scavenge of dataset " + id));
    if (isAll && done) {
      attempts().stream().filter(attempt -> attempt.id == id && mustBeHad(attempt) && !attempt.flushed)
          .forEach(attempt -> site.violated().accept(Invariant.NEWEST_IS_OFFERED,
              attempt + " (dataset " + id + ") was chosen to be scavenged, and is not in the index"));
    }
  }

  /** Whether daemons beside may flush it meanwhile. */
  private boolean isProtected(Index.Entry entry) {
    return attempts().stream().anyMatch(
        attempt -> attempt.id == entry.id() && attempt.name().equals(entry.name()) && attempt.isProtected());
  }

  /** Whether nothing keeps the only dataset of its number from being scavenged. */
  private boolean mustBeHad(Attempt attempt) {
    boolean isOnly = attempts().stream().filter(other -> other.id == attempt.id).count() == 1;
    boolean isOvertaken = scenario.rolling() && attempts().stream().anyMatch(
        newer -> newer.number > attempt.number && newer.isCheckpoint() && newer.wasFlushed);
    return isOnly && attempt.acknowledged && attempt.evicted.isEmpty() && !attempt.isUnwanted && !attempt.isRotten
        && site.isWithinTolerance().test(attempt) && !isOvertaken
        && !program.ledger().mayBeReplaced(attempt, scenario.mayBypass()) && !program.ledger().isBarred(attempt);
  }

  /** A command may list datasets again that were taken out of the index. @param one of this number only */
  private void listsAgain(OptionalInt one) {
    attempts().stream().filter(attempt -> one.isEmpty() || attempt.id == one.getAsInt())
        .forEach(attempt -> attempt.isDelisted = false);
    program.ledger().forgetCurrent();
  }

  private static Map<String, byte[]> contents(Collection<Machine> machines) {
    Map<String, byte[]> found = new TreeMap<>();
    machines.forEach(machine -> machine.disk.collect(machine.name, found));
    found.keySet().removeIf(path -> path.endsWith(LOCK));
    return found;
  }

  /**
   * Gives a command; it may be killed or fail, and is given again.
   *
   * @param on the machines whose disks it uses
   * @param command false: not now
   * @return false: not now, the second time either
   */
  boolean give(int run, String what, Collection<Machine> on, BooleanSupplier command) {
    scenario.commandMishap(run).ifPresent(mishap -> {
      if (tools.befalls(mishap, on, command)) {
        site.said().accept(what + ", but " + mishap);
        site.check().run();
      }
    });
    boolean done = tools.carriesOut(command);
    site.said().accept(what + (done ? "" : ", but not now"));
    return done;
  }
}

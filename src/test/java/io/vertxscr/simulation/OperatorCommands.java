package io.vertxscr.simulation;

import io.vertxscr.simulation.Ledger.Attempt;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** When an operator gives the commands of {@link OfflineTools}; each may be killed, and is given again then. */
final class OperatorCommands {
  private final Scenario scenario;
  private final Ledger ledger;
  private final OfflineTools tools;
  private final Map<String, Machine> machines;
  private final Site site;

  /**
   * Where the commands are given.
   *
   * @param hasDaemon whether the daemon of a machine lives
   * @param said tells the story
   * @param check looks at the prefix directories
   * @param waits until locks are free of processes that are gone
   * @param damaged is told of what was found damaged, and is whole
   */
  record Site(Predicate<String> hasDaemon, Consumer<String> said, Runnable check, Runnable waits,
      Consumer<String> damaged) {}

  /** @param machines all there are at the moment of a command, by name */
  OperatorCommands(Scenario scenario, Ledger ledger, OfflineTools tools, Map<String, Machine> machines, Site site) {
    this.scenario = scenario;
    this.ledger = ledger;
    this.tools = tools;
    this.machines = machines;
    this.site = site;
  }

  /** Builds or verifies the index beside the daemons. */
  void scan(int run) {
    site.check().run();
    List<String> whole = ledger.attempts().stream().filter(attempt -> attempt.flushed && !attempt.isRotten)
        .map(Attempt::name).toList();
    List<String> marked = tools.marked();
    boolean verifies = run % 2 == 0;
    give(run, "the index is " + (verifies ? "verified" : "built"), List.of(),
        verifies ? tools::verify : tools::build);
    tools.marked().stream().filter(name -> !marked.contains(name) && whole.contains(name))
        .forEach(name -> site.damaged().accept(name + " was found damaged, and is whole"));
    site.check().run();
  }

  /** The machines of daemons that have ended, each by itself; where one runs, its lock refuses that. */
  void scavengeBeside(int run, String job) {
    machines.values().stream().filter(machine -> !site.hasDaemon().test(machine.name)).forEach(machine ->
        give(run, machine.name + " is scavenged", List.of(machine),
            () -> tools.scavengeUnlessBusy(List.of(machine), job)));
    site.check().run();
  }

  /**
   * All machines, when no daemon runs.
   *
   * @param run with the number of which the death of the command is drawn
   * @param atRest whether the daemons were at rest when they ended, and have left no lease in an object store;
   *     then it must succeed
   */
  void scavengeAll(int run, String job, boolean atRest) {
    give(run, "what was cached is scavenged", machines.values(), () -> {
      boolean done = tools.scavengeUnlessBusy(machines.values(), job);
      if (!done && atRest) {
        site.waits().run();                               // for the lock of a command that was killed
        tools.scavenge(machines.values(), job);
      }
      return done || atRest;
    });
    site.check().run();
  }

  /**
   * Gives a command; it may be killed, and is given again.
   *
   * @param on the machines whose disks it uses
   * @param command false: not now
   */
  private void give(int run, String what, Collection<Machine> on, BooleanSupplier command) {
    scenario.commandDeath(run).ifPresent(death -> {
      if (tools.isKilled(death, on, command)) {
        site.said().accept(what + ", but killed before operation " + death.operation()
            + (death.ofRenames() ? " that renames" : ""));
        site.check().run();
      }
    });
    site.said().accept(what + (command.getAsBoolean() ? "" : ", but not now"));
  }
}

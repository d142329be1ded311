package io.vertxscr.simulation;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.simulation.Ledger.Attempt;
import io.vertxscr.simulation.Outcome.Invariant;
import io.vertxscr.simulation.Scenario.Edit;
import io.vertxscr.simulation.Trouble.Kind;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Has the index changed beside the daemons, and notes in the ledger what that means. As {@code scr index} does it with
 * {@code --add}, {@code --current}, {@code --drop} and {@code --drop-after}.
 *
 * <p>What is dropped leaves the index, and nothing else: its files stay, and caches keep it. So a restart from the
 * caches may use it, but none has to. It stays away from the index, unless a cache still has it to flush.
 */
final class IndexEdits {
  /** What one dataset makes impossible. */
  private static final Set<Fault> REFUSALS =
      Set.of(Fault.NO_SUCH_DATASET, Fault.WRONG_STATE, Fault.CORRUPT, Fault.BAD_CONFIGURATION);
  /** How long names and attributes are believed where they lag. */
  private static final long LAG_NS = 3_000_000_000L;

  /** What has become of a command. */
  private enum Given {
    DONE, REFUSED, NOT_NOW
  }

  private final World world;
  private final Ledger ledger;
  private final OperatorCommands commands;
  private final OfflineTools tools;
  private final boolean mayLag;
  /** What an operator has dropped that was wanted until then, and how many datasets there were. */
  private final Map<Attempt, Integer> dropped = new HashMap<>();

  /** Edits the index of the first program. */
  IndexEdits(World world, OperatorCommands commands, OfflineTools tools) {
    this.world = world;
    this.ledger = world.main.ledger();
    this.commands = commands;
    this.tools = tools;
    this.mayLag = world.scenario.troubles().stream().anyMatch(trouble -> trouble.kind() == Kind.PREFIX_LAGS);
  }

  /** Does what is to be done behind a run. */
  void behind(int run) {
    world.scenario.edits(run).stream().filter(edit -> edit.afterMs().isEmpty()).forEach(edit -> edit(run, edit));
  }

  /** Does something now. */
  void edit(int run, Edit edit) {
    world.checkPrefix();
    Index before = tools.index();
    switch (edit.what()) {
      case ADD -> toAdd(before, edit.back()).ifPresent(id -> add(run, edit, id));
      case CURRENT -> named(before, edit.back()).filter(entry -> entry.descriptor().flags().checkpoint() || run > 0)
          .ifPresent(entry -> setCurrent(run, edit, before, entry));
      case DROP -> named(before, edit.back()).ifPresent(entry -> drop(run, "dropped from the index",
          List.of(entry), () -> tools.drop(entry.name())));
      case DROP_AFTER -> named(before, edit.back()).ifPresent(entry -> drop(run,
          "not newer than " + entry.name() + ", which is kept in the index, and is dropped from it",
          before.entries().stream().filter(other -> other.id() > entry.id()).toList(),
          () -> tools.dropAfter(entry.name())));
    }
    world.indexEditedNs = world.time.nowNs() + (mayLag ? LAG_NS : 0);
    world.checkPrefix();
  }

  private static Optional<Index.Entry> named(Index index, int back) {
    return index.entries().reversed().stream().skip(back).findFirst();
  }

  /** What is not listed as whole; or else what is. */
  private Optional<Integer> toAdd(Index index, int back) {
    Predicate<Integer> isListed = id -> index.find(id).filter(Index.Entry::complete).isPresent();
    List<Integer> all = tools.known();
    List<Integer> missing = all.stream().filter(isListed.negate()).toList();
    return (missing.isEmpty() ? all : missing).stream().skip(back).findFirst();
  }

  private List<Attempt> attempts(Collection<Index.Entry> entries) {
    return entries.stream().flatMap(entry -> ledger.attempts().stream()
        .filter(attempt -> attempt.id == entry.id() && attempt.name().equals(entry.name()))).toList();
  }

  private void add(int run, Edit edit, int id) {
    List<Attempt> added = ledger.attempts().stream().filter(attempt -> attempt.id == id).toList();
    Set<Attempt> wereDelisted = added.stream().filter(attempt -> attempt.isDelisted).collect(Collectors.toSet());
    added.forEach(attempt -> {
      attempt.isDelisted = false;
      attempt.isFlushedAgain = true;
    });
    ledger.forgetCurrent();
    boolean done = give(run, "dataset " + id + " is added to the index", () -> tools.add(id));
    world.checkPrefix();
    for (Attempt attempt : added) {
      if (attempt.flushed) {
        wantAgain(attempt, edit);
      } else if (wereDelisted.contains(attempt)) {
        attempt.isDelisted = tools.index().find(id).filter(Index.Entry::complete).isEmpty();
        if (done && mustBeWhole(attempt)) {
          world.violated(Invariant.LISTED_IS_WHOLE, attempt + " (dataset " + id + "), which was whole when it was"
              + " dropped, was added to the index, and is not listed");
        }
      }
    }
  }

  /** Whether nothing has changed what was dropped: nor has another one its paths, an older one either. */
  private boolean mustBeWhole(Attempt attempt) {
    boolean isAlone = !world.scenario.rolling() || !attempt.isCheckpoint();
    return attempt.wasFlushed && !attempt.isRotten && isAlone && !ledger.mayBeReplaced(attempt, false);
  }

  /** A run that is on may have begun with another one, and a later run may have left its branch of history. */
  private void wantAgain(Attempt attempt, Edit edit) {
    Optional<Integer> then = Optional.ofNullable(dropped.remove(attempt));
    if (edit.afterMs().isEmpty() && then.filter(size -> size == ledger.attempts().size()).isPresent()) {
      attempt.isUnwanted = false;
    }
  }

  private void setCurrent(int run, Edit edit, Index before, Index.Entry entry) {
    Given given = command(run, entry.name() + " (dataset " + entry.id() + ") is set current in the index",
        () -> tools.setCurrent(entry.name()));
    Index now = tools.index();
    boolean isCurrent = now.current().equals(Optional.of(entry.name()));
    boolean othersCame = now.entries().stream().anyMatch(other -> other.complete()
        && before.find(other.id()).filter(Index.Entry::complete).isEmpty());   // it was overtaken by their flush
    if (!othersCame && (given != Given.NOT_NOW && (given == Given.DONE) != entry.restartable()
        || given == Given.DONE && !isCurrent)) {
      world.violated(Invariant.REMOVED_STAYS_AWAY, entry.name() + " (dataset " + entry.id()
          + ") was to be set current: " + given + ", and restarts begin with " + now.current());
    }
    List<Attempt> named = attempts(List.of(entry));
    if (named.size() == 1 && isCurrent && entry.restartable()) {
      ledger.beginWith(named.getFirst(), lastId(now));
      named.getFirst().isUnwanted &= edit.afterMs().isPresent();
      dropped.keySet().removeIf(attempt -> attempt.isPassedOver);   // added again, they stay passed over
    }
  }

  private static int lastId(Index index) {
    return index.entries().reversed().stream().filter(Index.Entry::restartable).mapToInt(Index.Entry::id).findFirst()
        .orElse(0);
  }

  private void drop(int run, String what, List<Index.Entry> entries, BooleanSupplier command) {
    List<Attempt> gone = attempts(entries);
    Set<Attempt> wanted = gone.stream().filter(attempt -> !attempt.isUnwanted).collect(Collectors.toSet());
    gone.forEach(attempt -> attempt.isUnwanted = true);
    give(run, entries.stream().map(entry -> entry.name() + " (dataset " + entry.id() + ")").toList() + " is " + what,
        command);
    Index now = tools.index();
    for (Attempt attempt : gone) {
      if (now.find(attempt.id).isPresent()) {
        attempt.isUnwanted = !wanted.contains(attempt);
      } else {
        attempt.isDelisted = !attempt.mayBeOrdered
            && !tools.mayBeFlushed(attempt.id, world.machines.values(), world.job);
        if (wanted.contains(attempt)) {
          dropped.put(attempt, ledger.attempts().size());
        }
      }
    }
    if (now.current().isEmpty()) {
      ledger.forgetCurrent();
    } else {
      ledger.passOver(lastId(now));
    }
  }

  /** @return false: not now; what is refused has been done */
  private boolean give(int run, String what, BooleanSupplier command) {
    return command(run, what, command) != Given.NOT_NOW;
  }

  private Given command(int run, String what, BooleanSupplier command) {
    AtomicReference<Given> given = new AtomicReference<>(Given.NOT_NOW);
    commands.give(run, what, List.of(), () -> {
      try {
        given.set(command.getAsBoolean() ? Given.DONE : Given.NOT_NOW);
      } catch (ScrException e) {
        if (!REFUSALS.contains(e.fault())) {
          throw e;
        }
        world.said(what + ": refused, " + e.getMessage());
        given.set(Given.REFUSED);
      }
      return given.get() != Given.NOT_NOW;
    });
    return given.get();
  }
}

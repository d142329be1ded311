package io.vertxscr.format.prefix;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * All datasets of a prefix directory. Immutable: an edit gives a new index.
 *
 * @param current name of the dataset to restart from; empty for the newest. A name that no entry has counts as empty
 * @param entries ascending by id; ids and names are unique
 */
public record Index(Optional<String> current, List<Entry> entries) {
  /** The index of a prefix without datasets. */
  public static final Index EMPTY = new Index(Optional.empty(), List.of());

  /**
   * One dataset. Times are local and whole seconds; fractions are cut off.
   *
   * @param complete all its files and maps are there, and durable
   * @param flushed when that was so
   * @param fetched when runs restarted from it, ascending, each time once
   * @param failed when a fetch or a verification found it damaged; no restart tries it again
   * @param byVerify whether that was a verification, which takes it back when it finds the dataset good again; nobody
   *     else knows what a run could not use
   * @param replacedBy id of the later dataset that has written over files of this one, which is not complete then
   */
  public record Entry(DatasetDescriptor descriptor, boolean complete, Optional<LocalDateTime> flushed,
      List<LocalDateTime> fetched, Optional<LocalDateTime> failed, boolean byVerify, OptionalInt replacedBy) {
    public Entry {
      complete &= replacedBy.isEmpty();
      flushed = flushed.map(Index::seconds);
      fetched = fetched.stream().map(Index::seconds).distinct().sorted().toList();
      failed = failed.map(Index::seconds);
      byVerify &= failed.isPresent();
    }

    /** A dataset of which no verification has found anything. */
    public Entry(DatasetDescriptor descriptor, boolean complete, Optional<LocalDateTime> flushed,
        List<LocalDateTime> fetched, Optional<LocalDateTime> failed) {
      this(descriptor, complete, flushed, fetched, failed, false, OptionalInt.empty());
    }

    /** A dataset that was just flushed, not fetched yet. */
    public static Entry flushed(DatasetDescriptor descriptor, boolean complete, LocalDateTime time) {
      return new Entry(descriptor, complete, Optional.of(time), List.of(), Optional.empty());
    }

    public int id() {
      return descriptor.id();
    }

    public String name() {
      return descriptor.name();
    }

    /** Whether a restart may use it. */
    public boolean restartable() {
      return complete && failed.isEmpty() && descriptor.flags().checkpoint();
    }

    private Entry with(List<LocalDateTime> fetches) {
      return new Entry(descriptor, complete, flushed, fetches, failed, byVerify, replacedBy);
    }

    private Entry marked(Optional<LocalDateTime> time, boolean verified) {
      return new Entry(descriptor, complete, flushed, fetched, time, verified, replacedBy);
    }

    /** Whether it was whole once, and is not any more. */
    private boolean lostFiles() {
      return byVerify && (complete || flushed.isPresent()) || replacedBy.isPresent();
    }

    private Entry writtenAgain() {
      return new Entry(descriptor, complete && !byVerify, flushed, fetched, byVerify ? Optional.empty() : failed, false,
          OptionalInt.empty());
    }

    private Entry replaced(int by) {
      return new Entry(descriptor, false, flushed, fetched, failed, byVerify, OptionalInt.of(by));
    }

    /** Returns the entry marked as not complete. */
    public Entry notComplete() {
      return new Entry(descriptor, false, flushed, fetched, failed, byVerify, replacedBy);
    }
  }

  public Index {
    current.ifPresent(Names::dataset);
    entries = entries.stream().sorted(Comparator.comparingInt(Entry::id)).toList();
    Set<Object> taken = new HashSet<>();
    for (Entry entry : entries) {
      if (!taken.add(entry.id()) || !taken.add(entry.name())) {
        throw new ScrException(Fault.BAD_REQUEST,
            "dataset " + entry.id() + " '" + entry.name() + "': its id or name stands twice in the index");
      }
    }
  }

  /** The dataset with this id. */
  public Optional<Entry> find(int id) {
    return entries.stream().filter(entry -> entry.id() == id).findFirst();
  }

  /** The dataset with this name. */
  public Optional<Entry> find(String name) {
    return entries.stream().filter(entry -> entry.name().equals(name)).findFirst();
  }

  /** The id that a new dataset must exceed; 0 if there is none. */
  public int lastId() {
    return entries.isEmpty() ? 0 : entries.getLast().id();
  }

  /**
   * Adds a dataset and replaces those with its id or its name. The files of a reused name have been overwritten.
   * {@link #current} stays, by name.
   */
  public Index put(Entry added) {
    return putAll(List.of(added));
  }

  /** Adds several datasets in order. */
  public Index putAll(Collection<Entry> added) {
    Map<Integer, Entry> byId = new HashMap<>();
    Map<String, Entry> byName = new HashMap<>();
    for (Entry entry : entries) {
      byId.put(entry.id(), entry);
      byName.put(entry.name(), entry);
    }
    for (Entry entry : added) {
      Entry sameId = byId.put(entry.id(), entry);
      if (sameId != null) {
        byName.remove(sameId.name());
      }
      Entry sameName = byName.put(entry.name(), entry);
      if (sameName != null) {
        byId.remove(sameName.id());
      }
    }
    return new Index(current, List.copyOf(byId.values())).withoutDanglingCurrent(this);
  }

  /**
   * Adds datasets that are in the prefix directory now, whole. The newest becomes current if it is a checkpoint and
   * none newer is here. What is known as whole already stays as it is, with all that has happened to it since; so does
   * what was written over since.
   *
   * @param added each id once
   * @param time when they were flushed
   */
  public Index enlist(Collection<DatasetDescriptor> added, LocalDateTime time) {
    Map<Integer, Entry> known = new HashMap<>();
    entries.stream().filter(entry -> entry.complete || entry.replacedBy.isPresent())
        .forEach(entry -> known.put(entry.id(), entry));
    List<Entry> fresh = added.stream()
        .filter(one -> !known.containsKey(one.id()) || !known.get(one.id()).descriptor().sameAs(one))
        .map(one -> Entry.flushed(one, true, time)).sorted(Comparator.comparingInt(Entry::id)).toList();
    Index after = putAll(fresh);
    Optional<Entry> newest = after.entries.reversed().stream().filter(Entry::restartable).findFirst();
    return newest.filter(fresh::contains).map(entry -> after.setCurrent(entry.name())).orElse(after);
  }

  /**
   * Adds a dataset whose files have all been written. Those that were written over, or damaged, are there again; but
   * where {@link #current} excludes it as it was listed before, that stays so.
   *
   * @param time when it was flushed
   */
  public Index enlistWritten(DatasetDescriptor written, LocalDateTime time) {
    List<Entry> again =
        entries.stream().map(entry -> entry.id() == written.id() ? entry.writtenAgain() : entry).toList();
    Index after = new Index(current, again).enlist(List.of(written), time);
    boolean excluded = written.id() > currentId()
        && find(written.id()).filter(entry -> entry.lostFiles() && entry.descriptor().sameAs(written)).isPresent();
    return excluded ? new Index(current, after.entries) : after;
  }

  /** Removes a dataset; {@link #current} becomes empty if it named it. @throws ScrException NO_SUCH_DATASET */
  public Index drop(int id) {
    Entry dropped = require(id);
    List<Entry> others = entries.stream().filter(entry -> entry != dropped).toList();
    return new Index(current, others).withoutDanglingCurrent(this);
  }

  /**
   * Removes all datasets with a higher id than this one; {@link #current} becomes empty if it named one.
   *
   * @throws ScrException NO_SUCH_DATASET
   */
  public Index dropAfter(String name) {
    int last = require(name).id();
    return new Index(current, entries.stream().filter(entry -> entry.id() <= last).toList())
        .withoutDanglingCurrent(this);
  }

  /** Restarts begin with this dataset. @throws ScrException NO_SUCH_DATASET */
  public Index setCurrent(String name) {
    require(name);
    return new Index(Optional.of(name), entries);
  }

  /** Restarts begin with the newest dataset. */
  public Index withoutCurrent() {
    return new Index(Optional.empty(), entries);
  }

  /** A run restarted from it. @throws ScrException NO_SUCH_DATASET */
  public Index markFetched(int id, LocalDateTime time) {
    return edit(id, entry -> entry.with(Stream.concat(entry.fetched.stream(), Stream.of(time)).toList()));
  }

  /** Its files are damaged. @throws ScrException NO_SUCH_DATASET */
  public Index markFailed(int id, LocalDateTime time) {
    return edit(id, entry -> entry.marked(Optional.of(time), false));
  }

  /** A verification found it damaged; a mark that is there stays as it is. @throws ScrException NO_SUCH_DATASET */
  public Index markDamaged(int id, LocalDateTime time) {
    return edit(id, entry -> entry.failed.isPresent() ? entry : entry.marked(Optional.of(time), true));
  }

  /** A verification found it good: clears the mark of an earlier verification, and no other mark. */
  public Index markGood(int id) {
    return edit(id, entry -> entry.byVerify ? entry.marked(Optional.empty(), false) : entry);
  }

  /**
   * A later dataset has written over files of these: they are not complete any more, and say why.
   *
   * @param ids those that the index does not list are passed over, as is the later one itself
   */
  public Index markReplaced(Set<Integer> ids, int by) {
    return new Index(current, entries.stream()
        .map(entry -> ids.contains(entry.id()) && entry.id() != by ? entry.replaced(by) : entry).toList());
  }

  /** Id of the dataset that restarts begin with; the largest integer where they begin with the newest. */
  public int currentId() {
    return current.flatMap(this::find).map(Entry::id).orElse(Integer.MAX_VALUE);
  }

  /**
   * Returns the datasets that a restart may use, best first. These are complete checkpoints that have not failed,
   * newest first, none newer than {@link #current}, which excludes newer ones.
   */
  public List<Entry> candidates() {
    int newest = currentId();
    List<Entry> candidates = new ArrayList<>(
        entries.stream().filter(entry -> entry.id() <= newest && entry.restartable()).toList());
    return List.copyOf(candidates.reversed());
  }

  private Index edit(int id, UnaryOperator<Entry> change) {
    Entry changed = require(id);
    return new Index(current, entries.stream().map(e -> e == changed ? change.apply(e) : e).toList());
  }

  private Entry require(int id) {
    return find(id).orElseThrow(() -> new ScrException(Fault.NO_SUCH_DATASET, "the index has no dataset " + id));
  }

  /** The dataset with this name. @throws ScrException NO_SUCH_DATASET */
  public Entry require(String name) {
    return find(name).orElseThrow(() ->
        new ScrException(Fault.NO_SUCH_DATASET, "the index has no dataset '" + name + "'"));
  }

  /** Clears a current name lost by this edit: it must not refer to a later dataset of the same name. */
  private Index withoutDanglingCurrent(Index before) {
    boolean lost = current.isPresent() && before.find(current.get()).isPresent() && find(current.get()).isEmpty();
    return lost ? new Index(Optional.empty(), entries) : this;
  }

  private static LocalDateTime seconds(LocalDateTime time) {
    return time.truncatedTo(ChronoUnit.SECONDS);
  }
}

package io.vertxscr.model;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * History of the restarts from a prefix directory; stored there to outlive nodes and allocations. Immutable.
 *
 * <p>The loop breaker: a checkpoint that {@link Limits#MAX_FRUITLESS_LOADS} runs have begun to read, while none has
 * completed its restart, is put in quarantine by the next one: a job that dies of its checkpoint would die of it for
 * ever. With a configured limit for loops, those runs count too that have completed their restart, but no other
 * checkpoint. What a run has read that lost a node, or was ended from outside, does not count: not the checkpoint was
 * to blame.
 *
 * @param from the selected start of restarts; empty: the newest checkpoint
 * @param loads checkpoints that were read since a run got any further, and those in quarantine; ascending by id
 * @param lastDatasetId highest dataset id that was known when this was written
 * @param followed the launch that has followed a wish last, which its further runs do not follow again
 * @param departures where runs have left the branch of history that was there before; ascending by run
 * @param removed datasets that somebody has dropped or deleted, which nodes that were away may still have; ascending by
 *     creation
 */
public record RestartHistory(Optional<From> from, List<Load> loads, int lastDatasetId, Map<Wish, String> followed,
    List<Departure> departures, List<DatasetKey> removed) {
  /** Nothing has happened yet. */
  public static final RestartHistory EMPTY =
      new RestartHistory(Optional.empty(), List.of(), 0, Map.of(), List.of(), List.of());
  /** Older ones speak of datasets that are hardly anywhere any more. */
  static final int MOST_DEPARTURES = 32;
  /** The same; some programs remove each checkpoint when they have the next one. */
  static final int MOST_REMOVED = 128;

  /** Actions to be done once before the first run of a launch: SCR_CACHE_PURGE, and so on. */
  public enum Wish { CACHE_PURGE, PREFIX_PURGE, CURRENT }

  /**
   * A dataset named by the user. Later ones known at that time are excluded from restarts, those that came after are
   * not.
   *
   * @param lastDatasetId highest dataset id that was known when it was named
   */
  public record From(int datasetId, String name, int lastDatasetId) {}

  /**
   * A checkpoint that an application has begun to read.
   *
   * @param createdUs with the id it tells histories apart
   * @param times how often, since a run got any further, by runs that count
   * @param run the last one that read it; 0: it does not count
   */
  public record Load(int datasetId, long createdUs, String name, int times, long run, boolean quarantined) {
    /** Whether this is about that dataset. */
    public boolean isOf(DatasetDescriptor dataset) {
      return datasetId == dataset.id() && createdUs == dataset.createdUs();
    }

    /** Whether it has led nowhere too often. @param most runs that may end so; the last of them is too many */
    public boolean fruitless(int most) {
      return !quarantined && times >= most;
    }
  }

  /**
   * A run has restarted from this dataset and has completed another one. What continued from it before the run is of a
   * branch that the program has left.
   *
   * @param createdUs with the id it tells histories apart
   * @param run its begin in microseconds since 1970
   */
  public record Departure(int datasetId, long createdUs, long run) {
    /** Whether a dataset is of the branch that was left. */
    boolean leaves(int id, long created) {
      return created < run && (id > datasetId || id == datasetId && created != createdUs);
    }

    /** Whether this one says all that the other one says. */
    private boolean implies(Departure other) {
      return run >= other.run && (datasetId < other.datasetId
          || datasetId == other.datasetId && createdUs == other.createdUs);
    }
  }

  public RestartHistory {
    departures = departures.stream().sorted(Comparator.comparingLong(Departure::run)).toList();
    departures = departures.subList(Math.max(0, departures.size() - MOST_DEPARTURES), departures.size());
    removed = removed.stream().distinct().sorted(Comparator.comparingLong(DatasetKey::createdUs)).toList();
    removed = removed.subList(Math.max(0, removed.size() - MOST_REMOVED), removed.size());
    loads = loads.stream().sorted(Comparator.comparingInt(Load::datasetId)).toList();
    followed = Collections.unmodifiableMap(new TreeMap<>(followed));  // in one order, also in the file
  }

  /**
   * Whether a launch has done this action already: its further runs restart from newer checkpoints.
   *
   * @param launch names it among all, and what it wants
   */
  public boolean hasFollowed(Wish wish, String launch) {
    return launch.equals(followed.get(wish));
  }

  /** Launches have followed these wishes. */
  public RestartHistory following(Map<Wish, String> wishes) {
    Map<Wish, String> all = new TreeMap<>(followed);
    all.putAll(wishes);
    return new RestartHistory(from, loads, lastDatasetId, all, departures, removed);
  }

  /** Whether a restart may use it under the selected checkpoint. */
  public boolean allows(DatasetDescriptor dataset) {
    return from.isEmpty() || dataset.id() <= from.get().datasetId() || dataset.id() > from.get().lastDatasetId();
  }

  /** Returns the record of a dataset's loads. */
  public Optional<Load> find(DatasetDescriptor dataset) {
    return loads.stream().filter(load -> load.isOf(dataset)).findFirst();
  }

  /** Whether a restart passes it over, where there is any other. */
  public boolean quarantined(DatasetDescriptor dataset) {
    return find(dataset).filter(Load::quarantined).isPresent();
  }

  /** A run begins to read this checkpoint. */
  public RestartHistory loaded(int datasetId, long createdUs, String name, long run) {
    Load before = loads.stream().filter(load -> load.datasetId() == datasetId && load.createdUs() == createdUs)
        .findFirst().orElse(new Load(datasetId, createdUs, name, 0, 0, false));
    return with(new Load(datasetId, createdUs, name, before.times() + 1, run, before.quarantined()));
  }

  /** The run has read all of its checkpoint: if it comes to a bad end now, it is not by that. */
  public RestartHistory restarted(long run) {
    return with(loads.stream().filter(load -> load.run() != run || load.quarantined()).toList());
  }

  /** The run lost a node, or was ended from outside: the checkpoint is not to blame for its end. */
  public RestartHistory excused(long run) {
    return with(loads.stream().map(load -> load.run() == run && !load.quarantined()
        ? new Load(load.datasetId(), load.createdUs(), load.name(), load.times() - 1, 0, false) : load)
        .filter(load -> load.times() > 0).toList());
  }

  /** Quarantines checkpoints with too many failed loads. */
  public RestartHistory quarantine(int most) {
    List<Load> judged = loads.stream().map(load -> load.fruitless(most)
        ? new Load(load.datasetId(), load.createdUs(), load.name(), load.times(), load.run(), true) : load).toList();
    return with(judged);
  }

  /** A run has completed a checkpoint, or has come to its regular end: what it began with was good. */
  public RestartHistory progressed() {
    return with(loads.stream().filter(Load::quarantined).toList());
  }

  /** Whether it is of a branch of history that the program has left: used only where there is no other. */
  public boolean left(DatasetDescriptor dataset) {
    return departures.stream().anyMatch(departure -> departure.leaves(dataset.id(), dataset.createdUs()));
  }

  /** A run that has restarted from this dataset has completed another one. The program is on its branch now. */
  public RestartHistory departed(int datasetId, long createdUs, long run) {
    Departure departure = new Departure(datasetId, createdUs, run);
    return backOn(datasetId, createdUs).with(departure);
  }

  /** The program is on the branch of this dataset, regardless of what was noted before. */
  private RestartHistory backOn(int datasetId, long createdUs) {
    return new RestartHistory(from, loads, lastDatasetId, followed,
        departures.stream().filter(departure -> !departure.leaves(datasetId, createdUs)).toList(), removed);
  }

  private RestartHistory with(Departure departure) {
    return new RestartHistory(from, loads, lastDatasetId, followed, Stream.concat(
        departures.stream().filter(other -> !departure.implies(other)), Stream.of(departure)).toList(), removed);
  }

  /** Somebody wants to begin with this dataset, which ends its quarantine too. */
  public RestartHistory startingFrom(DatasetDescriptor dataset, int lastKnownId) {
    return lifted(dataset.name()).backOn(dataset.id(), dataset.createdUs()).knowing(lastKnownId)
        .with(Optional.of(new From(dataset.id(), dataset.name(), Math.max(lastKnownId, lastDatasetId))));
  }

  /** Somebody has set another dataset current in the index since: restarts go by the index alone. */
  public RestartHistory startingAnywhere() {
    return new RestartHistory(Optional.empty(), loads, lastDatasetId, followed, List.of(), removed);
  }

  /** Nothing is held against the datasets of this name any more. */
  public RestartHistory lifted(String name) {
    return with(loads.stream().filter(load -> !load.name().equals(name)).toList());
  }

  /** Latest time that is noted, in microseconds since 1970; 0 for none. */
  public long lastUs() {
    return LongStream.concat(loads.stream().mapToLong(load -> Math.max(load.createdUs(), load.run())),
        departures.stream().mapToLong(departure -> Math.max(departure.createdUs(), departure.run())))
        .max().orElse(0);
  }

  /** Somebody has removed these. */
  public RestartHistory removing(Collection<DatasetKey> gone) {
    return new RestartHistory(from, loads, lastDatasetId, followed, departures,
        Stream.concat(removed.stream(), gone.stream()).toList());
  }

  /** Whether it is known that somebody has removed it. It may have been listed anew since. */
  public boolean isRemoved(DatasetKey dataset) {
    return removed.contains(dataset);
  }

  /** Ids up to this one have been used. */
  public RestartHistory knowing(int datasetId) {
    return new RestartHistory(from, loads, Math.max(lastDatasetId, datasetId), followed, departures, removed);
  }

  private RestartHistory with(Optional<From> other) {
    return new RestartHistory(other, loads, lastDatasetId, followed, departures, removed);
  }

  private RestartHistory with(Load changed) {
    return with(Stream.concat(loads.stream()
        .filter(load -> load.datasetId() != changed.datasetId()), Stream.of(changed)).toList());
  }

  private RestartHistory with(List<Load> others) {
    return new RestartHistory(from, others, lastDatasetId, followed, departures, removed);
  }
}

package io.vertxscr.scavenge;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.prefix.metadata.PrefixIndex.Reading;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.publish.LeftoverSweep;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.scavenge.DatasetAssembly.Assembled;
import io.vertxscr.storage.Presence;
import java.time.Clock;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Makes datasets of a prefix directory whole and lists them: one, or all. What is found goes to the caller's consumer
 * while it is found. Blocking, for commands; a daemon publishes by {@link Publication}.
 */
public final class DatasetPublisher {
  /** What is wrong with one dataset, its files or who works on it, and with no other. */
  private static final Set<Fault> OF_ONE_DATASET = EnumSet.of(Fault.CORRUPT, Fault.BUSY, Fault.WRONG_STATE,
      Fault.OUTSIDE_PREFIX, Fault.BAD_REQUEST, Fault.NO_SUCH_DATASET, Fault.NO_SUCH_FILE, Fault.UNKNOWN_RANK);

  private final PrefixPaths paths;
  private final PrefixIndex index;
  private final FlushFileStore flushFile;
  private final Clock clock;
  private final Consumer<Finding> findings;
  private final Publication publication;

  /** @param clock for the times in the index */
  public DatasetPublisher(PrefixPaths paths, PrefixIndex index, FlushFileStore flushFile, Clock clock,
      Consumer<Finding> findings) {
    this.paths = paths;
    this.index = index;
    this.flushFile = flushFile;
    this.clock = clock;
    this.findings = findings;
    this.publication = new Publication(paths, index);
  }

  /**
   * Resolves a dataset argument: its number, its directory, or the name under which it is published.
   *
   * @throws ScrException BAD_CONFIGURATION where it means none, or more than one
   */
  public int idOf(String argument) {
    String number = argument.matches("[1-9][0-9]{0,8}") ? "scr.dataset." + argument : argument;
    OptionalInt id = PrefixPaths.datasetOf(paths.prefix().resolve(number));
    if (id.isPresent()) {
      return id.getAsInt();
    }
    List<Integer> named = publication.named(argument);
    if (named.size() != 1) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "'" + argument + "' " + (named.isEmpty()
          ? "is neither a dataset's number, nor its directory scr.dataset.<number>, nor the name of one that is"
              + " published"
          : "is the name of the datasets " + String.join(", ", named.stream().map(String::valueOf).toList())
              + ": give the number of one"));
    }
    return named.getFirst();
  }

  /**
   * Makes one dataset whole and lists it.
   *
   * @param takeOver publish it although the flush file says that a daemon does: the caller knows that none is left
   * @return whether restarts can use it now
   * @throws ScrException what {@link DatasetAssembly#assemble} throws
   */
  public boolean add(int id, boolean takeOver) {
    remarks(index.makeIfLost());
    FileOwners owners = new FileOwners(paths, index, publication);
    if (tellIfOverwritten(id, owners)) {
      return false;
    }
    try {
      return enlist(List.of(assemble(id, takeOver)), List.of(), owners);
    } catch (ScrException e) {
      if (e.fault() == Fault.CORRUPT && !isReadable(id)) {
        enlist(List.of(), listed(entry -> entry.id() == id), owners);
      }
      throw e;
    }
  }

  /** Whether summary and map can be read: else restarts do not use it, even if its files are whole. */
  private boolean isReadable(int id) {
    return publication.isComplete(id) && DatasetVerification.hasMap(paths, id);
  }

  /** Returns those of these that restarts would use. */
  private List<Index.Entry> listed(Predicate<Index.Entry> which) {
    return index.read().index().entries().stream().filter(Index.Entry::complete).filter(which).toList();
  }

  /** Of a dataset whose files are another one's by now, which is whole, nothing is made again. */
  private boolean tellIfOverwritten(int id, FileOwners owners) {
    Integer owner = owners.overwritten().get(id);
    if (owner == null) {
      return false;
    }
    publication.summary(id).ifPresent(summary ->
        findings.accept(new Finding.OverwrittenBy(summary.descriptor(), owner)));
    return true;
  }

  private Assembled assemble(int id, boolean takeOver) {
    Assembled dataset = new DatasetAssembly(paths, publication).assemble(id, (descriptor, work) ->
        flushFile.publish(descriptor, takeOver, work));
    requireItsOwn(dataset.descriptor());
    dataset.problems().forEach(problem -> findings.accept(new Finding.Defect(dataset.descriptor(), problem)));
    return dataset;
  }

  /** Files of the dataset that had replaced it may have the right sizes. Only the bytes identify their owner. */
  private void requireItsOwn(DatasetDescriptor descriptor) {
    Index listed = index.read().index();
    Optional<Index.Entry> replaced = listed.find(descriptor.id())
        .filter(entry -> entry.replacedBy().isPresent() && entry.descriptor().sameAs(descriptor));
    if (replaced.isEmpty()) {
      return;
    }
    var read = DatasetVerification.verify(paths, descriptor.id()).requireRead();
    if (!read.problems().isEmpty() || !read.unverified().isEmpty()) {
      throw new ScrException(Fault.WRONG_STATE, EntrySentences.overwritten(
          replaced.get().descriptor(), replaced.get().replacedBy().getAsInt())
          + ", and they are not its own: " + (read.problems().isEmpty() ? "no checksum says otherwise"
              : read.problems().getFirst()));
    }
    index.update(now -> now.find(descriptor.id()).filter(replaced.get()::equals).isPresent()
        ? now.drop(descriptor.id()) : now);                // listed again as what is whole
  }

  private void remarks(List<String> sentences) {
    sentences.forEach(sentence -> findings.accept(new Finding.Remark(sentence)));
  }

  /**
   * Writes the index: one by one for datasets that it does not list, then for all others at once. The newest comes
   * first: with that a run between would begin. Files of the former are looked at once more. Others can have the lock
   * between. A kill leaves published datasets that are not listed, which the next call of the command finds.
   *
   * @param lost entries of datasets that are not whole any more
   * @return whether restarts can use all of them
   */
  private boolean enlist(List<Assembled> looked, List<Index.Entry> lost, FileOwners owners) {
    if (looked.isEmpty() && lost.isEmpty()) {
      return true;                                        // an empty mount point must not get an index of its own
    }
    Enlisting all = new Enlisting(descriptors(looked, true), descriptors(looked, false), lost);
    Map<Integer, DatasetDescriptor> replaced = new HashMap<>();
    Predicate<DatasetDescriptor> isUnlisted = isUnlisted(index.read().index());
    List<Enlisting> parts = new ArrayList<>(all.whole.stream().filter(isUnlisted)
        .sorted(Comparator.comparingInt(DatasetDescriptor::id).reversed())
        .map(one -> new Enlisting(List.of(one), List.of(), List.of())).toList());
    Enlisting rest = new Enlisting(
        all.whole.stream().filter(Predicate.not(isUnlisted)).toList(), all.broken, lost);
    if (parts.isEmpty() || !rest.isEmpty()) {
      parts.add(rest);
    }
    List<Reading> readings = parts.stream().map(part -> enlist(part, all.whole, replaced, owners)).toList();
    remarks(readings.stream().map(Reading::remarks).flatMap(List::stream).distinct().toList());
    List<DatasetDescriptor> whole = parts.stream().flatMap(part -> part.whole.stream()).toList();
    Index listed = readings.getLast().index();
    remarks(publication.removeReplaced(whole));
    whole.forEach(this::sweep);
    List<Index.Entry> failed = listed.entries().stream().filter(entry -> entry.failed().isPresent()
        && whole.stream().anyMatch(entry.descriptor()::sameAs)).toList();
    looked.forEach(dataset -> tell(dataset, Optional.ofNullable(replaced.get(dataset.descriptor().id())),
        failed.stream().filter(entry -> entry.descriptor().sameAs(dataset.descriptor())).findFirst()));
    lost.forEach(entry -> findings.accept(new Finding.Delisted(entry.descriptor(), lack(entry.id()))));
    return rest.broken.isEmpty() && lost.isEmpty() && failed.isEmpty();
  }

  private static Predicate<DatasetDescriptor> isUnlisted(Index listed) {
    return descriptor -> listed.find(descriptor.id())
        .filter(entry -> entry.complete() && entry.descriptor().sameAs(descriptor)).isEmpty();
  }

  private static List<DatasetDescriptor> descriptors(List<Assembled> looked, boolean valid) {
    return looked.stream().filter(dataset -> dataset.valid() == valid).map(Assembled::descriptor).toList();
  }

  /** What the index is about to say. What turns out to be something else is taken out. */
  private record Enlisting(List<DatasetDescriptor> whole, List<DatasetDescriptor> broken, List<Index.Entry> lost) {
    Enlisting {
      whole = new ArrayList<>(whole);
      broken = new ArrayList<>(broken);
    }

    boolean isEmpty() {
      return whole.isEmpty() && broken.isEmpty() && lost.isEmpty();
    }
  }

  /**
   * Under one hold of the lock.
   *
   * @param all that were found whole, these and others
   * @param replaced gets those of which another one has the name
   */
  private Reading enlist(Enlisting some, List<DatasetDescriptor> all, Map<Integer, DatasetDescriptor> replaced,
      FileOwners owners) {
    return owners.exclusively((held, overwritten) -> {
      Index listed = held.read().index();
      replaced.putAll(replaced(listed, all));
      for (DatasetDescriptor one : some.broken) {
        List<DatasetDescriptor> withIt = new ArrayList<>(all);
        withIt.add(one);
        Optional.ofNullable(replaced(listed, withIt).get(one.id())).ifPresent(later -> replaced.put(one.id(), later));
      }
      // looking at all may have taken long, and a run has deleted what was old
      some.broken.removeIf(descriptor -> replaced.containsKey(descriptor.id())
          || !publication.isComplete(descriptor.id()) && !DatasetScanner.isScavenged(paths, descriptor.id()));
      some.whole.removeIf(descriptor -> replaced.containsKey(descriptor.id())
          || overwritten.containsKey(descriptor.id()) || !isStillThere(listed, descriptor));
      LocalDateTime now = LocalDateTime.now(clock);
      return held.update(before -> withOverwritten(
          withBroken(withoutLost(before, some.lost).enlist(some.whole, now), some.broken), overwritten));
    });
  }

  /**
   * Whether nobody has deleted it meanwhile. Under the lock: what is listed is taken out of the index before its files
   * go, of what is not listed they go without that, the summary last.
   */
  private boolean isStillThere(Index listed, DatasetDescriptor descriptor) {
    int id = descriptor.id();
    return publication.isComplete(id)
        && (!isUnlisted(listed).test(descriptor)
            || DatasetVerification.hasMap(paths, id) && DatasetVerification.look(paths, id).badRanks().isEmpty());
  }

  /** What earlier calls, and flushes, have left beside its files. */
  private void sweep(DatasetDescriptor listed) {
    try {
      new LeftoverSweep(paths, index).sweep(listed.key());
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      // a run has deleted it meanwhile
    }
  }

  /** Of two datasets of one name the later one has overwritten the other, which is not listed again. */
  private Map<Integer, DatasetDescriptor> replaced(Index listed, List<DatasetDescriptor> whole) {
    Map<String, DatasetDescriptor> latest = new HashMap<>();
    whole.forEach(descriptor ->
        latest.merge(descriptor.name(), descriptor, BinaryOperator.maxBy(DatasetDescriptor.BY_AGE)));
    listed.entries().stream().map(Index.Entry::descriptor)
        .filter(other -> latest.containsKey(other.name()) && !latest.get(other.name()).sameAs(other))
        .filter(other -> publication.isComplete(other.id()))
        .forEach(other -> latest.merge(other.name(), other, BinaryOperator.maxBy(DatasetDescriptor.BY_AGE)));
    return whole.stream().filter(descriptor -> latest.get(descriptor.name()).id() != descriptor.id())
        .collect(Collectors.toMap(DatasetDescriptor::id, descriptor -> latest.get(descriptor.name()),
            (one, _) -> one, HashMap::new));
  }

  private static Index withoutLost(Index before, List<Index.Entry> lost) {
    return before.putAll(lost.stream().filter(entry -> before.find(entry.id()).filter(entry::equals).isPresent())
        .map(Index.Entry::notComplete).toList());
  }

  /** Lists a dataset as not valid, to make it visible; it replaces no other one with its id or name. */
  private static Index withBroken(Index before, List<DatasetDescriptor> broken) {
    Index index = before;
    for (DatasetDescriptor descriptor : broken) {
      Optional<Index.Entry> known = index.find(descriptor.id()).filter(one -> one.descriptor().sameAs(descriptor));
      if (known.isPresent()) {
        index = index.put(known.get().notComplete());
      } else if (index.find(descriptor.name()).isEmpty() && index.find(descriptor.id()).isEmpty()) {
        index = index.put(new Index.Entry(descriptor, false, Optional.empty(), List.of(), Optional.empty()));
      }
    }
    return index;
  }

  private static Index withOverwritten(Index before, Map<Integer, Integer> overwritten) {
    Index index = before;
    for (Map.Entry<Integer, Integer> one : overwritten.entrySet()) {
      index = index.markReplaced(Set.of(one.getKey()), one.getValue());
    }
    return index;
  }

  /** Returns why it is not valid. */
  private Finding.Lack lack(int id) {
    return publication.isComplete(id) ? Finding.Lack.READABLE_MAP
        : Presence.exists(paths.summary(id)) ? Finding.Lack.READABLE_SUMMARY : Finding.Lack.SUMMARY;
  }

  private void tell(Assembled dataset, Optional<DatasetDescriptor> successor, Optional<Index.Entry> failed) {
    DatasetDescriptor descriptor = dataset.descriptor();
    if (successor.isPresent()) {
      findings.accept(new Finding.Superseded(descriptor, successor.get().id()));
    } else if (!dataset.valid()) {
      findings.accept(new Finding.NotWhole(descriptor, dataset.missing(), dataset.unrecoverable()));
    } else if (failed.isPresent()) {
      findings.accept(new Finding.EnlistedButMarked(descriptor, dataset.rebuilt(), failed.get()));
    } else {
      findings.accept(new Finding.Enlisted(descriptor, dataset.rebuilt()));
    }
  }

  /**
   * Examines every dataset of the prefix directory, and lists all that are whole, or can be repaired.
   *
   * @return whether nothing that should be whole is not; a dataset that is being flushed is no defect
   */
  public boolean build() {
    List<String> remarks = new ArrayList<>(index.makeIfLost());
    if (!index.read().remarks().isEmpty()) {
      remarks.addAll(index.update(before -> before).remarks());
    }
    remarks(remarks);
    List<Assembled> looked = new ArrayList<>();
    Set<Integer> withoutMap = new HashSet<>();
    FileOwners owners = new FileOwners(paths, index, publication);
    boolean good = true;
    for (int id : publication.datasets()) {
      if (tellIfOverwritten(id, owners)) {
        continue;
      }
      if (isWorthALook(id)) {
        good &= build(id, looked, withoutMap);
      } else if (!remarks.contains(PrefixIndex.neverWhole(id))) {
        findings.accept(new Finding.Remark(PrefixIndex.neverWhole(id)));
      }
    }
    List<Index.Entry> lost =
        listed(entry -> withoutMap.contains(entry.id()) || !publication.isComplete(entry.id()));
    return enlist(looked, lost, owners) && good;
  }

  private boolean isWorthALook(int id) {
    return Presence.exists(paths.summary(id)) || DatasetScanner.isScavenged(paths, id);
  }

  private boolean build(int id, List<Assembled> looked, Set<Integer> withoutMap) {
    try {
      looked.add(assemble(id, false));
      return true;
    } catch (ScrException e) {
      if (!OF_ONE_DATASET.contains(e.fault())) {
        throw e;
      }
      findings.accept(new Finding.LeftAlone(id, e.getMessage()));
      if (e.fault() == Fault.CORRUPT && !DatasetVerification.hasMap(paths, id)) {
        withoutMap.add(id);
      }
      return e.fault() == Fault.BUSY;
    }
  }
}

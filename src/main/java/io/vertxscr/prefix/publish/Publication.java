package io.vertxscr.prefix.publish;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.Summary;
import io.vertxscr.format.prefix.SummaryFile;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.container.ContainerDrafts;
import io.vertxscr.prefix.metadata.MetadataFiles;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixIndex.Reading;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.prefix.metadata.RankMapWriter;
import io.vertxscr.prefix.metadata.WrittenOver;
import io.vertxscr.storage.AtomicFile;
import io.vertxscr.storage.Presence;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The leader's publication steps around the copies. Before them it prepares the metadata directory of a dataset, after
 * them it seals and lists it. Each step durable before the next, each may be repeated; each that removes or seals is
 * done under the lock, where a leader's token must be the newest:
 * <pre>
 *   prepare     what another dataset left under this id is removed, its summary first; never one that is listed
 *   (all nodes: FlushCopy, RankMapWriter)
 *   seal        map named, read back, compared with the descriptor's totals, then the summary
 *   enlist      index entry, and current if it is the newest checkpoint
 *   removeReplaced   files that an older dataset of this name left and this one did not write over
 * </pre>
 * A crash between any two leaves a dataset that is either complete or absent for readers; a node that finds it
 * unfinished begins with prepare again.
 */
public final class Publication {
  private final PrefixPaths paths;
  private final PrefixIndex index;

  /**
   * Sums of a rank map.
   *
   * @param storedBytes what all files take in the prefix directory, if they are compressed
   */
  public record Mapping(Totals totals, OptionalLong storedBytes) {}

  public Publication(PrefixPaths paths, PrefixIndex index) {
    this.paths = paths;
    this.index = index;
  }

  /**
   * The dataset's summary, if it has one.
   *
   * @throws ScrException CORRUPT if it is damaged, IO
   */
  public Optional<Summary> summary(int id) {
    return MetadataFiles.read(paths.summary(id), SummaryFile::decode)
        .filter(summary -> summary.descriptor().id() == id);
  }

  /** Returns the dataset that the index lists under this id, whole or not. @throws ScrException IO */
  public Optional<DatasetDescriptor> listed(int id) {
    return index.read().index().find(id).map(Index.Entry::descriptor);
  }

  /** Ids of all datasets that have a directory for their metadata, ascending. */
  public List<Integer> datasets() {
    return MetadataFiles.list(paths.scr(), "scr.dataset.*").stream().map(PrefixPaths::datasetOf)
        .flatMapToInt(OptionalInt::stream).sorted().boxed().toList();
  }

  /** Ids of the datasets that are listed or published under this name, ascending. @throws ScrException IO */
  public List<Integer> named(String name) {
    Stream<Integer> published = datasets().stream()
        .filter(id -> completeSummary(id).filter(summary -> summary.descriptor().name().equals(name)).isPresent());
    Stream<Integer> listed = index.read().index().find(name).map(Index.Entry::id).stream();
    return Stream.concat(published, listed).distinct().sorted().toList();
  }

  /** Complete datasets of the index that were created after this one. @throws ScrException IO */
  public List<DatasetDescriptor> laterThan(DatasetDescriptor descriptor) {
    return complete().stream()
        .filter(other -> other.id() != descriptor.id() && other.createdUs() > descriptor.createdUs()).toList();
  }

  private List<DatasetDescriptor> complete() {
    return index.read().index().entries().stream().filter(Index.Entry::complete).map(Index.Entry::descriptor).toList();
  }

  /** The datasets of the index that have this place are replaced by one that is about to write over it. */
  public void markReplaced(String place, DatasetDescriptor by) {
    Set<Integer> replaced = new WrittenOver(paths).having(place, complete());
    if (!replaced.isEmpty()) {
      index.update(before -> before.markReplaced(replaced, by.id()));
    }
  }

  /**
   * Lists a dataset that was not published, since later ones have its places already.
   *
   * @param later one of those
   */
  public void enlistReplaced(DatasetDescriptor descriptor, DatasetDescriptor later) {
    index.update(before -> before.find(descriptor.name()).filter(same -> same.id() != descriptor.id()).isPresent()
        ? before : before.put(new Index.Entry(descriptor, false, Optional.empty(), List.of(), Optional.empty()))
            .markReplaced(Set.of(descriptor.id()), later.id()));
  }

  /** Whether readers may take the dataset: it has a summary, undamaged, that says so. @throws ScrException IO */
  public boolean isComplete(int id) {
    return completeSummary(id).isPresent();
  }

  /** Whether readers may take this very dataset. @throws ScrException IO */
  public boolean isComplete(DatasetKey key) {
    return completeSummary(key.id()).filter(summary -> summary.descriptor().key().equals(key)).isPresent();
  }

  /** Datasets that readers may take, as their summaries say, listed or not. @throws ScrException IO */
  public List<DatasetDescriptor> whole() {
    return datasets().stream().map(this::completeSummary).flatMap(Optional::stream).map(Summary::descriptor).toList();
  }

  /** The summary of a dataset that readers may take. */
  private Optional<Summary> completeSummary(int id) {
    try {
      return summary(id).filter(Summary::complete);
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return Optional.empty();
    }
  }

  /**
   * Before anything is copied.
   *
   * @return true if this very dataset is complete here already: go on with {@link #enlist}; false if it must be
   *     copied
   * @throws ScrException IO, also where restarts could use another dataset of this id: it stays
   */
  public boolean prepare(DatasetDescriptor descriptor) {
    return index.exclusively(held -> new Publication(paths, held).prepareNow(descriptor));
  }

  private boolean prepareNow(DatasetDescriptor descriptor) {
    int id = descriptor.id();
    boolean hasSummary = Presence.exists(paths.summary(id));   // looked at first: another leader may write one
    if (completeSummary(id).filter(summary -> descriptor.sameAs(summary.descriptor())).isPresent()
        && !isDamaged(descriptor)) {
      ContainerDrafts.removeDrafts(paths, id);            // of who ended between the summary and this
      return true;
    }
    refuseToReplace(descriptor);
    if (!isOf(id, descriptor)) {
      ContainerDrafts.remove(paths, id);
    }
    if (hasSummary) {
      removeMetadata(id);                                 // a map alone says nothing, and is replaced
    }
    PrefixDirectories.createDurably(paths.prefix(), paths.dataset(id));
    return false;
  }

  /** Whether a later one has written over its files, or a verification has found damage. */
  private boolean isDamaged(DatasetDescriptor descriptor) {
    return index.read().index().find(descriptor.id()).filter(entry -> descriptor.sameAs(entry.descriptor()))
        .map(entry -> entry.replacedBy().isPresent() || entry.byVerify())
        .orElseGet(() -> !sharing(descriptor, laterUnlisted(descriptor)).isEmpty()   // nobody has marked it
            || new WrittenOver(paths).hasLostOne(descriptor.id()));
  }

  /**
   * Refuses an id conflict of two histories. This dataset got its id while the prefix directory was not visible,
   * because the file system was not mounted.
   */
  private void refuseToReplace(DatasetDescriptor descriptor) {
    int id = descriptor.id();
    Optional<Index.Entry> listed = index.read().index().find(id).filter(Index.Entry::complete)
        .filter(entry -> !descriptor.sameAs(entry.descriptor()));
    if (listed.isPresent() && isComplete(id)) {
      String name = listed.get().name();
      throw new ScrException(Fault.IO, "dataset " + id + " \"" + descriptor.name() + "\" stays in the caches: "
          + paths.prefix() + " has a complete dataset of that id, \"" + name + "\", which an earlier run wrote. If that"
          + " is not wanted any more: scr index --drop " + name + " --prefix " + paths.prefix());
    }
  }

  /**
   * Checks that this node sees what {@link #prepare} has created. Otherwise it has another file system there, or none,
   * and its files would be out of reach for the others.
   *
   * @throws ScrException IO
   */
  public static void requirePrepared(PrefixPaths paths, int id) {
    if (!Files.isDirectory(paths.dataset(id))) {
      throw new ScrException(Fault.IO, paths.dataset(id) + ", which the leader has made, is not there on this node: is "
          + paths.prefix() + " mounted?");
    }
  }

  /** Whether any flush has left a trace: not, where the file system that they are in is gone. */
  public boolean hasAny() {
    return Presence.exists(paths.index()) || Presence.exists(paths.leaderFile()) || !datasets().isEmpty();
  }

  /**
   * Writes the summary: from now on the dataset is complete. All its files are published and its map is written; all of
   * the map is read back.
   *
   * @param descriptor with its totals
   * @throws ScrException CORRUPT if the map is not whole or does not have as many files and bytes as the dataset;
   *     NO_SPACE, IO
   */
  public void seal(DatasetDescriptor descriptor) {
    seal(descriptor, new Mapping(descriptor.totals(), OptionalLong.empty()));
  }

  /** Seals. @param mapping what all parts of the map have together, as their writers say */
  public void seal(DatasetDescriptor descriptor, Mapping mapping) {
    index.exclusively(held -> {
      sealNow(descriptor, mapping);
      return held;
    });
  }

  /**
   * Seals and lists a dataset whose map is in drafts of its nodes, under one hold of the lock. So no other leader,
   * which looks for owners of names in the index, finds it sealed and not listed.
   *
   * @param map gives the drafts their names
   * @param time when it was flushed
   * @param mayReplace whether any of its paths had a file before, as far as is known
   * @throws ScrException NO_SUCH_FILE if a draft is missing; TAKEN_OVER; as {@link #seal(DatasetDescriptor)}
   */
  public Reading publish(
      DatasetDescriptor descriptor, Mapping mapping, RankMapWriter map, LocalDateTime time, boolean mayReplace) {
    return index.exclusively(held -> {
      map.writeRoot();
      if (mayReplace) {
        new Publication(paths, held).markOverwritten(descriptor);
      }
      sealNow(descriptor, mapping);
      return new Publication(paths, held).enlist(descriptor, mayReplace,
          before -> before.enlistWritten(descriptor, time));
    });
  }

  /**
   * Marks unlisted later datasets as incomplete that have lost files to a dataset about to be sealed. Else whoever
   * lists them again would take these files for theirs, and the dataset for written over by them.
   *
   * @param by its map is there
   * @throws ScrException NO_SPACE, IO
   */
  public void markOverwritten(DatasetDescriptor by) {
    sharing(by, laterUnlisted(by)).forEach(this::markIncomplete);
  }

  /** Has its summary say that a dataset is not complete any more. For who has the lock. */
  void markIncomplete(int id) {
    completeSummary(id).ifPresent(whole -> AtomicFile.replace(paths.summary(id),
        SummaryFile.encode(new Summary(whole.descriptor(), false, whole.storedBytes()))));
  }

  private Map<Integer, Summary> laterUnlisted(DatasetDescriptor than) {
    return unlistedSummaries().filter(other -> DatasetDescriptor.BY_AGE.compare(other.descriptor(), than) > 0)
        .collect(Collectors.toMap(other -> other.descriptor().id(), other -> other));
  }

  /** Returns those that have places of this dataset. */
  private Set<Integer> sharing(DatasetDescriptor dataset, Map<Integer, Summary> others) {
    return new WrittenOver(paths).sharing(dataset.id(), others.values().stream().map(Summary::descriptor).toList());
  }

  /** Datasets that are whole, as their summaries say, and that the index does not list so. @throws ScrException IO */
  public List<DatasetDescriptor> unlisted() {
    return unlistedSummaries().map(Summary::descriptor).toList();
  }

  private Stream<Summary> unlistedSummaries() {
    Set<Integer> listed = complete().stream().map(DatasetDescriptor::id).collect(Collectors.toSet());
    return datasets().stream().filter(id -> !listed.contains(id)).map(this::completeSummary).flatMap(Optional::stream);
  }

  private void sealNow(DatasetDescriptor descriptor, Mapping mapping) {
    require(descriptor, mapping.totals);
    require(descriptor, new RankMapReader(paths, descriptor.id()).totals());
    AtomicFile.replace(paths.summary(descriptor.id()),
        SummaryFile.encode(new Summary(descriptor, true, mapping.storedBytes)));
  }

  private void require(DatasetDescriptor descriptor, Totals mapped) {
    if (!mapped.equals(descriptor.totals())) {
      throw new ScrException(Fault.CORRUPT, "dataset " + descriptor.id() + " has " + descriptor.totals().files()
          + " files with " + descriptor.totals().bytes() + " bytes, but its rank2file map in " + paths.prefix()
          + " has " + mapped.files() + " with " + mapped.bytes());
    }
  }

  /**
   * Adds the sealed dataset to the index. It becomes current if it is a checkpoint and none newer is in the index.
   * Older ones whose files it has written over are listed as replaced from the same moment on.
   *
   * @param time when it was flushed
   */
  public Reading enlist(DatasetDescriptor descriptor, LocalDateTime time) {
    return enlist(descriptor, time, true);
  }

  /** Adds it. @param mayReplace whether any of its paths had a file before, as far as is known */
  public Reading enlist(DatasetDescriptor descriptor, LocalDateTime time, boolean mayReplace) {
    return enlist(descriptor, mayReplace, before -> before.enlist(List.of(descriptor), time));
  }

  private Reading enlist(DatasetDescriptor descriptor, boolean mayReplace, UnaryOperator<Index> listing) {
    List<String> remarks = new ArrayList<>(index.lostBeside(descriptor.id()).stream().toList());
    Set<Integer> replaced = mayReplace ? new WrittenOver(paths).by(descriptor, complete()) : Set.of();
    Reading done = index.update(before -> listing.apply(before).markReplaced(replaced, descriptor.id()));
    remarks.addAll(done.remarks());
    return new Reading(done.index(), remarks);
  }

  /**
   * Removes what older datasets of this name left behind, when the index does not list them any more.
   *
   * @return what was removed, in sentences for the log
   */
  public List<String> removeReplaced(DatasetDescriptor descriptor) {
    return removeReplaced(List.of(descriptor));
  }

  /** Removes several replaced datasets. */
  public List<String> removeReplaced(Collection<DatasetDescriptor> descriptors) {
    return new ReplacedDatasets(paths, index).remove(descriptors);
  }

  /** Whether the files there may belong to this dataset, so that its containers can be resumed. */
  private boolean isOf(int id, DatasetDescriptor descriptor) {
    try {
      return summary(id).map(Summary::descriptor).filter(other -> !descriptor.sameAs(other)).isEmpty();
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return true;
    }
  }

  private void removeMetadata(int id) {
    Path directory = paths.dataset(id);
    MetadataFiles.delete(directory, List.of(paths.summary(id)));   // first: no summary over half a map
    MetadataFiles.delete(directory, MetadataFiles.list(directory, "rank2file*"));
  }
}
